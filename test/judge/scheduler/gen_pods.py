"""Pods: replicas of random workloads, bound and pending, with every rule."""
import copy

import gen_affinity
import gen_resources
from gen_base import Dice, POD_LABELS, meta

NAMESPACES = ["default", "team-a", "team-b", "team-c"]
OWNERS = {"ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "Job": "batch/v1"}


class Pods:
    def __init__(self, d: Dice, nodes, storage):
        self.d = d
        self.nodes = nodes
        self.storage = storage
        self.room = gen_resources.Room(nodes)
        self.pods = []
        self.owners = []
        # Each cluster has its themes. A rule that most pods have decides more
        # than one that is drowned by the others, and few names make the pods
        # of different workloads meet.
        rules = ["selector", "tolerations", "ports", "spread", "spread", "affinity", "volumes", "big", "odd"]
        themes = d.some(rules, 1, 3)
        self.emphasis = {rule: 3.0 if rule in themes else d.pick([0.1, 0.3, 0.8]) for rule in sorted(set(rules))}
        self.namespaces = d.some(NAMESPACES, 1, 3)
        self.labels = {key: d.some(values, 1, len(values)) for key, values in POD_LABELS.items()}

    def rule(self, name, p):
        return self.d.chance(min(0.9, p * self.emphasis[name]))

    def objects(self):
        return self.owners + self.pods

    def fill(self, count):
        d = self.d
        while len(self.pods) < count:
            kind = d.weighted({"workload": 88, "daemon": 3, "mirror": 3, "bare": 6})
            if kind == "daemon":
                self.add_daemons()
            elif kind == "mirror":
                self.add_mirror()
            else:
                self.add_replicas(1 if kind == "bare" else d.between(1, 6), owned=kind != "bare")

    # -- workloads ---------------------------------------------------------

    def add_replicas(self, replicas, owned):
        d = self.d
        namespace = d.pick(self.namespaces)
        labels = {key: d.pick(values) for key, values in self.labels.items() if d.chance(0.85)}
        name = f"{labels.get('app', 'misc')}-{d.next()}"
        spec = self.make_spec(labels)
        owner = None
        if owned:
            kind = d.pick(sorted(OWNERS))
            owner = {"apiVersion": OWNERS[kind], "kind": kind, "name": name, "uid": f"uid-{namespace}-{name}", "controller": True}
            if kind != "Job":
                self.owners.append({
                    "apiVersion": OWNERS[kind], "kind": kind, "metadata": meta(name, namespace, labels),
                    "spec": {"replicas": replicas, "selector": {"matchLabels": labels or {"none": "none"}},
                             "template": {"metadata": {"labels": labels}, "spec": {"containers": []}}}})
        for i in range(replicas):
            pod = self.make_pod(f"{name}-{i}", namespace, labels, copy.deepcopy(spec), owner)
            self.storage.give_volumes(pod, self.rule("volumes", 0.25))
            self.place(pod)

    def add_daemons(self):
        """A DaemonSet's pods carry their node's name as an affinity."""
        d = self.d
        name = f"agent-{d.next()}"
        owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": name, "uid": f"uid-default-{name}", "controller": True}
        for node in d.some(self.nodes, 1, 4):
            node_name = node["metadata"]["name"]
            spec = {
                "containers": [{"name": "main", "image": "agent", "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}}],
                "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node_name]}]}]}}},
                "tolerations": [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in (
                    "node.kubernetes.io/unschedulable", "node.kubernetes.io/disk-pressure")],
            }
            pod = self.make_pod(f"{name}-{node_name}", "default", {"app": "agent"}, spec, owner)
            self.bind(pod, node_name)

    def add_mirror(self):
        node_name = self.d.pick(self.nodes)["metadata"]["name"]
        owner = {"apiVersion": "v1", "kind": "Node", "name": node_name, "uid": f"uid-cluster-{node_name}", "controller": True}
        spec = {"containers": [{"name": "main", "image": "proxy", "resources": {"requests": {"cpu": "100m"}}}],
                "hostNetwork": True, "tolerations": [{"operator": "Exists", "effect": "NoExecute"}]}
        pod = self.make_pod(f"proxy-{self.d.next()}-{node_name}", "team-c", {"tier": "node"}, spec, owner)
        pod["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
        self.bind(pod, node_name)

    def make_pod(self, name, namespace, labels, spec, owner):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, namespace, labels), "spec": spec,
               "status": {"phase": "Pending"}}
        if owner:
            pod["metadata"]["ownerReferences"] = [owner]
        return pod

    # -- where it runs -----------------------------------------------------

    def place(self, pod):
        d = self.d
        if d.chance(0.25) or pod["metadata"]["uid"] in self.storage.stuck:
            if d.chance(0.1):
                pod["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
            if d.chance(0.15):
                pod["status"]["nominatedNodeName"] = d.pick(self.nodes)["metadata"]["name"]
            self.pods.append(pod)
            return
        names = [n["metadata"]["name"] for n in self.nodes]
        d.shuffle(names)
        # Now and then a node is overcommitted.
        fitting = names if d.chance(0.1) else [n for n in names if self.room.fits(n, pod)]
        if not fitting:
            self.pods.append(pod)
            return
        self.bind(pod, fitting[0])

    def bind(self, pod, node_name):
        d = self.d
        pod["spec"]["nodeName"] = node_name
        pod["status"]["phase"] = "Running"
        if d.chance(0.05):
            pod["status"]["phase"] = d.pick(["Succeeded", "Failed"])
        elif d.chance(0.06):
            pod["metadata"]["deletionTimestamp"] = "2026-01-01T01:00:00Z"
            pod["metadata"]["deletionGracePeriodSeconds"] = 30
        if self.rule("odd", 0.2):
            gen_resources.resize(d, pod)
        if pod["status"]["phase"] == "Running":
            self.room.take(node_name, pod)
        self.pods.append(pod)

    # -- what it wants -----------------------------------------------------

    def make_spec(self, labels):
        d = self.d
        spec = gen_resources.make_containers(d, self.rule("big", 0.06), self.rule("odd", 0.25))
        if self.rule("selector", 0.08):
            spec["nodeSelector"] = dict(d.some([
                ("disk", "ssd"), ("disk", "hdd"), ("kubernetes.io/arch", "amd64"), ("topology.kubernetes.io/zone", "z1"),
                ("rack", "r1"), ("rack", "")], 1, 2))
        affinity = {}
        if self.rule("selector", 0.12):
            affinity["nodeAffinity"] = gen_affinity.node_affinity(d, [n["metadata"]["name"] for n in self.nodes])
        if self.rule("affinity", 0.15):
            affinity["podAffinity"] = gen_affinity.pod_affinity(d, labels)
        if self.rule("affinity", 0.15):
            affinity["podAntiAffinity"] = gen_affinity.pod_affinity(d, labels)
        if affinity:
            spec["affinity"] = affinity
        if self.rule("spread", 0.35):
            spec["topologySpreadConstraints"] = gen_affinity.spread_constraints(d, labels)
            if d.chance(0.35):
                # Which nodes count is a question only to a pod that may not go to all.
                spec.setdefault("nodeSelector", {})["disk"] = "ssd"
        if self.rule("tolerations", 0.5):
            spec["tolerations"] = make_tolerations(d)
        if self.rule("ports", 0.2):
            add_ports(d, spec)
        if d.chance(0.2):
            spec["priority"] = d.pick([0, 1000, 1000000])
        return spec


def make_tolerations(d: Dice):
    tolerations = []
    for _ in range(d.between(1, 3)):
        # Gt and Lt exist in the API, but their feature gate is off by default:
        # they tolerate nothing.
        operator = d.weighted({"Exists": 40, "Equal": 30, "": 10, "Gt": 3, "Lt": 3})
        toleration = {}
        if operator:
            toleration["operator"] = operator
        if operator != "Exists" or d.chance(0.75):
            toleration["key"] = d.pick(["dedicated", "gpu", "level", "node.kubernetes.io/unschedulable"])
        if operator in ("Equal", "") and d.chance(0.8):
            toleration["value"] = d.pick(["", "a", "b", "5"])
        if operator in ("Gt", "Lt"):
            toleration.update(key="level", value=d.pick(["3", "9"]))
        if d.chance(0.5):
            toleration["effect"] = d.pick(["NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"])
            if toleration["effect"] == "NoExecute" and d.chance(0.5):
                toleration["tolerationSeconds"] = 300
        tolerations.append(toleration)
    return tolerations


def add_ports(d: Dice, spec):
    """Host ports: only those of containers and of sidecars count."""
    containers = spec["containers"] + spec.get("initContainers", [])
    for container in d.some(containers, 1, 2):
        ports = []
        for _ in range(d.between(1, 2)):
            port = {"containerPort": d.pick([80, 8080])}
            if d.chance(0.85):
                port["hostPort"] = d.pick([8080, 8080, 9090])
            if d.chance(0.9):
                port["protocol"] = d.weighted({"TCP": 8, "UDP": 3, "SCTP": 1})
            if d.chance(0.7):
                port["hostIP"] = d.pick(["0.0.0.0", "10.0.0.1", "10.0.0.1", "10.0.0.2", "::"])
            ports.append(port)
        container["ports"] = ports
    if d.chance(0.1):
        # The API server would have written hostPort = containerPort.
        spec["hostNetwork"] = True
