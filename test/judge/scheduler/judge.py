#!/usr/bin/env python3
"""Compares `tamp fits --all` with the real kube-scheduler on random clusters.

    judge.py --tamp PATH --seeds A..B [--judge PATH] [--keep DIR] [--jobs J]
    judge.py --tamp PATH --pairs N [--first-seed S]      as many clusters as it takes to compare N pairs of pod and node
    judge.py --tamp PATH --preempt PROGRAM --cases N     the victims of preemption instead, for N pods that fit nowhere
    judge.py --tamp PATH --snapshot FILE [--snapshot FILE]...

A cluster is one case. It passes when both give the same answer and the same
reason for every pair of a pod and a node. What is in kept/ is judged first.
A disagreement is shrunk to a small cluster, which is left in --shrunk DIR.
Exit status: 0 all agree, 1 some do not, 2 the judge itself could not run.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import gen
import gen_preemption
import shrink

BATCH = 40  # clusters that are judged together
SHRUNK = 3  # disagreements that are shrunk
SHOWN = 20  # disagreements that are printed in full
HERE = pathlib.Path(__file__).resolve().parent
DEFAULT_JUDGE = HERE.parents[2] / "build" / "bin" / "scheduler-judge"

Answer = collections.namedtuple("Answer", "fits reason")
MISSING = Answer(None, "no answer")


class Failed(Exception):
    """A program that was to answer did not."""


def index(document):
    """The document as a map from (pod, node) to answer."""
    answers = {}
    for pod in document["pods"]:
        for node in pod["nodes"]:
            answers[f"{pod['namespace']}/{pod['name']}", node["name"]] = Answer(node["fits"], node["reason"])
    return answers


def ask_scheduler(judge, files):
    run = subprocess.run([judge], input="\n".join(map(str, files)), capture_output=True, text=True)
    # Warnings: cases where the real scheduler ends in an error, not an answer.
    sys.stderr.write(run.stderr)
    if run.returncode != 0:
        raise Failed(f"{judge} ended with status {run.returncode}")
    return [index(json.loads(line)) for line in run.stdout.splitlines()]


def ask_tamp(tamp, file):
    run = subprocess.run([tamp, "fits", "--all", "-o", "json", "-f", file], capture_output=True, text=True)
    if run.returncode != 0:
        raise Failed(f"tamp ended with status {run.returncode}: {run.stderr.strip()[:500]}")
    try:
        return index(json.loads(run.stdout))
    except (ValueError, KeyError, TypeError) as e:
        raise Failed(f"tamp's answer is not what was agreed: {e!r}") from e


class Tally:
    def __init__(self):
        self.passed = self.failed = self.pairs = self.fitting = self.shown = 0
        self.rejections = collections.Counter()    # by the scheduler's plugin
        self.wrong = []                            # clusters that failed
        self.same_reason = collections.Counter()   # where tamp names that plugin too
        self.clusters = collections.Counter()      # clusters in which the plugin rejects something

    def case(self, file, want, got):
        """Counts one cluster; got is tamp's answers, or why there are none."""
        self.pairs += len(want)
        self.fitting += sum(answer.fits for answer in want.values())
        reasons = {answer.reason for answer in want.values() if not answer.fits}
        self.clusters.update(reasons)
        if isinstance(got, Failed):
            self.failed += 1
            self.wrong.append(file)
            self.show(f"{file}: {got}")
            return
        wrong = False
        for pair in sorted(want.keys() | got.keys()):
            expected, actual = want.get(pair, MISSING), got.get(pair, MISSING)
            if expected.fits is False:
                self.rejections[expected.reason] += 1
                self.same_reason[expected.reason] += expected == actual
            if expected != actual:
                wrong = True
                pod, node = pair
                self.show(f"{file}: pod {pod}, node {node}: scheduler {describe(expected)}, tamp {describe(actual)}")
        if wrong:
            self.wrong.append(file)
        self.failed += wrong
        self.passed += not wrong

    def show(self, line):
        self.shown += 1
        if self.shown <= SHOWN:
            print(line)
        elif self.shown == SHOWN + 1:
            print("...")

    def summary(self):
        print(f"{self.pairs} pairs of pod and node, {self.fitting} fit")
        print(f"{'rejected by':<22}{'pairs':>8}{'clusters':>10}{'same reason':>13}")
        for plugin, count in sorted(self.rejections.items(), key=lambda item: (-item[1], item[0])):
            print(f"{plugin:<22}{count:>8}{self.clusters[plugin]:>10}{self.same_reason[plugin]:>13}")
        print(f"{self.passed} passed, {self.failed} failed")


def describe(answer):
    if answer.fits is None:
        return answer.reason
    return "fits" if answer.fits else f"rejects ({answer.reason})"


def compare(args, files, tally):
    wanted = ask_scheduler(args.judge, files)
    if len(wanted) != len(files):
        raise Failed(f"{len(files)} clusters, but the judge answered for {len(wanted)}")

    def tamp_answer(file):
        try:
            return ask_tamp(args.tamp, file)
        except Failed as e:
            return e

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for file, want, got in zip(files, wanted, pool.map(tamp_answer, files)):
            tally.case(file, want, got)


