#!/usr/bin/env python3
"""Compares Tamp's decisions with Karpenter's on random small clusters.

    judge.py --tamp build/bin/tamp --judge karpenter-judge --types instance_types.json --seeds 1..300

For each seed: one pass (empty, multi, single), each of multi and empty alone, and single for every node.
Karpenter breaks ties by chance: any of its answers counts. Equally cheap machine types are equal. A
difference is accepted only where a predicate of known_differences.md holds. Without --tamp it only says
what Karpenter decides, which is how the generator is tuned.
"""
import argparse
import collections
import concurrent.futures
import copy
import json
import os
import subprocess
import sys
import tempfile

import known
from gen import Generator
from gen_base import CAPACITY, DO_NOT_DISRUPT, NOW, stamp
from gen_twists import Twister

DECIDE_AT = stamp(NOW)
ASPECTS = ("all", "multi", "empty", "every")


class Command:
    """What to remove and what to put in its place, reduced to what must agree."""

    def __init__(self, method, decision, nodes, pool="", types=(), capacity=()):
        self.method, self.decision, self.nodes = method, decision, tuple(sorted(nodes))
        self.pool, self.types, self.capacity = pool, tuple(types), tuple(sorted(capacity))

    def __str__(self):
        text = f"{self.method} {self.decision} {' '.join(self.nodes)}"
        if self.decision == "replace":
            text += f" by {self.pool} {'/'.join(self.capacity)} [{', '.join(self.types[:6])}{', …' if len(self.types) > 6 else ''}] ({len(self.types)} types)"
        return text

    @staticmethod
    def of_karpenter(method, c):
        return Command(method, c["decision"], c["nodes"], c.get("nodePool", ""), c.get("instanceTypes", ()), c.get("capacityTypes", ()))

    @staticmethod
    def of_tamp(c):
        r = c.get("replacement") or {}
        return Command(c["method"], c["decision"], c["nodes"], r.get("nodePool", ""), r.get("instanceTypes", ()), r.get("capacityTypes", ()))


class Catalogue:
    def __init__(self, types):
        self.prices = {}
        for t in types:
            for o in t["offerings"]:
                capacity = next(r["values"][0] for r in o["Requirements"] if r["key"] == CAPACITY)
                key = (t["name"], capacity)
                self.prices[key] = min(self.prices.get(key, o["Price"]), o["Price"])

    def cheapest(self, name, capacity):
        return min(self.prices.get((name, c), float("inf")) for c in capacity)

    def same_types(self, a, b):
        """Equal as sets; or cut off at the same price, where chance picks among equals at the edge."""
        if set(a.types) == set(b.types):
            return True
        if len(a.types) != len(b.types) or not a.types:
            return False
        edge = max(self.cheapest(t, a.capacity) for t in a.types)
        if edge != max(self.cheapest(t, b.capacity) for t in b.types):
            return False
        return all(self.cheapest(t, a.capacity) == edge for t in set(a.types) ^ set(b.types))

    def same(self, a, b):
        if (a.decision, a.nodes) != (b.decision, b.nodes):
            return False
        return a.decision == "delete" or (a.pool, a.capacity) == (b.pool, b.capacity) and self.same_types(a, b)


def merged(commands):
    """Removing empty nodes in one command or in several is the same."""
    if commands and all(c.method == "empty" for c in commands):
        return [Command("empty", "delete", [n for c in commands for n in c.nodes])]
    return commands


class Answers:
    """What one engine says of one cluster: aspect -> list of alternatives, each a list of commands; and for
    "every" node -> list of alternatives, each a command or None."""

    def __init__(self):
        self.alternatives = {aspect: [] for aspect in ASPECTS if aspect != "every"}
        self.every = collections.defaultdict(list)
        self.reasons = {}       # node -> Karpenter's words
        self.errors = []

    def add_karpenter(self, documents):
        """Documents of one snapshot, in the order printed."""
        passes = collections.defaultdict(list)
        for d in documents:
            if d.get("error"):
                self.errors.append(f"{d['pass']}/{d['method']}: {d['error']}")
            if d["pass"] == "single":
                for v in d.get("verdicts") or ():
                    command = v.get("command")
                    self.every[v["node"]].append(Command.of_karpenter("single", command) if command else None)
                    self.reasons[v["node"]] = ": ".join(filter(None, (v.get("reason"), v.get("message"))))
            elif d["pass"]:
                passes[d["pass"], d["ties"], d["repetition"]] += [Command.of_karpenter(d["method"], c) for c in d["commands"]]
        for (aspect, _, _), commands in passes.items():
            self.alternatives[aspect].append(merged(commands))
        return self


