"""Clusters for judging preemption: the generator's own, crowded, with priorities, start times and budgets that leave little."""
import collections
import random

import gen

PRIORITIES = [-5, 0, 10, 10, 100, 1000]


def make_cluster(seed, node_range, pod_range):
    cluster = gen.make_cluster(seed, node_range, pod_range)
    rng = random.Random(f"preemption-{seed}")
    items = [o for o in cluster["items"] if o["kind"] not in ("PodDisruptionBudget", "PriorityClass")]
    for o in items:
        if o["kind"] == "Node":
            crowd(rng, o)
        if o["kind"] == "Pod":
            urge(rng, o)
    start_the_many([o for o in items if o["kind"] == "Pod"])
    items += [budget(rng, n) for n in range(rng.randint(0, 4))]
    cluster["items"] = items
    return cluster


def crowd(rng, node):
    """Less room than its pods have, on many nodes: whoever comes must push somebody out."""
    if rng.random() < 0.7:
        for part in ("allocatable", "capacity"):
            if "cpu" in node["status"].get(part, {}):
                node["status"][part]["cpu"] = str(rng.choice([1, 2, 3]))
    if rng.random() < 0.3:
        for part in ("allocatable", "capacity"):
            if "pods" in node["status"].get(part, {}):
                node["status"][part]["pods"] = str(rng.randint(2, 5))


def urge(rng, pod):
    # Promises are no part of the question: the judge knows of none.
    pod.get("status", {}).pop("nominatedNodeName", None)
    pod["spec"]["priority"] = rng.choice(PRIORITIES)
    if not pod["spec"].get("nodeName"):
        pod["spec"]["priority"] = rng.choice([0, 100, 2000, 2000, 5000])
    elif rng.random() < 0.9:
        start(pod)


def start(pod):
    """Seconds that differ: of pods alike in all else the younger goes, and equal ones would leave it to chance."""
    second = hash_second(pod)
    pod.setdefault("status", {})["startTime"] = f"2026-01-0{1 + second // 86400}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"


def start_the_many(pods):
    """Of two pods that have not started, kube-scheduler calls each more important than the other. Up to 12 pods of a node its sort makes
    an order of that which can be followed; beyond, what comes out is an accident of Go's library. There all have started."""
    crowds = collections.Counter(pod["spec"].get("nodeName") for pod in pods)
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node and crowds[node] > 12 and "startTime" not in pod.get("status", {}):
            start(pod)


def hash_second(pod):
    return random.Random(pod["metadata"]["uid"]).randrange(8 * 86400)


def budget(rng, number):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": f"budget-{number}", "namespace": rng.choice(["default", "team-a", "team-b", "team-c"]), "uid": f"uid-budget-{number}",
                         "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": rng.choice(["web", "db", "cache"])}}},
            "status": {"disruptionsAllowed": rng.choice([0, 0, 1, 2]), "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}}
