"""What every part of the generator uses: names, the things of a cluster, and draws from one seed."""
import datetime
import random
import re

NOW = datetime.datetime(2026, 11, 15, 0, 0, 0, tzinfo=datetime.timezone.utc)

POOL = "karpenter.sh/nodepool"
CAPACITY = "karpenter.sh/capacity-type"
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
ARCH = "kubernetes.io/arch"
OS = "kubernetes.io/os"
TYPE = "node.kubernetes.io/instance-type"
FAMILY = "karpenter.kwok.sh/instance-family"
SIZE = "karpenter.kwok.sh/instance-size"
CPU = "karpenter.kwok.sh/instance-cpu"
MEMORY = "karpenter.kwok.sh/instance-memory"
TEAM = "example.com/team"       # a label that pools may give their nodes
TIER = "example.com/tier"       # the other one

OVERHEAD_CPU, OVERHEAD_MEMORY = 100, 10 * 2**20
ZONES = ["test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"]


def quantity(text):
    """A Kubernetes quantity as a number."""
    number, suffix = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(text)).groups()
    scale = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
    return float(number) * scale[suffix]


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def ago(**distance):
    return NOW - datetime.timedelta(**distance)


def selector(**match):
    return {"matchLabels": {k: str(v) for k, v in match.items()}}


class Machine:
    """One type of the catalogue."""

    def __init__(self, entry):
        self.name = entry["name"]
        self.arch = entry["architecture"]
        self.os = entry["operatingSystems"][0]
        self.resources = entry["resources"]
        self.cpu = int(quantity(entry["resources"]["cpu"]) * 1000)
        self.memory = int(quantity(entry["resources"]["memory"]))
        self.pods = int(quantity(entry["resources"]["pods"]))
        self.offers = set()
        for offering in entry["offerings"]:
            is_in = {r["key"]: r["values"][0] for r in offering["Requirements"]}
            self.offers.add((is_in[ZONE], is_in[CAPACITY]))

    def labels(self):
        cpu = str(self.resources["cpu"])
        return {TYPE: self.name, ARCH: self.arch, OS: self.os, FAMILY: self.name.split("-")[0], SIZE: cpu, CPU: cpu,
                MEMORY: str(self.resources["memory"])}


def satisfies(labels, requirements):
    """Whether labels meet node selector requirements."""
    for r in requirements:
        value, values = labels.get(r["key"]), r.get("values", [])
        met = {"In": lambda: value in values, "NotIn": lambda: value not in values,
               "Exists": lambda: value is not None, "DoesNotExist": lambda: value is None,
               "Gt": lambda: value is not None and value.isdigit() and int(value) > int(values[0]),
               "Lt": lambda: value is not None and value.isdigit() and int(value) < int(values[0]),
               "Gte": lambda: value is not None and value.isdigit() and int(value) >= int(values[0]),
               "Lte": lambda: value is not None and value.isdigit() and int(value) <= int(values[0])}[r["operator"]]()
        if not met:
            return False
    return True


def tolerates(tolerations, taint):
    return any((not t.get("effect") or t["effect"] == taint["effect"]) and (not t.get("key") or t["key"] == taint["key"])
               and (t.get("operator") == "Exists" or t.get("value", "") == taint.get("value", "")) for t in tolerations)


class Pool:
    def __init__(self, name):
        self.name = name
        self.requirements = []
        self.labels = {}
        self.taints = []
        self.after = "0s"           # consolidateAfter
        self.expire = "Never"
        self.static = False
        self.machines = []          # (machine, zone, capacity type) that its nodes may be
        self.spec = {}


class Node:
    def __init__(self, name, labels, cpu, memory, pods):
        self.name, self.labels = name, labels
        self.free_cpu, self.free_memory, self.free_pods = cpu, memory, pods
        self.taints = []
        self.ports = set()
        self.apps = []              # one entry for each pod on it
        self.attachable = 1000      # volumes
        self.managed = True


class App:
    """A workload: what its pods have in common."""

    def __init__(self, name, namespace):
        self.name, self.namespace = name, namespace
        self.labels = {"app": name}
        self.cpu, self.memory = 250, 256
        self.spec = {}
        self.annotations = {}
        self.requirements = []      # any of these requirement lists, if not empty
        self.tolerations = []
        self.ports = []
        self.alone = False          # one pod a host
        self.owner = "ReplicaSet"
        self.claims = None          # volume kind
        self.extended = 0

    def attaches(self):
        """Whether its volumes count against a node's attach limit."""
        return self.claims in ("bound", "waiting")

    def fits(self, node):
        if self.cpu > node.free_cpu or self.memory > node.free_memory or node.free_pods < 1:
            return False
        if any(t["effect"] != "PreferNoSchedule" and not tolerates(self.tolerations, t) for t in node.taints):
            return False
        if self.requirements and not any(satisfies(node.labels, term) for term in self.requirements):
            return False
        if self.extended and not node.labels.get("example.com/widgets"):
            return False
        if self.attaches() and node.attachable < 1:
            return False
        return not (self.alone and self.name in node.apps) and not node.ports & set(self.ports)


class Draws:
    """One stream of chance, the features drawn from it, and the objects written so far."""

    def __init__(self, seed, features, odd):
        self.random = random.Random(f"tamp-{seed}")
        self.odd = odd
        self.items = []
        self.serial = 0
        profile = self.random.choices(["plain", "light", "mixed"], [.15, .45, .4])[0]
        likely = {"plain": 0.0, "light": 0.25, "mixed": 1.0}[profile]
        self.has = {f for f, p in features.items() if self.random.random() < p * likely}

    def chance(self, p):
        return self.random.random() < p

    def rarely(self, feature):
        return feature in self.has and self.chance(self.rare)

    def often(self, feature, p=.35):
        return feature in self.has and self.chance(p)

    def uid(self):
        return f"{self.random.getrandbits(64):016x}"

    def unique(self, prefix):
        self.serial += 1
        return f"{prefix}-{self.random.getrandbits(20):05x}{self.serial}"

    def some(self, values, least=1):
        values = list(values)
        return sorted(self.random.sample(values, self.random.randint(min(least, len(values)), len(values))))

    def put(self, api, kind, name, namespace=None, created=None, labels=None, annotations=None, **fields):
        metadata = {"name": name, "uid": self.uid(), "creationTimestamp": stamp(created or ago(days=20))}
        if namespace:
            metadata["namespace"] = namespace
        if labels:
            metadata["labels"] = labels
        if annotations:
            metadata["annotations"] = annotations
        item = {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}
        self.items.append(item)
        return item