def ask_karpenter(options, paths, *arguments):
    """Runs the engine on many snapshots in as many processes as asked for."""
    chunks = [paths[i::options.jobs] for i in range(options.jobs)]

    def run(chunk):
        command = [options.judge, "-snapshot", "-", "-instance-types", options.types, "-now", DECIDE_AT, *arguments]
        if options.spot_to_spot:
            command.append("-spot-to-spot")
        if options.preference_policy:
            command += ["-preference-policy", options.preference_policy]
        done = subprocess.run(command, input="\n".join(chunk), capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    documents = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for part in pool.map(run, [c for c in chunks if c]):
            for d in part:
                documents[d["snapshot"]].append(d)
    return documents


def ask_tamp(options, path, aspect):
    """Tamp's commands, or a string that says how it failed."""
    method = {"every": "single"}.get(aspect, aspect)
    command = [options.tamp, "plan", "--compat", "karpenter-1.14", "-f", path, "--instance-types", options.types, "--now", DECIDE_AT, "-o", "json", "--method", method]
    if aspect == "every":
        command.append("--every")
    if options.spot_to_spot:
        command += ["--feature-gates", "SpotToSpotConsolidation=true"]
    if options.preference_policy:
        command += ["--preference-policy", options.preference_policy]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "no answer in 60 s"
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip()[:500]}"
    try:
        plan = json.loads(done.stdout)
        return [Command.of_tamp(c) for c in plan["commands"]]
    except (ValueError, KeyError, TypeError) as e:
        return f"unreadable plan: {e!r}"


class Comparison:
    """One seed, one aspect."""

    def __init__(self, aspect, tamp):
        self.aspect, self.tamp = aspect, tamp

    def differences(self, catalogue, karpenter):
        """Lines that say what differs; none if Tamp's answer is one of Karpenter's."""
        if isinstance(self.tamp, str):
            return [f"tamp: {self.tamp}"]
        if self.aspect != "every":
            mine = merged(self.tamp)
            for theirs in karpenter.alternatives[self.aspect]:
                if len(mine) == len(theirs) and all(catalogue.same(a, b) for a, b in zip(mine, theirs)):
                    return []
            seen = {"; ".join(map(str, theirs)) or "nothing" for theirs in karpenter.alternatives[self.aspect]}
            return [f"tamp:      {'; '.join(map(str, mine)) or 'nothing'}"] + [f"karpenter: {text}" for text in sorted(seen)]
        mine = {c.nodes[0]: c for c in self.tamp if c.method != "empty"}
        lines = []
        for node in sorted(set(mine) | set(karpenter.every)):
            ours, alternatives = mine.get(node), karpenter.every.get(node, [None])
            if any(ours is None and theirs is None or ours and theirs and catalogue.same(ours, theirs) for theirs in alternatives):
                continue
            lines.append(f"{node}: tamp {ours or 'nothing'}; karpenter {alternatives[0] or 'nothing'} {karpenter.reasons.get(node, '')}")
        return lines


def seeds_of(text):
    for part in text.split(","):
        first, _, last = part.partition("..")
        yield from range(int(first), int(last or first) + 1)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tamp", help="the program under test")
    parser.add_argument("--judge", required=True, help="the built karpenter-judge")
    parser.add_argument("--types", required=True, help="machine catalogue in the KWOK provider's format")
    parser.add_argument("--seeds", default="1..300", help="such as 1..300 or 3,17,40..50")
    parser.add_argument("--every", action=argparse.BooleanOptionalAction, default=True, help="also compare each node's own verdict")
    parser.add_argument("--repeat", type=int, default=40, help="how often to ask Karpenter again where the first answer differs")
    parser.add_argument("--keep", metavar="DIR", help="keep the snapshots of seeds that differ")
    parser.add_argument("--snapshots", nargs="*", metavar="FILE", help="judge these files instead of seeds")
    parser.add_argument("--spot-to-spot", action="store_true", help="with the gate SpotToSpotConsolidation")
    parser.add_argument("--preference-policy", choices=["Respect", "Ignore"])
    parser.add_argument("--odd", action="store_true", help="include what is not to be copied; see known_differences.md")
    parser.add_argument("--twists", action="store_true", help="change each cluster in ways that the generator does not draw")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    return parser.parse_args()


def write_snapshots(options, types, folder):
    """Path and cluster by seed or file name."""
    clusters = {}
    if options.snapshots:
        for path in options.snapshots:
            with open(path) as f:
                clusters[path] = (path, json.load(f))
        return clusters
    for seed in seeds_of(options.seeds):
        cluster = Generator(seed, types, odd=options.odd).cluster()
        if options.twists:
            Twister(seed, cluster).twist()
        path = os.path.join(folder, f"seed-{seed}.json")
        with open(path, "w") as f:
            json.dump(cluster, f)
        clusters[seed] = (path, cluster)
    return clusters


