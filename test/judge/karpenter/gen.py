#!/usr/bin/env python3
"""Writes a small random cluster (a JSON List) on which two consolidation engines can be compared.

    gen.py --types instance_types.json --seed 7 > cluster.json

One seed, one cluster. Each seed draws which features its cluster has, so that some clusters are plain,
some have one or two peculiarities and some have nearly all of them. What was drawn is printed on
standard error with --describe. With --odd, clusters also contain the few situations in which Karpenter
is knowingly not to be copied (see known_differences.md).
"""
import argparse
import json
import sys

from gen_apps import AppMaker
from gen_base import Draws, Machine
from gen_extras import ExtrasMaker
from gen_nodes import NodeMaker
from gen_pods import PodMaker
from gen_pools import PoolMaker

# Every feature and how likely a mixed cluster has it.
FEATURES = {
    # pools
    "many pools": .5, "weights": .5, "pool taints": .35, "pool labels": .5, "families": .3, "sizes": .25,
    "cpu bounds": .35, "pool zones": .3, "minValues": .2, "limits": .25, "open pool": .15, "static pool": .12,
    # disruption settings
    "WhenEmpty": .12, "Balanced": .3, "consolidateAfter": .3, "budgets": .35, "expireAfter": .4,
    # nodes
    "empty nodes": .25, "node do-not-disrupt": .25, "NotReady": .2, "deleting": .2, "uninitialized": .15,
    "unmanaged": .25, "cordoned": .25, "tainted nodes": .2, "unlabelled": .05,
    # pods
    "node selector": .4, "node affinity": .4, "OR terms": .2, "preferred node affinity": .25, "zone spread": .4,
    "host spread": .35, "ScheduleAnyway": .25, "spread policies": .2, "pod affinity": .25, "pod anti-affinity": .4,
    "preferred pod affinity": .2, "namespaces": .3, "host ports": .25, "volumes": .3, "priorities": .3,
    "deletion cost": .3, "pod do-not-disrupt": .25, "ownerless": .25, "terminating": .2, "terminal": .25,
    "daemonsets": .45, "pending": .3, "containers": .3, "extended resources": .12, "PDBs": .4,
}


class Generator(Draws, PoolMaker, NodeMaker, AppMaker, PodMaker, ExtrasMaker):
    """All parts together. The parts share what is set here: the pools, nodes, daemons and apps made so far."""

    def __init__(self, seed, types, nodes=None, odd=False):
        super().__init__(seed, FEATURES, odd)
        self.machines = [Machine(t) for t in types]
        self.size = nodes or self.random.choices([self.random.randint(3, 12), self.random.randint(13, 30), self.random.randint(31, 60)], [.5, .35, .15])[0]
        # A peculiarity that blocks is rare within its cluster, or nothing would ever be decided.
        self.rare = self.random.choice([.03, .06, .12])
        # Tight clusters with a few idle nodes are where replacing pays; loose ones are where deleting does.
        self.fill = self.random.choices([.35, .6, .85, .95, 1], [.1, .15, .2, .25, .3])[0]
        self.idle = self.random.choice([0, .06, .12, .3])
        self.capacity = self.random.choices([["on-demand"], ["spot"], ["spot", "on-demand"]], [.4, .2, .4])[0]

    def cluster(self):
        for name in ("default", "prod"):
            self.put("v1", "Namespace", name, labels={"kubernetes.io/metadata.name": name, "stage": name}, status={"phase": "Active"})
        self.pools = self.make_pools()
        self.nodes = self.make_nodes()
        self.daemons = self.make_daemonsets() if "daemonsets" in self.has else []
        if "volumes" in self.has:
            self.make_storage()
        self.apps = self.make_apps()
        self.place()
        if "pending" in self.has:
            self.make_pending()
        if "PDBs" in self.has:
            self.make_budgets_for_pods()
        for app in self.apps:
            self.put_owner(app)
        self.random.shuffle(self.items)
        return {"apiVersion": "v1", "kind": "List", "items": self.items}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--types", required=True, help="machine catalogue in the KWOK provider's format")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--nodes", type=int, help="instead of the size that the seed draws")
    parser.add_argument("--odd", action="store_true", help="include what is not to be copied from Karpenter")
    parser.add_argument("--describe", action="store_true", help="print the features drawn on standard error")
    options = parser.parse_args()
    with open(options.types) as f:
        generator = Generator(options.seed, json.load(f), options.nodes, options.odd)
    json.dump(generator.cluster(), sys.stdout)
    if options.describe:
        print(f"seed {options.seed}: {generator.size} nodes, {', '.join(sorted(generator.has)) or 'plain'}", file=sys.stderr)


if __name__ == "__main__":
    main()