class Victims:
    """The tally of preemption: one case is a pending pod that fits nowhere."""

    def __init__(self):
        self.passed = self.failed = self.helped = self.shown = self.several = 0
        self.wrong = []

    def case(self, file, pod, theirs, ours):
        self.helped += bool(theirs["chosen"])
        self.several += len(theirs["chosen"]) > 1
        if not theirs["chosen"]:
            same = ours is None
        else:
            same = ours is not None and ours["node"] in theirs["chosen"] and ours["victims"] == theirs["victims"][ours["node"]]
        self.passed += same
        self.failed += not same
        if not same:
            self.wrong.append(file)
            self.shown += 1
            if self.shown <= SHOWN:
                print(f"{file}: pod {pod}: scheduler {theirs}, tamp {ours}")

    def summary(self):
        print(f"{self.passed + self.failed} pods that fit nowhere; for {self.helped} evictions help, {self.several} times on several nodes alike")
        print(f"{self.passed} passed, {self.failed} failed")


def compare_victims(args, files, tally):
    names = "\n".join(map(str, files))
    theirs = subprocess.run([args.judge, "-preempt"], input=names, capture_output=True, text=True, check=False)
    ours = subprocess.run([args.preempt], input=names, capture_output=True, text=True, check=False)
    if theirs.returncode or ours.returncode:
        raise Failed(f"{theirs.stderr[-500:]} {ours.stderr[-500:]}")
    for file, their_line, our_line in zip(files, theirs.stdout.splitlines(), ours.stdout.splitlines(), strict=True):
        our_answers = json.loads(our_line)
        for pod in json.loads(their_line)["pods"]:
            name = f"{pod['namespace']}/{pod['name']}"
            if "preemption" in pod:
                tally.case(file, name, pod["preemption"], our_answers.get(name))


def disagreements(args, cluster, scratch):
    """Whether the two disagree about the cluster; what neither can read is no disagreement."""
    file = scratch / "shrinking.json"
    file.write_text(json.dumps(cluster))
    tally = Victims() if args.preempt else Tally()
    tally.show = lambda line: None
    tally.shown = SHOWN + 1
    try:
        (compare_victims if args.preempt else compare)(args, [file], tally)
    except (Failed, ValueError):
        return False
    return tally.failed > 0


def shrink_all(args, tally, scratch):
    for number, file in enumerate(tally.wrong[:SHRUNK]):
        cluster = json.loads(pathlib.Path(file).read_text())
        small = shrink.shrink(cluster, lambda c: disagreements(args, c, scratch))
        kept = shrink.keep(small, args.shrunk, f"disagreement-{pathlib.Path(file).stem}-{number}")
        print(f"{file}: shrunk to {kept}, {len(small['items'])} objects")


def batches(args, directory):
    """Lists of files, as long as the caller asks."""
    make = gen_preemption.make_cluster if args.preempt else gen.make_cluster
    seed, last = args.seeds or (args.first_seed, None)
    while last is None or seed <= last:
        files = []
        while len(files) < BATCH and (last is None or seed <= last):
            file = directory / f"cluster-{seed}.json"
            file.write_text(json.dumps(make(seed, args.nodes, args.pods)) + "\n")
            files.append(file)
            seed += 1
        yield files
        if not args.keep:
            for file in files:
                if file not in args.tally.wrong:
                    file.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tamp", required=True, metavar="PATH")
    parser.add_argument("--judge", default=DEFAULT_JUDGE, metavar="PATH", help="the Go program (default: build/bin/scheduler-judge)")
    parser.add_argument("--seeds", type=gen.parse_range, metavar="A..B")
    parser.add_argument("--snapshot", action="append", default=[], metavar="FILE", help="judge this file instead of random clusters")
    parser.add_argument("--nodes", type=gen.parse_range, default=(3, 14), metavar="A..B")
    parser.add_argument("--pods", type=gen.parse_range, default=(10, 50), metavar="A..B")
    parser.add_argument("--keep", metavar="DIR", help="leave the clusters there")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--pairs", type=int, metavar="N")
    parser.add_argument("--first-seed", type=int, default=1, metavar="S")
    parser.add_argument("--preempt", metavar="PROGRAM", help="judge preemption; build/bin/preemption-victims answers for Tamp")
    parser.add_argument("--cases", type=int, default=300, metavar="N")
    parser.add_argument("--shrunk", default="build/judge", metavar="DIR")
    args = parser.parse_args()
    if sum(map(bool, (args.seeds, args.snapshot, args.pairs, args.preempt and args.cases and not args.seeds))) != 1:
        parser.error("give one of --seeds, --pairs, --snapshot, --preempt")

    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(args.keep or scratch)
        directory.mkdir(parents=True, exist_ok=True)
        tally = args.tally = Victims() if args.preempt else Tally()
        ask = compare_victims if args.preempt else compare
        try:
            kept = sorted((HERE / ("kept_preemption" if args.preempt else "kept")).glob("*.json"))
            if args.snapshot or kept:
                ask(args, args.snapshot or kept, tally)
            for files in [] if args.snapshot else batches(args, directory):
                ask(args, files, tally)
                if args.pairs and tally.pairs >= args.pairs or args.preempt and not args.seeds and tally.passed + tally.failed >= args.cases:
                    break
            shrink_all(args, tally, pathlib.Path(scratch))
        except (Failed, OSError) as e:
            print(f"judge.py: {e}", file=sys.stderr)
            return 2
        tally.summary()
    agree = tally.failed == 0
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
