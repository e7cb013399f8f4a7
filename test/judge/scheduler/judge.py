#!/usr/bin/env python3
"""Compares `tamp fits --all` with the real kube-scheduler on random clusters.

    judge.py --tamp PATH --seeds 1..N [--judge PATH] [--keep DIR] [--jobs J]
    judge.py --tamp PATH --snapshot FILE [--snapshot FILE]...

A cluster is one case. It passes when both give the same answer and the same
reason for every pair of a pod and a node. Exit status: 0 all agree, 1 some do
not, 2 the judge itself could not run.
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


def compare(args, files):
    wanted = ask_scheduler(args.judge, files)
    if len(wanted) != len(files):
        raise Failed(f"{len(files)} clusters, but the judge answered for {len(wanted)}")

    def tamp_answer(file):
        try:
            return ask_tamp(args.tamp, file)
        except Failed as e:
            return e

    tally = Tally()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for file, want, got in zip(files, wanted, pool.map(tamp_answer, files)):
            tally.case(file, want, got)
    tally.summary()
    return tally.failed == 0


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
    args = parser.parse_args()
    if bool(args.seeds) == bool(args.snapshot):
        parser.error("give either --seeds or --snapshot")

    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(args.keep or scratch)
        directory.mkdir(parents=True, exist_ok=True)
        files = args.snapshot
        if args.seeds:
            files = []
            for seed in range(args.seeds[0], args.seeds[1] + 1):
                file = directory / f"cluster-{seed}.json"
                file.write_text(json.dumps(gen.make_cluster(seed, args.nodes, args.pods), indent=1) + "\n")
                files.append(file)
        try:
            agree = compare(args, files)
        except (Failed, OSError) as e:
            print(f"judge.py: {e}", file=sys.stderr)
            return 2
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
