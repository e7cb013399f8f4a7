"""The fleets of "Automated node consolidation under an SLO guard", as kubectl prints them, and what their agents measured.

    fleets.py NAME DIRECTORY    writes NAME.cluster.json, NAME.observe.json and types.json
"""
import json
import pathlib
import sys

NOW = "2026-11-15T00:00:00Z"
CREATED = "2026-11-01T00:00:00Z"
GI = 1 << 30
MI = 1 << 20


def node(name, cores):
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
              "node.kubernetes.io/instance-type": f"e2-standard-{cores}", "topology.kubernetes.io/zone": "z1",
              "karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": "on-demand",
              "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}
    room = {"cpu": str(cores), "memory": f"{cores * 4}Gi", "pods": "110"}
    condition = [{"type": t, "status": "True", "lastTransitionTime": CREATED} for t in ("Ready",)]
    claim = [{"type": t, "status": "True", "lastTransitionTime": CREATED} for t in ("Launched", "Registered", "Initialized", "Consolidatable")]
    return [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": f"node-{name}", "labels": labels, "creationTimestamp": CREATED},
         "spec": {"providerID": f"test:///{name}"}, "status": {"capacity": room, "allocatable": room, "conditions": condition}},
        {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
         "metadata": {"name": f"claim-{name}", "uid": f"claim-{name}", "labels": labels, "creationTimestamp": CREATED}, "spec": {},
         "status": {"nodeName": name, "providerID": f"test:///{name}", "capacity": room, "allocatable": room, "conditions": claim,
                    "lastPodEventTime": CREATED}}]


def pod(name, on, cpu=0, memory=256, priority=0, app=None, anti_affinity=None):
    requests = {"memory": f"{memory}Mi"}
    if cpu:
        requests["cpu"] = f"{cpu}m"
    spec = {"nodeName": on, "priority": priority, "containers": [{"name": "main", "resources": {"requests": requests}}]}
    if anti_affinity:
        term = {"labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": [app, "memcached"]}]}, "topologyKey": "kubernetes.io/hostname"}
        spec["affinity"] = {"podAntiAffinity": {
            "required": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
            "preferred": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}]}}[anti_affinity]}
    owner = app or name
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "bench", "uid": f"pod-{name}", "labels": {"app": owner}, "creationTimestamp": CREATED,
                         "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": f"rs-{owner}", "controller": True}]},
            "spec": spec,
            "status": {"phase": "Running", "startTime": CREATED, "conditions": [{"type": "Ready", "status": "True"}]}}


POOL = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default", "uid": "pool"},
        "spec": {"disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "30s", "budgets": [{"nodes": "1"}]},
                 "template": {"spec": {"requirements": []}}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]}}


def slo():
    """Three machines of 4 vCPU: a latency-critical primary, its load generator, filler and background."""
    pods = [pod("memcached", "a", 1000, 2048, 1000000), pod("memtier", "b", 500, 512, 100000),
            pod("filler-0", "a", 400, 512, app="filler"), pod("filler-1", "b", 400, 512, app="filler"),
            pod("filler-2", "c", 200, 256, app="filler"), pod("filler-3", "c", 200, 256, app="filler")]
    return 4, pods + [pod(f"background-{n}", n, 0, 128, -1000, app="background") for n in "abc"]


def two_cores():
    """The same idea on machines of 2 vCPU: three Critical pods would share one, which offers a single whole core."""
    return 2, [pod("memcached-0", "a", 300, 256, 1000000, app="memcached"), pod("memcached-1", "a", 300, 256, 1000000, app="memcached"),
               pod("memcached-2", "b", 300, 256, 1000000, app="memcached"), pod("memcached-3", "b", 300, 256, 1000000, app="memcached"),
               pod("memcached-4", "c", 200, 256, 1000000, app="memcached")]


def clients(anti_affinity):
    """The aborted run: clients keep away from each other and from the cache, which then finds no node without pushing one out."""
    return 4, [pod("client-0", "a", 500, 512, 100000, app="client", anti_affinity=anti_affinity),
               pod("client-1", "b", 500, 512, 100000, app="client", anti_affinity=anti_affinity),
               pod("filler-0", "c", 400, 512, app="filler"), pod("memcached", "c", 1000, 1024, 1000000)]


FLEETS = {"slo": slo, "two-cores": two_cores, "anti-affinity": lambda: clients("required"),
          "relaxed": lambda: clients("preferred")}


def cluster(name):
    cores, pods = FLEETS[name]()
    return {"apiVersion": "v1", "kind": "List", "items": [o for n in "abc" for o in node(n, cores)] + [POOL] + pods}


def windows(value):
    return {"10s": value, "60s": value, "300s": value}


def observe(name):
    """Everybody is calm and uses half of the request; Background takes whole cores."""
    cores, pods = FLEETS[name]()
    documents = []
    for n in "abc":
        here = []
        for p in (p for p in pods if p["spec"]["nodeName"] == n):
            requests = p["spec"]["containers"][0]["resources"]["requests"]
            background = p["spec"]["priority"] < -100
            usage = cores if background else int(requests["cpu"][:-1]) / 2000
            pressure = 0.78 if background else 0.0
            here.append({"namespace": "bench", "name": p["metadata"]["name"], "uid": p["metadata"]["uid"],
                         "tier": "Background" if background else "Normal", "samples": 300, "ageSeconds": 0.5,
                         "cpu": {"usageCores": windows(usage), "usageCoresMax": {"5m": usage, "1h": None, "24h": None},
                                 "throttledShare": windows(0.0),
                                 "pressure": {"some": windows(pressure), "full": windows(0.0), "corrected": windows(pressure)}},
                         "memory": {"workingSetBytes": int(requests["memory"][:-2]) * MI // 2, "limitBytes": None,
                                    "pressure": {"some": windows(0.0), "full": windows(0.0)}},
                         "io": {"pressure": {"some": windows(0.0), "full": windows(0.0)}}})
        documents.append({"node": n, "at": NOW, "bootId": f"boot-{n}", "machine": {"cores": cores, "memoryBytes": cores * 4 * GI},
                          "agent": {"version": "0.1.0", "cpuSeconds": 1.0, "rssBytes": 4 * MI}, "tiers": [], "pods": here})
    return documents


def instance_types():
    """A machine catalogue, as Karpenter's KWOK provider has it."""
    offering = lambda price: {"Price": price, "Available": True, "Requirements": [
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["z1"]}]}
    return [{"name": f"e2-standard-{cores}", "architecture": "amd64", "operatingSystems": ["linux"],
             "resources": {"cpu": str(cores), "memory": f"{cores * 4}Gi", "pods": "110", "ephemeral-storage": "20Gi"},
             "offerings": [offering(0.134)]} for cores in (2, 4)]


if __name__ == "__main__":
    directory = pathlib.Path(sys.argv[2])
    (directory / f"{sys.argv[1]}.cluster.json").write_text(json.dumps(cluster(sys.argv[1]), indent=1))
    (directory / "types.json").write_text(json.dumps(instance_types(), indent=1))
    (directory / f"{sys.argv[1]}.observe.json").write_text(json.dumps(observe(sys.argv[1]), indent=1))
