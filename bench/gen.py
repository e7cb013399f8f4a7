#!/usr/bin/env python3
"""Writes a cluster snapshot (a JSON List) of N nodes with pods bound to them, for measuring consolidation engines.

    gen.py --types instance_types.json --nodes 1000 --fill 0.85 --mix diverse --seed 7 > cluster.json

The same arguments give the same cluster. "plain" pods have requests and nothing else; of "diverse" ones a
tenth spread over zones, a tenth are tied to their zone and a twentieth refuse to share a host.
"""
import argparse
import itertools
import json
import random
import re
import sys

CREATED, SETTLED = "2026-11-01T00:00:00Z", "2026-11-01T00:02:00Z"
ZONE = "topology.kubernetes.io/zone"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
NODE_CLASS = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
POD_SIZES = [(100, 128), (250, 256), (250, 512), (500, 1024), (500, 512), (1000, 2048), (1000, 1024), (2000, 4096)]  # millicores, MiB
MAX_PODS_PER_NODE = 100

SUFFIXES = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9}


def millicores(quantity):
    text = str(quantity)
    return int(text[:-1]) if text.endswith("m") else int(float(text) * 1000)


def byte_count(quantity):
    number, suffix = re.fullmatch(r"(\d+(?:\.\d+)?)(\D*)", str(quantity)).groups()
    return int(float(number) * SUFFIXES[suffix])


class MachineType:
    def __init__(self, entry):
        self.name = entry["name"]
        self.architecture = entry["architecture"]
        self.resources = {k: str(v) for k, v in entry["resources"].items()}
        self.cpu = millicores(entry["resources"]["cpu"])
        self.memory = byte_count(entry["resources"]["memory"])
        self.zones = {}  # capacity type -> zones
        for offering in entry["offerings"]:
            value = {r["key"]: r["values"][0] for r in offering["Requirements"]}
            self.zones.setdefault(value[CAPACITY_TYPE], set()).add(value[ZONE])


def read_types(path, min_cores, max_cores):
    """The amd64 (or, as catalogues of real machines say, x86_64) Linux machines of the sizes asked for, by name."""
    with open(path) as f:
        entries = [e for e in json.load(f) if e["architecture"] in ("amd64", "x86_64") and "linux" in e["operatingSystems"]]
    types = [MachineType(e) for e in entries]
    return sorted((t for t in types if min_cores * 1000 <= t.cpu <= max_cores * 1000), key=lambda t: t.name)


def condition(kind):
    return {"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": SETTLED}


def metadata(name, uid, **more):
    return {"name": name, "uid": uid, "creationTimestamp": CREATED, **more}


def node_pool(options, architecture):
    capacity_types = ["spot", "on-demand"] if options.spot > 0 else ["on-demand"]
    requirements = [("kubernetes.io/arch", [architecture]), ("kubernetes.io/os", ["linux"]), (CAPACITY_TYPE, capacity_types)]
    return {
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": metadata("default", "pool-default"),
        "spec": {
            "template": {"spec": {"nodeClassRef": NODE_CLASS, "expireAfter": "Never",
                                  "requirements": [{"key": key, "operator": "In", "values": values} for key, values in requirements]}},
            "disruption": {"consolidationPolicy": options.policy, "consolidateAfter": "0s", "consolidationSavingsThreshold": 0,
                           "budgets": [{"nodes": options.budget}]},
        },
        "status": {"conditions": [condition("Ready")]},
    }


def node_and_claim(name, machine, zone, capacity_type):
    labels = {"karpenter.sh/nodepool": "default", "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true",
              "node.kubernetes.io/instance-type": machine.name, ZONE: zone, CAPACITY_TYPE: capacity_type,
              "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": machine.architecture}
    provider_id = f"kwok://{name}"
    sizes = {"capacity": machine.resources, "allocatable": machine.resources}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": metadata(name, f"uid-{name}", labels=labels), "spec": {"providerID": provider_id},
            "status": {**sizes, "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": SETTLED}]}}
    claim = {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": metadata(name, f"uid-nc-{name}", labels=labels),
             "spec": {"expireAfter": "Never", "nodeClassRef": NODE_CLASS, "requirements": []},
             "status": {"providerID": provider_id, "nodeName": name, **sizes,
                        "conditions": [condition(c) for c in ("Launched", "Registered", "Initialized", "Consolidatable", "Ready")]}}
    return node, claim


