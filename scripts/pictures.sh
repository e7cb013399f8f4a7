#!/usr/bin/env bash
# Draws docs/img/ anew from what the built program prints about the sample cluster, and from a minute of its demo.
set -euo pipefail
cd "$(dirname "$0")/.."
tamp=${TAMP:-build/bin/tamp}
sample=(-f samples/cluster.json --instance-types samples/instance-types.json --policy samples/policy.yaml
  --now 2026-11-15T00:00:00Z --color always)
export COLUMNS=100
"$tamp" plan "${sample[@]}" | sed -n '1,62p' | python3 scripts/ansi2svg.py --title "tamp plan" >docs/img/plan.svg
"$tamp" explain ip-10-0-1-64 "${sample[@]}" | python3 scripts/ansi2svg.py --title "tamp explain ip-10-0-1-64" >docs/img/explain.svg
python3 scripts/record-demo.py --columns 104 --rows 24 --seconds 5 --frames 9 "$tamp" --speed 30 --seed 1 --color always |
  python3 scripts/ansi2svg.py --title "tamp demo" --seconds 2 >docs/img/demo.svg
