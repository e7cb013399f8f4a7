#!/usr/bin/env python3
"""Where Tamp's roads end beside Karpenter's, on the clusters of docs/performance.md or on others: a table.

    roads.py --bench build/bin/tamp_road_bench --types instance_types.json [--real-types aws_instance_types.json]
             [--orders 12] [--kinds plain mixed …] [--seed-offset N] [--json FILE]

Karpenter orders equal nodes at random, so it is followed in several orders of them, foretold by --compat karpenter-1.14. Tamp goes once as it
chooses, and once for each of Karpenter's ends, sent to a cost at most 1 % above it. "Holds": at most 1 % dearer than an end, with at most 60 % of its
moves, 80 % on mixed clusters. The floor is what bound.py --most says; it needs scipy. Another --seed-offset makes clusters that nobody has seen.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import bound

HERE = pathlib.Path(__file__).resolve().parent
SAME_COST = 1.01
FEW = {"plain": 0.6, "mixed": 0.8}
# mix, nodes, fill, seed, what else gen.py is told, orders at most, real types
CLUSTERS = [
    ("plain", 100, 0.6, 31001, [], 12, False),
    ("plain", 150, 0.75, 31002, [], 12, False),
    ("plain", 200, 0.85, 31003, [], 12, False),
    ("plain", 240, 0.7, 31004, [], 12, False),
    ("plain", 300, 0.8, 31005, [], 12, False),
    ("plain", 120, 0.92, 31006, [], 12, False),
    ("plain", 180, 0.5, 31007, [], 12, False),
    ("plain", 100, 0.85, 7, [], 12, False),
    ("plain", 300, 0.85, 7, [], 12, False),
    ("plain", 300, 0.92, 7, [], 12, False),
    ("plain", 1000, 0.85, 31008, [], 4, False),
    ("mixed", 100, 0.6, 31011, [], 12, False),
    ("mixed", 150, 0.85, 31012, [], 12, False),
    ("mixed", 200, 0.7, 31013, [], 12, False),
    ("mixed", 300, 0.8, 31014, [], 12, False),
    ("mixed", 120, 0.92, 31015, [], 12, False),
    ("mixed", 100, 0.85, 7, [], 12, False),
    ("mixed", 300, 0.85, 7, [], 12, False),
    ("mixed", 1000, 0.85, 31016, [], 4, False),
    ("plain", 100, 0.6, 31031, ["--spot", "0.5"], 12, False),
    ("plain", 300, 0.6, 7, ["--spot", "0.5"], 12, False),
    ("mixed", 100, 0.75, 31032, ["--spot", "0.33"], 12, False),
    ("plain", 100, 0.75, 31021, [], 12, True),
    ("plain", 100, 0.85, 7, [], 12, True),
    ("mixed", 100, 0.75, 31022, [], 12, True),
    ("mixed", 100, 0.85, 7, [], 12, True),
]


def three(values, pattern):
    """Least, middle, most; one number where they are the same as written."""
    words = [pattern.format(v) for v in (min(values), statistics.median_low(values), max(values))]
    return words[0] if len(set(words)) == 1 else " / ".join(words)


def holds(road, end, few):
    return road["cost"] <= SAME_COST * end["cost"] + 1e-9 and road["moves"] <= few * end["moves"]


def floors(path, types, ends):
    """The fewest moves to each end's cost, as a share of its moves."""
    with open(path, encoding="utf-8") as f:
        items = json.load(f)["items"]
    with open(types, encoding="utf-8") as f:
        catalogue = json.load(f)
    values = bound.pool_values(items)
    machines = [m for m in catalogue if bound.admitted(m, values)]
    prices = [bound.cheapest_price(m, values.get(bound.CAPACITY_TYPE, ["on-demand", "spot"])) for m in machines]
    least = {cost: bound.fewest_moves(items, catalogue, machines, prices, SAME_COST * cost) for cost in {e["cost"] for e in ends}}
    return [least[e["cost"]] / e["moves"] for e in ends]


