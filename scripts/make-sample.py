#!/usr/bin/env python3
"""Writes samples/cluster.json and samples/instance-types.json: a shop's cluster of some 30 nodes, with nodes that could
go and one that is kept by each common reason. Deterministic; run it after editing and commit what it wrote."""
import json
import pathlib

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
NOW = "2026-11-15T00:00:00Z"
OLD, RECENT, FRESH, JUST_NOW = "2026-11-10T08:00:00Z", "2026-11-14T23:50:00Z", "2026-11-14T23:57:00Z", "2026-11-14T23:59:30Z"
QUIET = "2026-11-14T18:00:00Z"  # last pod event of nodes that have settled
ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
NODE_CLASS = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}

# family -> ($/h of a .large on demand, GiB per .large, spot price as a share of on-demand in each zone)
FAMILIES = {
    "c6a": (0.0765, 4, (0.42, 0.39, 0.44)),
    "c8i": (0.0937, 4, (0.47, 0.45, 0.52)),
    "m6a": (0.0864, 8, (0.40, 0.37, 0.43)),
    "m7i-flex": (0.0958, 8, (0.41, 0.40, 0.46)),
    "m8i": (0.1058, 8, (0.48, 0.46, 0.50)),
    "r6a": (0.1134, 16, (0.38, 0.36, 0.41)),
    "r8i": (0.1389, 16, (0.45, 0.44, 0.49)),
}
SIZES = {"large": 1, "xlarge": 2, "2xlarge": 4, "4xlarge": 8}
PODS = {"large": 29, "xlarge": 58, "2xlarge": 58, "4xlarge": 234}


def instance_types():
    types = []
    for family, (price, memory, spot) in FAMILIES.items():
        for size, factor in SIZES.items():
            offerings = []
            for zone, share in zip(ZONES, spot):
                for capacity, p in (("on-demand", price * factor), ("spot", price * factor * share)):
                    offerings.append({"Price": round(p, 4), "Available": True, "Requirements": [
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": [capacity]},
                        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]})
            types.append({"name": f"{family}.{size}", "architecture": "amd64", "operatingSystems": ["linux"],
                          "resources": {"cpu": str(2 * factor), "memory": f"{memory * factor}Gi",
                                        "ephemeral-storage": "100Gi", "pods": str(PODS[size])},
                          "offerings": offerings})
    return types


