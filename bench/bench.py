#!/usr/bin/env python3
"""Times Tamp beside Karpenter's engine on the same clusters in the same run, and prints the ratios.

    bench.py --tamp build/bin/tamp --types instance_types.json [--judge karpenter-judge] [--quick] [-o json]

Planning times are the engines' own processor time: reading the file is not counted. Karpenter gives a verdict on --limit nodes, Tamp on
every node; both are compared per verdict. The large cluster is timed from outside, reading included, with its memory.
Without --judge only Tamp is timed. A machine that does other work at the same time shifts both alike: compare ratios.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NOW = "2026-11-15T00:00:00Z"
TARGETS = {"verdict": 5000, "multi": 1000, "wall": 10.0, "rss": 2048}


class Bench:
    def __init__(self, options, directory):
        self.o, self.directory, self.rows = options, directory, {}

    def snapshot(self, nodes, mix, fill):
        path = self.directory / f"{mix}-{nodes}.json"
        with open(path, "w", encoding="utf-8") as out:
            subprocess.run([sys.executable, HERE / "gen.py", "--types", self.o.types, "--nodes", str(nodes), "--fill",
                            str(fill), "--mix", mix, "--seed", "7"], stdout=out, check=True)
        return path

    def tamp(self, path, *arguments):
        run = subprocess.run([self.o.tamp, "plan", "-f", path, "--instance-types", self.o.types, "--now", NOW, "--compat",
                              "karpenter-1.14", "--planner", "Requests", "--timings", "-o", "json", *arguments],
                             capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"bench: tamp ended with status {run.returncode}: {run.stderr.strip()}")
        return json.loads(run.stdout)

    def tamp_ms(self, path, *arguments):
        """The median of several runs, and the last answer."""
        answers = [self.tamp(path, *arguments) for _ in range(self.o.repeat)]
        return statistics.median(a["timings"]["planMs"] for a in answers), answers[-1]

    def karpenter(self, path, *arguments):
        run = subprocess.run([self.o.judge, "-snapshot", path, "-instance-types", self.o.types, "-now", NOW, *arguments],
                             capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"bench: {self.o.judge} ended with status {run.returncode}: {run.stderr.strip()}")
        return json.loads(run.stdout.splitlines()[-1])

    def compare(self, name, nodes, mix):
        path = self.snapshot(nodes, mix, 0.85)
        every, answer = self.tamp_ms(path, "--method", "single", "--every")
        multi, _ = self.tamp_ms(path, "--method", "multi")
        row = {"nodes": nodes, "pods": answer["cluster"]["pods"], "everyMs": every,
               "verdictMs": every / len(answer["nodes"]), "multiMs": multi}
        if self.o.judge:
            single = self.karpenter(path, "-method", "single", "-every", "-limit", str(self.o.limit))
            row["karpenterVerdictMs"] = 1000 * single["cpuSeconds"] / max(1, len(single["verdicts"]))
            row["karpenterMultiMs"] = 1000 * self.karpenter(path, "-method", "multi")["cpuSeconds"]
            row["verdictRatio"] = row["karpenterVerdictMs"] / row["verdictMs"]
            row["multiRatio"] = row["karpenterMultiMs"] / multi
        self.rows[name] = row
        self.print_comparison(name, row, aims=mix == "diverse" and not self.o.quick)

    def print_comparison(self, name, row, aims):
        if self.o.output == "json":
            return
        print(f"{name}: {row['nodes']:,} nodes, {row['pods']:,} pods")
        print(f"  all verdicts   Tamp {row['everyMs']:10.2f} ms   ({row['verdictMs'] * 1000:.1f} µs each)")
        print(f"  multi-node     Tamp {row['multiMs']:10.2f} ms")
        if "verdictRatio" in row:
            aim = {key: f" (aim {TARGETS[key]:,})" if aims else "" for key in ("verdict", "multi")}
            print(f"  one verdict    Karpenter {row['karpenterVerdictMs']:10.1f} ms   {row['verdictRatio']:,.0f} times Tamp's{aim['verdict']}")
            print(f"  multi-node     Karpenter {row['karpenterMultiMs']:10.1f} ms   {row['multiRatio']:,.0f} times Tamp's{aim['multi']}")
        print(flush=True)

    def large(self, nodes):
        path = self.snapshot(nodes, "plain", 0.65)
        child = subprocess.Popen([self.o.tamp, "plan", "-f", path, "--instance-types", self.o.types, "--now", NOW, "--compat",
                                  "karpenter-1.14", "--planner", "Requests", "--timings", "-o", "json"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        start = time.monotonic()
        answer = json.loads(child.stdout.read())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        row = {"nodes": answer["cluster"]["nodes"], "pods": answer["cluster"]["pods"], "fileMiB": path.stat().st_size / 2**20,
               "wallSeconds": time.monotonic() - start, "rssMiB": usage.ru_maxrss / 1024,
               "readMs": answer["timings"]["readMs"], "planMs": answer["timings"]["planMs"]}
        row["everyMs"] = self.tamp(path, "--method", "single", "--every")["timings"]["planMs"]
        self.rows["large"] = row
        if self.o.output != "json":
            print(f"large: {row['nodes']:,} nodes, {row['pods']:,} pods, a file of {row['fileMiB']:.0f} MiB")
            print(f"  read and decided in {row['wallSeconds']:.2f} s (aim {TARGETS['wall']:.0f}): read {row['readMs']:.0f} ms,"
                  f" one pass {row['planMs']:.0f} ms; all verdicts {row['everyMs']:.0f} ms")
            print(f"  memory at most {row['rssMiB']:.0f} MiB (aim {TARGETS['rss']})", flush=True)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tamp", required=True)
    parser.add_argument("--types", required=True, help="machine catalogue in the KWOK provider's format")
    parser.add_argument("--judge", help="the built karpenter-judge; without it only Tamp is timed")
    parser.add_argument("--limit", type=int, default=20, help="verdicts that Karpenter is asked for")
    parser.add_argument("--repeat", type=int, default=3, help="runs of Tamp; the median counts")
    parser.add_argument("--quick", action="store_true", help="200 nodes and 2,000 instead of 1,000 and 10,000")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")
    return parser.parse_args()


def main():
    options = read_options()
    with tempfile.TemporaryDirectory(prefix="tamp-bench-") as directory:
        bench = Bench(options, pathlib.Path(directory))
        nodes, many = (200, 2000) if options.quick else (1000, 10000)
        bench.compare("mixed constraints", nodes, "diverse")
        bench.compare("plain pods", nodes, "plain")
        bench.large(many)
    if options.output == "json":
        json.dump(bench.rows, sys.stdout, indent=2)
        print()


if __name__ == "__main__":
    main()