def row_of(options, cluster, directory):
    mix, nodes, fill, seed, more, orders, real = cluster
    types = options.real_types if real else options.types
    path = pathlib.Path(directory) / "cluster.json"
    with open(path, "w", encoding="utf-8") as out:
        subprocess.run([sys.executable, HERE / "gen.py", "--types", types, "--nodes", str(nodes), "--fill", str(fill), "--seed", str(seed + options.seed_offset),
                        "--mix", "diverse" if mix == "mixed" else "plain", *more], stdout=out, check=True)
    text = subprocess.run([options.bench, path, types, str(min(orders, options.orders)), "--same-cost"], capture_output=True, text=True, check=True).stdout
    roads = json.loads(text)
    numbers = [i for i in range(orders) if f"tampAt{i}" in roads]
    ends, sent = [roads[f"karpenter{i}"] for i in numbers], [roads[f"tampAt{i}"] for i in numbers]
    return {"name": f"{mix}, {nodes:,} nodes, fill {fill}, seed {seed + options.seed_offset}" + (f", {float(more[1]):.0%} spot" if more else "") + (", 853 types" if real else ""),
            "mix": mix, "few": FEW[mix], "special": bool(more) or real, "tamp": roads["tamp"], "ends": ends, "sent": sent,
            "floors": floors(path, types, ends)}


def line_of(row):
    tamp, ends, sent, few = row["tamp"], row["ends"], row["sent"], row["few"]
    return (f"| {row['name']} | {three([e['cost'] for e in ends], '${:.2f}')} | {three([e['moves'] for e in ends], '{:,}')} "
            f"| {three([100 * (s['cost'] / e['cost'] - 1) for s, e in zip(sent, ends)], '{:+.1f}')} % "
            f"| {three([100 * s['moves'] / e['moves'] for s, e in zip(sent, ends)], '{:.0f}')} % | {sum(holds(s, e, few) for s, e in zip(sent, ends))} of {len(ends)} "
            f"| {three([100 * (tamp['cost'] / e['cost'] - 1) for e in ends], '{:+.1f}')} % | {three([100 * tamp['moves'] / e['moves'] for e in ends], '{:.0f}')} % "
            f"| {sum(holds(tamp, e, few) for e in ends)} "
            f"| {three([100 * f for f in row['floors']], '{:.0f}')} % | {sum(f <= few for f in row['floors'])} "
            f"| {tamp['cpuMs'] / 1000:.1f} s, {statistics.mean(s['cpuMs'] for s in sent) / 1000:.1f} s |")


def totals(rows):
    """Of clusters of KWOK's types on demand: what holds, what could, and how far the roads are from the floor."""
    lines = []
    for mix, few in FEW.items():
        those = [r for r in rows if r["mix"] == mix and not r["special"]]
        if not those:
            continue
        sent = [holds(s, e, few) for r in those for s, e in zip(r["sent"], r["ends"])]
        chosen = [holds(r["tamp"], e, few) for r in those for e in r["ends"]]
        possible = [f <= few for r in those for f in r["floors"]]
        above = [100 * (s["moves"] / (f * e["moves"]) - 1) for r in those for s, e, f in zip(r["sent"], r["ends"], r["floors"])]
        lines.append(f"{mix}: at most {few:.0%} of the moves beside {sum(sent)} of {len(sent)} ends, where Tamp is sent to their cost; beside {sum(chosen)} as it chooses; the floor is as "
                     f"low beside {sum(possible)}. Sent roads take {min(above):.1f} to {max(above):.1f} % more moves than the floor, {statistics.median(above):.1f} % in the middle.")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", required=True, help="the built tamp_road_bench")
    parser.add_argument("--types", required=True, help="the KWOK catalogue")
    parser.add_argument("--real-types", help="the catalogue of real types")
    parser.add_argument("--orders", type=int, default=12, help="of equal nodes, in which Karpenter is followed, at most")
    parser.add_argument("--kinds", nargs="*", choices=sorted(FEW), default=sorted(FEW))
    parser.add_argument("--most-nodes", type=int, default=1000)
    parser.add_argument("--seed-offset", type=int, default=0, help="added to each seed: clusters that nobody has seen")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all numbers")
    options = parser.parse_args()
    print("| cluster | Karpenter's ends: cost | moves | sent to their cost: cost | moves | holds | as Tamp chooses: cost | moves | holds | floor | possible | time |")
    print("|---" * 12 + "|", flush=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="tamp-roads-") as directory:
        for cluster in CLUSTERS:
            if cluster[0] not in options.kinds or cluster[1] > options.most_nodes or (cluster[6] and not options.real_types):
                continue
            rows.append(row_of(options, cluster, directory))
            print(line_of(rows[-1]), flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=2) + "\n")
    print("\n" + "\n".join(totals(rows)))


if __name__ == "__main__":
    main()