class Cluster:
    def __init__(self):
        self.items = []
        self.replicas = {}  # (namespace, app) -> pods so far
        self.claims_of_pool = {}

    def add(self, api, kind, meta, **rest):
        self.items.append({"apiVersion": api, "kind": kind, "metadata": meta, **rest})

    def namespace(self, name):
        self.add("v1", "Namespace", {"name": name, "uid": f"ns-{name}", "labels": {"kubernetes.io/metadata.name": name}})

    def pool(self, name, capacity=("on-demand",), families=None, types=None, taint=None, labels=None, disruption=None,
             replicas=None):
        requirements = [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": list(capacity)}]
        types = types or [f"{f}.{s}" for f in families or FAMILIES for s in SIZES]
        requirements.append({"key": "node.kubernetes.io/instance-type", "operator": "In", "values": types})
        spec = {"nodeClassRef": NODE_CLASS, "expireAfter": "720h", "requirements": requirements}
        if taint:
            spec["taints"] = [{"key": "dedicated", "value": taint, "effect": "NoSchedule"}]
        block = {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "30s", "budgets": [{"nodes": "30%"}]}
        block.update(disruption or {})
        body = {"template": {"metadata": {"labels": labels or {}}, "spec": spec}, "disruption": block}
        if replicas is not None:
            body["replicas"] = replicas
        self.add("karpenter.sh/v1", "NodePool", {"name": name, "uid": f"pool-{name}", "creationTimestamp": OLD}, spec=body,
                 status={"conditions": [condition("Ready", OLD)]})

    def node(self, name, zone, kind, pool=None, capacity="on-demand", taint=None, labels=None, annotations=None,
             created=OLD, event=QUIET, initialized=True, group=None, settled=True):
        zone = f"us-east-1{zone}"
        family, size = kind.split(".")
        cpu, gib = 2000 * SIZES[size], FAMILIES[family][1] * SIZES[size]
        all_labels = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "kubernetes.io/hostname": name,
                      "node.kubernetes.io/instance-type": kind, "topology.kubernetes.io/region": "us-east-1",
                      "topology.kubernetes.io/zone": zone, **(labels or {})}
        if pool:
            all_labels |= {"karpenter.sh/nodepool": pool, "karpenter.sh/capacity-type": capacity, "karpenter.sh/registered": "true"}
            if initialized:
                all_labels["karpenter.sh/initialized"] = "true"
        if group:
            all_labels |= {"eks.amazonaws.com/nodegroup": group, "eks.amazonaws.com/capacityType": "ON_DEMAND"}
        provider = f"aws:///{zone}/i-{abs(hash_of(name)):017x}"
        resources = {"capacity": {"cpu": str(cpu // 1000), "memory": f"{gib * 1024}Mi", "pods": str(PODS[size]), "ephemeral-storage": "100Gi"},
                     "allocatable": {"cpu": f"{cpu - 80}m", "memory": f"{gib * 1024 - 900}Mi", "pods": str(PODS[size]),
                                     "ephemeral-storage": "90Gi"}}
        spec = {"providerID": provider}
        if taint:
            spec["taints"] = [{"key": "dedicated", "value": taint, "effect": "NoSchedule"}]
        self.add("v1", "Node", {"name": name, "uid": f"node-{name}", "creationTimestamp": created, "labels": all_labels,
                                "annotations": annotations or {}}, spec=spec,
                 status={**resources, "conditions": [condition("Ready", created)]})
        if pool:
            conditions = [condition(c, created) for c in ("Launched", "Registered")]
            if initialized:
                conditions.append(condition("Initialized", created))
                if settled:
                    conditions.append(condition("Consolidatable", event))
            self.add("karpenter.sh/v1", "NodeClaim",
                     {"name": f"{pool}-{name[8:]}", "uid": f"claim-{name}", "creationTimestamp": created, "labels": all_labels},
                     spec={"nodeClassRef": NODE_CLASS, "expireAfter": "720h", "requirements": []},
                     status={"providerID": provider, "nodeName": name, **resources, "conditions": conditions,
                             "lastPodEventTime": event})
        self.current, self.started = name, created
        if initialized:
            for daemon, (c, m) in DAEMONS.items():
                self.pod("kube-system", daemon, c, m, owner="DaemonSet", tolerations=[{"operator": "Exists"}])

    def pod(self, ns, app, cpu, memory, owner="ReplicaSet", n=1, annotations=None, taint=None, priority=0, volume=None,
            anti_affinity=False, selector=None, tolerations=None, name=None):
        for _ in range(n):
            index = self.replicas.get((ns, app), 0)
            self.replicas[ns, app] = index + 1
            middle = f"{revision(app)}-" if owner == "ReplicaSet" else ""
            generated = f"{app}-{index}" if owner == "StatefulSet" else f"{app}-{middle}{suffix(f'{ns}/{app}/{index}')}"
            meta = {"name": name or generated, "namespace": ns, "uid": f"pod-{ns}-{app}-{index}", "creationTimestamp": self.started,
                    "labels": {"app": app}}
            if annotations:
                meta["annotations"] = annotations
            if owner:
                owner_name = f"{app}-{revision(app)}" if owner == "ReplicaSet" else app
                meta["ownerReferences"] = [{"apiVersion": "batch/v1" if owner == "Job" else "apps/v1", "kind": owner,
                                            "name": owner_name, "uid": f"{owner.lower()}-{ns}-{app}", "controller": True}]
            spec = {"nodeName": self.current, "priority": priority, "containers": [
                {"name": app, "image": f"registry.example/{app}:1", "resources": {"requests": {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}}}]}
            tolerations_ = list(tolerations or [])
            if taint:
                tolerations_.append({"key": "dedicated", "operator": "Equal", "value": taint, "effect": "NoSchedule"})
            if tolerations_:
                spec["tolerations"] = tolerations_
            if selector:
                spec["nodeSelector"] = selector
            if anti_affinity:
                spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}]}}
            if volume:
                spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{app}-{index}"}}]
                self.volume(ns, f"data-{app}-{index}", volume)
            self.add("v1", "Pod", meta, spec=spec, status={"phase": "Running", "startTime": self.started, "conditions": [
                condition("PodScheduled", self.started), condition("Ready", self.started)]})

    def volume(self, ns, claim, node):
        """A local disk of one node."""
        self.add("v1", "PersistentVolume", {"name": f"local-{claim}", "uid": f"pv-{claim}"}, spec={
            "capacity": {"storage": "50Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local-nvme",
            "local": {"path": "/mnt/disks/0"}, "claimRef": {"namespace": ns, "name": claim, "uid": f"pvc-{claim}"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}}}, status={"phase": "Bound"})
        self.add("v1", "PersistentVolumeClaim", {"name": claim, "namespace": ns, "uid": f"pvc-{claim}",
                 "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, spec={
            "accessModes": ["ReadWriteOnce"], "storageClassName": "local-nvme", "volumeName": f"local-{claim}",
            "resources": {"requests": {"storage": "50Gi"}}}, status={"phase": "Bound"})

    def workloads(self):
        """The controllers of the pods, all of them ready."""
        seen = {}
        for item in list(self.items):
            if item["kind"] != "Pod" or "ownerReferences" not in item["metadata"]:
                continue
            meta, owner = item["metadata"], item["metadata"]["ownerReferences"][0]
            key = (owner["kind"], meta["namespace"], owner["name"])
            seen.setdefault(key, [0, meta["labels"]["app"], owner["uid"], item["spec"]])[0] += 1
        for (kind, ns, name), (n, app, uid, pod_spec) in seen.items():
            spec = {k: v for k, v in pod_spec.items() if k not in ("nodeName", "volumes", "priority")}
            template = {"metadata": {"labels": {"app": app}}, "spec": spec}
            meta = {"name": name, "namespace": ns, "uid": uid, "creationTimestamp": OLD}
            if kind == "DaemonSet":
                self.add("apps/v1", kind, meta, spec={"selector": {"matchLabels": {"app": app}}, "template": template},
                         status={"desiredNumberScheduled": n, "numberReady": n})
            elif kind == "Job":
                self.add("batch/v1", kind, meta, spec={"parallelism": n, "template": template}, status={"active": n})
            else:
                self.add("apps/v1", kind, meta, spec={"replicas": n, "selector": {"matchLabels": {"app": app}}, "template": template},
                         status={"replicas": n, "readyReplicas": n})


