#!/usr/bin/env python3
"""Karpenter's engine and Tamp on the same clusters in one run: the same commands, how long, how much memory, and where it ends.

    compare.py --tamp build/bin/tamp --judge karpenter-judge --types instance_types.json [--real-types aws_instance_types.json]
               [--quick | --full] [--out DIRECTORY]

As it is: 100 and 300 nodes, with the catalogue of real types 100 (ten minutes). --quick: a part of that. --full: everything (hours).

For each cluster: the command under --compat beside Karpenter's own; the time of a verdict on one node and of a search over
several; memory; and what comes of carrying commands out until none is left: cost, nodes, pods moved, nodes made. Tamp goes twice: as
it chooses, not knowing where Karpenter ends, and sent to a cost at most 1 % above Karpenter's end (--target-cost). Up to --fixpoint-nodes nodes the real Karpenter goes that way itself, and so does `tamp plan --compat karpenter-1.14 --steps`: they end at
the same place, so for larger clusters the latter stands for both. Times are processor time of the engines (Karpenter's with its garbage
collector), without reading the file: what else the machine does counts for neither.
With --replan PROGRAM (tamp_replan_bench): what it costs Tamp to decide again after one pod has changed.
Writes compare.json, compare.md and SVG plots.
Karpenter is asked for --limit verdicts and given --patience seconds for each question; where it does not answer by then the tables say so. Tamp is
waited for.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import plot

HERE = pathlib.Path(__file__).resolve().parent
NOW = "2026-11-15T00:00:00Z"
LATE = "late"
DAY = 86400
# name: what gen.py is asked for besides the number of nodes
KINDS = {
    "plain": ["--fill", "0.85", "--mix", "plain"],
    "mixed": ["--fill", "0.85", "--mix", "diverse"],
    "spot": ["--fill", "0.6", "--mix", "plain", "--spot", "0.5"],
    "tight": ["--fill", "0.92", "--mix", "plain"],
}
# Karpenter's search over several nodes takes what it has after so many seconds by the clock: on a busy machine, less than it would find.
KARPENTERS_MINUTE = 60
# So often it is asked again where its command differs.
ASKED_AGAIN = 3
# What may be a little dearer and still counts as costing the same.
SAME_COST = 1.01
# Gates that Karpenter does not know, switched off: what is left is the search.
NO_GATES = ["--savings-threshold", "0", "--scaledown-utilization-threshold", "1", "--preference-policy", "Respect"]


def most_memory(pid):
    """In MiB, so far. What wait4 says counts the memory of this program, too, from which the other was started."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def measured(command, patience):
    """What the command prints and the most memory it had, in MiB; LATE where it took too long, nothing where it failed."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([str(c) for c in command], stdout=out, stderr=subprocess.DEVNULL)
        end, late, memory = time.monotonic() + patience, False, 0
        while child.poll() is None:
            memory = max(memory, most_memory(child.pid))
            if time.monotonic() > end and not late:
                late = True
                child.kill()
            time.sleep(0.01)
        if child.returncode != 0:
            return LATE if late else None, None
        out.seek(0)
        return out.read().decode(), memory


class Comparison:
    def __init__(self, options, directory):
        self.o, self.directory, self.rows = options, directory, []

    def snapshot(self, kind, nodes, types):
        path = self.directory / f"{kind}-{nodes}-{pathlib.Path(types).stem}.json"
        with open(path, "w", encoding="utf-8") as out:
            subprocess.run([sys.executable, HERE / "gen.py", "--types", types, "--nodes", str(nodes), "--seed", str(self.o.seed), *KINDS[kind]],
                           stdout=out, check=True)
        return path

    def tamp(self, path, types, *arguments):
        text, memory = measured([self.o.tamp, "plan", "-f", path, "--instance-types", types, "--now", NOW, "--planner", "Requests",
                                 "--timings", "-o", "json", *arguments], DAY)
        if text is None:
            return None
        plan = json.loads(text)
        plan["rssMiB"] = memory
        return plan

    def best(self, path, types, *arguments):
        """The quickest of several runs: milliseconds are easily disturbed."""
        plans = [self.tamp(path, types, *arguments) for _ in range(self.o.repeat)]
        return min((p for p in plans if p), key=lambda p: p["timings"]["planMs"], default=None)

    def karpenter(self, path, types, *arguments):
        text, memory = measured([self.o.judge, "-snapshot", path, "-instance-types", types, "-now", NOW, "-ties", "name", *arguments],
                                self.o.patience)
        if text == LATE:
            return LATE
        return {**json.loads(text.splitlines()[-1]), "rssMiB": memory} if text else None

    def compare(self, kind, nodes, catalogue, types):
        path = self.snapshot(kind, nodes, types)
        row = {"kind": kind, "nodes": nodes, "catalogue": catalogue}
        compat = ["--compat", "karpenter-1.14"]
        every = self.best(path, types, *compat, "--method", "single", "--every")
        multi = self.best(path, types, *compat, "--method", "multi")
        if not every or not multi:
            print(f"{kind} {nodes}: Tamp gave no answer", file=sys.stderr)
            return
        row["pods"] = every["cluster"]["pods"]
        row["tamp"] = {"verdictMs": every["timings"]["planMs"] / nodes, "everyMs": every["timings"]["planMs"],
                       "multiMs": multi["timings"]["planMs"], "rssMiB": multi["rssMiB"]}
        row["karpenter"] = {}
        if nodes <= self.o.karpenter_nodes:
            single = self.karpenter(path, types, "-method", "single", "-every", "-limit", str(self.o.limit))
            theirs = self.karpenter(path, types, "-method", "multi")
            row["late"] = [name for name, answer in (("verdictMs", single), ("multiMs", theirs)) if answer == LATE]
            row["patience"] = self.o.patience
            single, theirs = (None if answer == LATE else answer for answer in (single, theirs))
            if single:
                row["karpenter"]["verdictMs"] = 1000 * single["cpuSeconds"] / max(1, len(single["verdicts"]))
            if theirs:
                row["karpenter"]["multiMs"] = 1000 * theirs["cpuSeconds"]
                row["karpenter"]["rssMiB"] = theirs["rssMiB"]
                row["command"] = self.verdict_on_command(path, types, multi, theirs)
        if self.o.replan:
            text, _ = measured([self.o.replan, path, types, "karpenter-1.14"], DAY)
            row["replan"] = json.loads(text) if text else None
            if not text:
                print(f"{kind} {nodes}: {self.o.replan} failed", file=sys.stderr)
        if nodes <= self.o.road_nodes:
            self.fixpoint(row, path, types)
        self.rows.append(row)
        print(summary(row), flush=True)
        self.write()

    def verdict_on_command(self, path, types, ours, theirs):
        """The same command, or why it is not."""
        for attempt in range(1 + ASKED_AGAIN):
            if same_commands(ours["commands"], theirs["commands"]):
                return "same" if attempt == 0 else "same when asked again"
            if theirs["seconds"] >= KARPENTERS_MINUTE:
                return "other: Karpenter's minute was up"
            again = self.karpenter(path, types, "-method", "multi")
            theirs = again if again and again != LATE else theirs
        return "OTHER"

    def write(self):
        """After each cluster: who stops it has what was measured so far."""
        (self.o.out / "compare.json").write_text(json.dumps(self.rows, indent=2) + "\n")
        (self.o.out / "compare.md").write_text(markdown(self.rows))
        plot.write(self.rows, self.o.out)

    def fixpoint(self, row, path, types):
        road = self.tamp(path, types, *NO_GATES, "--steps", "100000")
        followed = self.tamp(path, types, "--compat", "karpenter-1.14", "--steps", "100000")
        if not road or not followed:
            print(f"{row['kind']} {row['nodes']}: Tamp did not arrive", file=sys.stderr)
            return
        row["tamp"].update(ends(road))
        row["karpenter"].update(ends(followed))
        if row["nodes"] <= self.o.fixpoint_nodes:
            journey = self.karpenter(path, types, "-fixpoint", "100000")
            if journey and journey != LATE:
                theirs = {"cost": journey["costAfter"], "nodesLeft": journey["nodesAfter"], "moves": journey["podsMoved"],
                          "made": journey["nodesMade"], "commands": journey["commands"], "roadMs": 1000 * journey["cpuSeconds"]}
                # Not the number of commands: empty nodes that go in one pass are one step here, and a command each there.
                row["sameRoad"] = (abs(theirs["cost"] - row["karpenter"]["cost"]) < 1e-6
                                   and all(theirs[key] == row["karpenter"][key] for key in ("nodesLeft", "moves", "made")))
                row["karpenter"].update(theirs)
        # In nano-dollars, as costs are counted; never above what counts as the same.
        sum_of_money = math.floor(SAME_COST * row["karpenter"]["cost"] * 1e9) / 1e9
        sent = self.tamp(path, types, *NO_GATES, "--steps", "100000", "--target-cost", f"{sum_of_money:.9f}")
        row["sent"] = ends(sent) if sent else None
        bound = subprocess.run([sys.executable, HERE / "bound.py", "--types", types, path], capture_output=True, text=True, check=False)
        try:
            row["bound"] = float(bound.stdout.split()[-1].lstrip("$"))
        except (IndexError, ValueError):
            row["bound"] = None  # infeasible, or no scipy
        floor = subprocess.run([sys.executable, HERE / "bound.py", "--types", types, "--most", str(SAME_COST * row["karpenter"]["cost"]), path],
                               capture_output=True, text=True, check=False)
        row["leastMoves"] = int(floor.stdout.split()[-1]) if floor.stdout.startswith("moves") else None


def ends(plan):
    steps = plan["road"]["steps"]
    last = steps[-1]["after"] if steps else {"nodes": plan["cluster"]["nodes"], "hourlyCost": plan["cluster"]["hourlyCost"], "podMoves": 0}
    return {"cost": last["hourlyCost"], "nodesLeft": last["nodes"], "moves": last["podMoves"], "commands": len(steps),
            "made": sum(1 for s in steps if s["newNode"]), "roadMs": plan["timings"]["planMs"]}


def same_commands(ours, theirs):
    def key(command):
        types = command["replacement"]["instanceTypes"] if command.get("replacement") else command.get("instanceTypes", [])
        return (sorted(command["nodes"]), command["decision"], sorted(types or []))
    return [key(c) for c in ours] == [key(c) for c in theirs]


def summary(row):
    t, k = row["tamp"], row["karpenter"]
    text = f"{row['kind']:>6} {row['nodes']:>6,} nodes {row['catalogue']:>5}: verdict {1000 * t['verdictMs']:.1f} µs, multi {t['multiMs']:.1f} ms"
    if "verdictMs" in k:
        text += f"; Karpenter {k['verdictMs']:.0f} ms ({k['verdictMs'] / t['verdictMs']:,.0f}×)"
    if "multiMs" in k:
        text += f", {k['multiMs']:.0f} ms ({k['multiMs'] / t['multiMs']:,.0f}×), command: {row['command']}"
    if "cost" in t and "cost" in k:
        text += f"; to the end ${t['cost']:.2f} with {t['moves']} moves, Karpenter ${k['cost']:.2f} with {k['moves']}"
        if row.get("sent"):
            text += f", Tamp sent there ${row['sent']['cost']:.2f} with {row['sent']['moves']}"
        text += {True: " (as --compat foretold)", False: " (NOT as --compat foretold)", None: " (by --compat)"}[row.get("sameRoad")]
    return text


def cell(value, pattern):
    return pattern.format(value) if value is not None else "–"


def machine():
    """The processor's name and how many there are."""
    try:
        names = [line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    except OSError:
        names = []
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


def growth(rows):
    """Ten times the nodes: how many times the work?"""
    every = {(r["kind"], r["catalogue"], r["nodes"]): r["tamp"]["everyMs"] for r in rows}
    return [f"All verdicts on 10,000 {kind} nodes ({catalogue}) take {every[kind, catalogue, 10000] / ms:.1f} times as long as on 1,000."
            for (kind, catalogue, nodes), ms in every.items() if nodes == 1000 and (kind, catalogue, 10000) in every]


def markdown(rows):
    def theirs(row, key):
        return f"> {row['patience']} s" if key in row.get("late", []) else cell(row["karpenter"].get(key), "{:,.0f} ms")

    def ratio(row, key):
        k, t = row["karpenter"].get(key), row["tamp"].get(key)
        return k / t if k and t else None
    lines = [f"{machine()}.", "",
             "| cluster | verdict: Tamp | Karpenter | times | multi: Tamp | Karpenter | times | command |", "|---|---|---|---|---|---|---|---|"]
    for r in rows:
        lines.append(f"| {r['kind']}, {r['nodes']:,} nodes, {r['pods']:,} pods, {r['catalogue']} | {1000 * r['tamp']['verdictMs']:.1f} µs "
                     f"| {theirs(r, 'verdictMs')} | {cell(ratio(r, 'verdictMs'), '{:,.0f}')} "
                     f"| {r['tamp']['multiMs']:.1f} ms | {theirs(r, 'multiMs')} "
                     f"| {cell(ratio(r, 'multiMs'), '{:,.0f}')} | {r.get('command', '–')} |")
    lines += ["", "| cluster | all verdicts | memory: Tamp | Karpenter | one pod changed: median | 95 of 100 | worst | as new |", "|---|---|---|---|---|---|---|---|"]
    for r in rows:
        again = r.get("replan") or {}
        lines.append(f"| {r['kind']}, {r['nodes']:,} nodes, {r['catalogue']} | {r['tamp']['everyMs']:.1f} ms | {r['tamp']['rssMiB']:.0f} MiB "
                     f"| {cell(r['karpenter'].get('rssMiB'), '{:,.0f} MiB')} | {cell(again.get('medianMs'), '{:.2f} ms')} | {cell(again.get('p95Ms'), '{:.2f} ms')} "
                     f"| {cell(again.get('worstMs'), '{:.1f} ms')} | {cell(again.get('firstMs'), '{:.0f} ms')} |")
    lines += ["", *growth(rows)]
    lines += ["", "| cluster | bound | Karpenter: cost | moves | nodes | made | Tamp, sent there: cost | moves | share | as it chooses: cost | moves | share | nodes | made "
              "| at least | Karpenter's end |", "|---" * 16 + "|"]
    for r in rows:
        t, k, sent = r["tamp"], r["karpenter"], r.get("sent") or {}
        if "cost" not in t:
            continue

        def share(moves, of=k.get("moves")):
            return cell(moves / of if of and moves else None, "{:.0%}")

        def above(end, than=k.get("cost")):
            return cell(end.get("cost"), "${:.2f}") + (f" ({100 * (end['cost'] / than - 1):+.1f} %)" if than and "cost" in end else "")
        lines.append(f"| {r['kind']}, {r['nodes']:,} nodes, {r['catalogue']} | {cell(r.get('bound'), '${:.2f}')} | {cell(k.get('cost'), '${:.2f}')} | {cell(k.get('moves'), '{:,}')} "
                     f"| {cell(k.get('nodesLeft'), '{}')} | {cell(k.get('made'), '{}')} | {above(sent)} | {cell(sent.get('moves'), '{:,}')} | {share(sent.get('moves'))} "
                     f"| {above(t)} | {t['moves']:,} | {share(t['moves'])} | {t['nodesLeft']} | {t['made']} | {share(r.get('leastMoves'))} "
                     f"| { {True: 'run; --compat foretold it exactly', False: 'run; --compat differs', None: 'by --compat'}[r.get('sameRoad')]} |")
    return "\n".join(lines) + "\n"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tamp", required=True)
    parser.add_argument("--judge", required=True)
    parser.add_argument("--types", required=True, help="the KWOK catalogue")
    parser.add_argument("--real-types", help="the catalogue of real types")
    parser.add_argument("--replan", help="the built tamp_replan_bench")
    parser.add_argument("--quick", action="store_true", help="100 nodes, plain and mixed")
    parser.add_argument("--full", action="store_true", help="also 3,000 and 10,000 nodes, and all kinds with both catalogues")
    parser.add_argument("--nodes", type=int, nargs="*", default=[100, 300])
    parser.add_argument("--real-nodes", type=int, nargs="*", help="with the catalogue of real types; 100, or as many as --nodes if that is given")
    parser.add_argument("--kinds", nargs="*", choices=sorted(KINDS), default=list(KINDS))
    parser.add_argument("--limit", type=int, default=10, help="verdicts that Karpenter is asked for")
    parser.add_argument("--repeat", type=int, default=3, help="runs of Tamp; the quickest counts")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--karpenter-nodes", type=int, default=3000, help="larger clusters are Tamp's alone")
    parser.add_argument("--fixpoint-nodes", type=int, default=100, help="Karpenter itself goes to the end of clusters of up to so many nodes")
    parser.add_argument("--road-nodes", type=int, default=1000, help="larger clusters are not followed to the end")
    parser.add_argument("--patience", type=int, default=120, help="seconds for each question to Karpenter")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/compare"))
    options = parser.parse_args()
    if options.real_nodes is None:
        options.real_nodes = [100] if options.nodes == parser.get_default("nodes") else options.nodes
    if options.quick:
        options.nodes, options.kinds, options.real_types = [100], ["plain", "mixed"], None
    if options.full:
        options.nodes = options.real_nodes = [100, 300, 1000, 3000, 10000]
    return options


def main():
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tamp-compare-") as directory:
        comparison = Comparison(options, pathlib.Path(directory))
        catalogues = [("KWOK", options.types, options.nodes)] + ([("real", options.real_types, options.real_nodes)] if options.real_types else [])
        for catalogue, types, sizes in catalogues:
            for kind in options.kinds:
                for nodes in sizes:
                    comparison.compare(kind, nodes, catalogue, types)
    print((options.out / "compare.md").read_text())
    print(f"wrote {options.out}/compare.json, compare.md and plots")


if __name__ == "__main__":
    main()