def zone_spread(app, apps):
    # Wide enough that the pods of an app, thrown about at random, do not violate it.
    return {"topologySpreadConstraints": [{"maxSkew": 1 + apps, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
                                           "labelSelector": {"matchLabels": {"app": app}}}]}


def zone_affinity(zone):
    term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}}


def host_anti_affinity(app):
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def pod(number, app, node, cpu, memory, constraints):
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "uid": f"uid-{app}", "controller": True, "blockOwnerDeletion": True}
    requests = {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": metadata(f"pod-{number}", f"uid-pod-{number}", namespace="default", labels={"app": app}, ownerReferences=[owner]),
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}], **constraints},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}]}}


class Cluster:
    """Draws in a fixed order: what one argument changes must not shuffle the rest more than it has to."""

    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.types = read_types(options.types, options.min_cpu, options.max_cpu)
        self.apps = max(4, options.nodes)
        self.pods = 0
        self.items = [node_pool(options, self.types[0].architecture)]

    def build(self):
        for i in range(self.options.nodes):
            self.add_node(f"node-{i:05d}")
        return {"apiVersion": "v1", "kind": "List", "items": self.items}

    def add_node(self, name):
        machine = self.types[self.random.randrange(len(self.types))]
        capacity_type = "spot" if self.random.random() < self.options.spot else "on-demand"
        zone = self.random.choice(sorted(machine.zones[capacity_type]))
        self.items += node_and_claim(name, machine, zone, capacity_type)
        if self.random.random() < self.options.empty:
            return
        fill = min(0.95, max(0.05, self.random.gauss(self.options.fill, 0.2)))
        self.fill_node(name, zone, machine.cpu * fill, machine.memory * fill)

    def fill_node(self, node, zone, cpu_left, memory_left):
        """Adds pods until the next one drawn would not fit."""
        for count in itertools.count():
            cpu, memory = POD_SIZES[self.random.randrange(len(POD_SIZES))]
            cpu_left -= cpu
            memory_left -= memory * 2**20
            if cpu_left < 0 or memory_left < 0 or count >= MAX_PODS_PER_NODE:
                break
            self.add_pod(node, zone, cpu, memory)

    def add_pod(self, node, zone, cpu, memory):
        app = f"app-{self.random.randrange(self.apps)}"
        kind = self.random.random() if self.options.mix == "diverse" else 1.0
        constraints = {}
        if kind < 0.10:
            constraints = zone_spread(app, self.apps)
        elif kind < 0.20:
            constraints = zone_affinity(zone)
        elif kind < 0.25:
            app = f"solo-{self.pods % (self.apps * 3)}"
            constraints = host_anti_affinity(app)
        self.items.append(pod(self.pods, app, node, cpu, memory, constraints))
        self.pods += 1


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--types", required=True, help="machine catalogue in the KWOK provider's format")
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--fill", type=float, default=0.45, help="mean share of a node that is requested")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mix", choices=["plain", "diverse"], default="plain")
    parser.add_argument("--spot", type=float, default=0.0, help="share of spot nodes")
    parser.add_argument("--empty", type=float, default=0.0, help="share of empty nodes")
    parser.add_argument("--min-cpu", type=int, default=4, help="cores of the smallest machine")
    parser.add_argument("--max-cpu", type=int, default=32, help="cores of the largest machine")
    parser.add_argument("--budget", default="100%", help="the pool's disruption budget")
    parser.add_argument("--policy", default="WhenEmptyOrUnderutilized", help="the pool's consolidation policy")
    return parser.parse_args()


if __name__ == "__main__":
    json.dump(Cluster(read_options()).build(), sys.stdout)