def hash_of(text):
    value = 14695981039346656037
    for byte in text.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return value % 2**60


def suffix(text, length=5):
    letters = "bcdfghjklmnpqrstvwxz2456789"
    value = hash_of(text)
    return "".join(letters[value // len(letters) ** i % len(letters)] for i in range(length))


def revision(app):
    return suffix(app, 6)


def condition(kind, since):
    return {"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": since}


DAEMONS = {"aws-node": (50, 64), "kube-proxy": (50, 48), "node-exporter": (20, 32)}
SPOT = {"karpenter.sh/capacity-type": "spot"}


def shop():
    c = Cluster()
    for ns in ("kube-system", "shop", "pay", "data", "ml", "ops", "web"):
        c.namespace(ns)
    c.add("storage.k8s.io/v1", "StorageClass", {"name": "local-nvme"}, provisioner="kubernetes.io/no-provisioner",
          volumeBindingMode="WaitForFirstConsumer")
    c.pool("general")
    c.pool("spot", capacity=("spot",), taint="spot")
    c.pool("batch", families=["c6a", "c8i"], disruption={"consolidateAfter": "30m"}, taint="batch")
    c.pool("databases", families=["r6a", "r8i"], disruption={"consolidationPolicy": "WhenEmpty"}, taint="databases")
    c.pool("kafka", types=["r6a.xlarge"], taint="kafka")
    c.pool("edge", families=["m6a", "m7i-flex", "m8i"], taint="edge")
    c.pool("gateway", types=["c8i.large"], taint="gateway", replicas=2)
    c.pool("payments", disruption={"budgets": [{"nodes": "1"}, {"nodes": "0", "schedule": "0 0 * * *", "duration": "24h"}]},
           taint="payments")
    c.pool("analytics", types=["r6a.large", "r6a.xlarge", "r8i.xlarge", "r8i.4xlarge"], taint="analytics")
    c.pool("web", families=["m6a", "m7i-flex", "m8i"], taint="web")

    # Half empty: bought for a sale that is over.
    c.node("ip-10-0-1-11", "a", "m6a.2xlarge", "general")
    c.pod("shop", "frontend", 250, 512, n=4)
    c.pod("shop", "cart", 500, 1024, n=2)
    c.node("ip-10-0-2-12", "b", "m6a.2xlarge", "general")
    c.pod("shop", "frontend", 250, 512, n=3)
    c.pod("shop", "catalog", 500, 1536, n=2)
    c.node("ip-10-0-3-13", "c", "m6a.2xlarge", "general")
    c.pod("shop", "cart", 500, 1024, n=3)
    c.pod("shop", "recommend", 750, 3072)
    c.node("ip-10-0-1-14", "a", "m8i.2xlarge", "general")
    c.pod("shop", "catalog", 500, 1536, n=2)
    c.pod("shop", "images", 1000, 2048)
    c.node("ip-10-0-2-15", "b", "m7i-flex.xlarge", "general")
    c.pod("shop", "images", 1000, 2048)
    c.pod("shop", "frontend", 250, 512)
    c.node("ip-10-0-3-16", "c", "m8i.2xlarge", "general")
    c.pod("shop", "search", 1000, 4096, n=2)
    c.pod("shop", "recommend", 750, 3072)
    # Expensive: somebody needed 128 GiB once.
    c.node("ip-10-0-2-20", "b", "r8i.4xlarge", "analytics", taint="analytics")
    c.pod("data", "reports", 1000, 4096, n=2, taint="analytics", selector={"karpenter.sh/nodepool": "analytics"})
    # Well used.
    for name, zone in (("ip-10-0-1-21", "a"), ("ip-10-0-2-22", "b"), ("ip-10-0-3-23", "c")):
        c.node(name, zone, "m8i.xlarge", "general")
        c.pod("shop", "search", 1000, 4096, n=2)
        c.pod("ops", "indexer", 1000, 3584)
        c.pod("shop", "frontend", 250, 512)
    # Kept by its pods.
    c.node("ip-10-0-3-30", "c", "m6a.2xlarge", "general")
    c.pod("shop", "checkout", 500, 1024, n=2)
    c.pod("shop", "frontend", 250, 512)
    c.add("policy/v1", "PodDisruptionBudget", {"name": "checkout", "namespace": "shop", "uid": "pdb-checkout"},
          spec={"minAvailable": 2, "selector": {"matchLabels": {"app": "checkout"}}},
          status={"currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 2, "disruptionsAllowed": 0})
    c.node("ip-10-0-1-31", "a", "m6a.xlarge", "general")
    c.pod("data", "etl-nightly", 1000, 4096, owner="Job", annotations={"karpenter.sh/do-not-disrupt": "true"})
    c.node("ip-10-0-2-32", "b", "m6a.xlarge", "general")
    c.pod("ml", "notebook", 500, 4096, owner=None, name="notebook-anna")
    c.node("ip-10-0-3-33", "c", "m6a.2xlarge", "general")
    c.pod("pay", "ledger", 1000, 4096, owner="StatefulSet", volume="ip-10-0-3-33")
    # Kept by itself.
    c.node("ip-10-0-1-34", "a", "m6a.xlarge", "general", annotations={"karpenter.sh/do-not-disrupt": "true"})
    c.pod("ops", "grafana", 250, 512)
    c.node("ip-10-0-2-35", "b", "m6a.large", "general", created=FRESH, event=FRESH)
    c.pod("shop", "frontend", 250, 512)
    c.node("ip-10-0-3-36", "c", "m6a.large", "general", created=JUST_NOW, event=JUST_NOW, initialized=False)
    # Spot.
    c.node("ip-10-0-1-40", "a", "m6a.xlarge", "spot", capacity="spot", taint="spot")
    c.pod("web", "crawler", 750, 1024, n=2, taint="spot", selector=SPOT)
    c.node("ip-10-0-2-41", "b", "m6a.2xlarge", "spot", capacity="spot", taint="spot")
    c.pod("web", "crawler", 750, 1024, n=6, taint="spot", selector=SPOT)
    c.node("ip-10-0-3-42", "c", "m8i.2xlarge", "spot", capacity="spot", taint="spot")
    c.pod("ml", "features", 1500, 5120, n=4, taint="spot", selector=SPOT)
    # Empty, and still waiting for the next batch.
    c.node("ip-10-0-1-50", "a", "c6a.2xlarge", "batch", taint="batch", event=RECENT, settled=False)
    c.node("ip-10-0-2-51", "b", "c6a.2xlarge", "batch", taint="batch", event=RECENT, settled=False)
    # Kept by the settings of their pools.
    c.node("ip-10-0-1-60", "a", "r8i.xlarge", "databases", taint="databases")
    c.pod("data", "postgres", 1000, 8192, owner="StatefulSet", taint="databases", priority=100000)
    for name, zone in (("ip-10-0-1-61", "a"), ("ip-10-0-2-62", "b"), ("ip-10-0-3-63", "c")):
        c.node(name, zone, "r6a.xlarge", "kafka", taint="kafka")
        c.pod("data", "kafka", 1500, 12288, owner="StatefulSet", taint="kafka", anti_affinity=True,
              selector={"karpenter.sh/nodepool": "kafka"})
    c.node("ip-10-0-1-64", "a", "m7i-flex.large", "edge", taint="edge")
    c.pod("web", "edge-proxy", 250, 768, n=5, taint="edge", selector={"karpenter.sh/nodepool": "edge"})
    for name, zone in (("ip-10-0-1-65", "a"), ("ip-10-0-2-66", "b")):
        c.node(name, zone, "c8i.large", "gateway", taint="gateway")
        c.pod("web", "gateway", 500, 512, taint="gateway")
    c.node("ip-10-0-2-67", "b", "m8i.2xlarge", "payments", taint="payments")
    c.pod("pay", "psp-adapter", 500, 1024, n=2, taint="payments")
    c.node("ip-10-0-3-68", "c", "m6a.xlarge", "web", taint="web", event=RECENT)
    c.pod("web", "landing", 250, 512, n=3, taint="web")
    # Somebody else's.
    c.node("ip-10-0-1-70", "a", "m6a.large", group="system", annotations={"cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"})
    c.pod("kube-system", "coredns", 100, 128, n=2)
    c.node("ip-10-0-2-71", "b", "m6a.large")
    c.pod("ops", "bastion", 100, 128)
    c.workloads()
    return c.items


def write(name, text):
    path = SAMPLES / name
    path.write_text(text, encoding="utf-8")
    print(f"{path.relative_to(SAMPLES.parent)}: {len(text) // 1024} KiB")


def main():
    lines = ",\n".join(json.dumps(item) for item in shop())
    write("cluster.json", '{"apiVersion": "v1", "kind": "List", "items": [\n' + lines + "\n]}\n")
    types = ",\n".join(json.dumps(t) for t in instance_types())
    write("instance-types.json", "[\n" + types + "\n]\n")


if __name__ == "__main__":
    main()