def without(cluster, nodes):
    """The cluster in which Karpenter, too, must leave these nodes alone."""
    cluster = copy.deepcopy(cluster)
    for item in cluster["items"]:
        if item["kind"] == "Node" and item["metadata"]["name"] in nodes:
            item["metadata"].setdefault("annotations", {})[DO_NOT_DISRUPT] = "true"
    return cluster


def accept(options, catalogue, folder, name, cluster, comparison, karpenter):
    """The class of known difference that explains this one, or None. Tamp must give the answer that Karpenter
    gives once the nodes in question are protected: an excuse covers these nodes and nothing else."""
    for reason, nodes in known.exempt(cluster, catalogue).items():
        if comparison.aspect == "every":
            rest = copy.copy(karpenter)
            rest.every = {n: a for n, a in karpenter.every.items() if n not in nodes}
            tame = Comparison("every", [c for c in comparison.tamp if c.nodes[0] not in nodes])
            if not isinstance(comparison.tamp, str) and not tame.differences(catalogue, rest):
                return reason
            continue
        path = os.path.join(folder, f"{str(name).replace('/', '_')}-protected.json")
        with open(path, "w") as f:
            json.dump(without(cluster, nodes), f)
        documents = ask_karpenter(options, [path], "-method", comparison.aspect, "-ties", "name,random", "-repeat", str(options.repeat))
        if not comparison.differences(catalogue, Answers().add_karpenter(documents[path])):
            return reason
    return None


def report_outcomes(answers):
    outcomes = collections.Counter()
    for a in answers.values():
        commands = a.alternatives["all"][0] if a.alternatives["all"] else []
        outcomes[f"{commands[0].method} {commands[0].decision}" if commands else "nothing"] += 1
    for outcome, n in outcomes.most_common():
        print(f"{n:5} {outcome}")


def main():
    options = read_options()
    with open(options.types) as f:
        types = json.load(f)
    catalogue = Catalogue(types)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(judge(options, types, catalogue, folder))


def judge(options, types, catalogue, folder):
    clusters = write_snapshots(options, types, folder)
    paths = {name: path for name, (path, _) in clusters.items()}
    aspects = [a for a in ASPECTS if a != "every" or options.every]
    methods = ",".join({"every": "single"}.get(a, a) for a in aspects)
    first = ask_karpenter(options, list(paths.values()), "-method", methods, "-every", "-ties", "name")
    answers = {name: Answers().add_karpenter(first[path]) for name, path in paths.items()}
    if not options.tamp:
        report_outcomes(answers)
        return 0

    comparisons = [(name, Comparison(aspect, ask_tamp(options, path, aspect))) for name, path in paths.items() for aspect in aspects]
    doubtful = sorted({paths[name] for name, c in comparisons if c.differences(catalogue, answers[name])})
    if doubtful:  # chance may have been on the other side: ask again, leaving ties to it
        # Many candidates can tie; a single node's verdict varies only with the zone that a new node is given.
        for again in (ask_karpenter(options, doubtful, "-method", "all,multi,empty", "-repeat", str(options.repeat)),
                      ask_karpenter(options, doubtful, "-method", "single", "-every", "-repeat", str(min(24, options.repeat)))):
            for name, path in paths.items():
                answers[name].add_karpenter(again.get(path, []))

    passed, failed, excused = 0, collections.Counter(), collections.Counter()
    wrong = set()
    for name, comparison in comparisons:
        lines = comparison.differences(catalogue, answers[name])
        if not lines:
            passed += 1
            continue
        reason = accept(options, catalogue, folder, name, clusters[name][1], comparison, answers[name])
        if reason:
            passed += 1
            excused[reason] += 1
            continue
        failed[comparison.aspect] += 1
        wrong.add(name)
        print(f"seed {name}, {comparison.aspect}:")
        for line in lines[:8] + answers[name].errors[:2]:
            print(f"    {line[:1000]}")
        if len(lines) > 8:
            print(f"    … and {len(lines) - 8} more")
        if comparison.aspect != "every":
            touched = sorted({n for c in comparison.tamp if not isinstance(comparison.tamp, str) for n in c.nodes})
            for node in touched[:12]:
                if answers[name].reasons.get(node):
                    print(f"    karpenter on {node}: {answers[name].reasons[node][:500]}")
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        for name in wrong:
            with open(os.path.join(options.keep, f"{os.path.basename(str(name))}.json"), "w") as f:
                json.dump(clusters[name][1], f)
    report_outcomes(answers)
    print(f"{len(clusters)} clusters, {len(wrong)} with a difference; by aspect: {dict(failed) or 'none'}; known differences: {dict(excused) or 'none'}")
    print(f"{passed} passed, {sum(failed.values())} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    main()
