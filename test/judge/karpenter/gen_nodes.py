"""The nodes of a random cluster: healthy, odd and not quite there."""
import datetime

from gen_base import ARCH, CAPACITY, DO_NOT_DISRUPT, HOST, NOW, Node, OS, OVERHEAD_CPU, OVERHEAD_MEMORY, POOL, TIER, TYPE, ZONE, ZONES, ago, stamp


class NodeMaker:
    """Part of the Generator."""

    def make_nodes(self):
        nodes = []
        largest = self.random.choice([4000, 8000, 16000, 32000])
        for pool in self.pools:
            pool.machines = [c for c in pool.machines if c[0].cpu <= largest] or pool.machines
        preferred = {p.name: self.random.sample(p.machines, min(len(p.machines), self.random.randint(2, 10))) for p in self.pools}
        for _ in range(self.size):
            if self.rarely("unmanaged") or self.rarely("unmanaged"):
                nodes.append(self.put_unmanaged())
                continue
            pool = self.random.choice(self.pools)
            nodes.append(self.put_node(pool, *self.random.choice(preferred[pool.name])))
        if self.rarely("uninitialized"):
            pool = self.random.choice(self.pools)
            self.put_claim_in_flight(pool, *self.random.choice(preferred[pool.name]))
        return nodes

    def condition(self, kind, status="True", moment=None):
        return {"type": kind, "status": status, "reason": kind, "message": "", "lastTransitionTime": stamp(moment or ago(days=14))}

    def put_node(self, pool, machine, zone, capacity):
        name = self.unique("node")
        labels = {**machine.labels(), ZONE: zone, CAPACITY: capacity, POOL: pool.name, HOST: name, **pool.labels,
                  "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}
        tier = next((r for r in pool.requirements if r["key"] == TIER), None)
        if tier:
            labels[TIER] = self.random.choice(tier["values"])
        node = Node(name, labels, machine.cpu - OVERHEAD_CPU, machine.memory - OVERHEAD_MEMORY, machine.pods)
        node.taints = list(pool.taints)
        node.empty = self.often("empty nodes", .2)
        created = ago(days=self.random.randint(1, 12), seconds=self.random.randint(0, 86399))
        initialized = created + datetime.timedelta(seconds=self.random.randint(30, 300))
        startup, annotations, deletion = [], {}, {}
        ready, is_initialized = "True", True
        if self.rarely("unlabelled"):
            labels.pop(self.random.choice([CAPACITY, ZONE, TYPE]))
        if self.rarely("tainted nodes"):
            node.taints.append(self.random.choice([{"key": "maintenance", "effect": "NoSchedule"}, {"key": "noisy", "value": "yes", "effect": "PreferNoSchedule"}]))
        if self.rarely("cordoned"):
            node.taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
            node.cordoned = True
        if self.rarely("NotReady"):
            ready = self.random.choice(["False", "Unknown"])
            if self.chance(.8):
                node.taints.append({"key": "node.kubernetes.io/" + ("not-ready" if ready == "False" else "unreachable"), "effect": "NoSchedule"})
        if self.rarely("uninitialized"):
            is_initialized = False
            labels.pop("karpenter.sh/initialized")
            startup = [{"key": "example.com/agent-not-ready", "effect": "NoSchedule"}]
            node.taints += self.random.choice([startup, [], [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]])
        if self.rarely("node do-not-disrupt"):
            annotations[DO_NOT_DISRUPT] = self.random.choices(["true", "false", "1h"], [.7, .15, .15])[0]
        if self.rarely("deleting"):
            deletion = {"deletionTimestamp": stamp(ago(minutes=5)), "deletionGracePeriodSeconds": 0, "finalizers": ["karpenter.sh/termination"]}
            if self.chance(.7):
                node.taints.append({"key": "karpenter.sh/disrupted", "effect": "NoSchedule"})
        capacity_list = {k: str(v) for k, v in machine.resources.items()}
        allocatable = {**capacity_list, "cpu": f"{machine.cpu - OVERHEAD_CPU}m", "memory": str(machine.memory - OVERHEAD_MEMORY)}
        if self.often("extended resources", .3):
            labels["example.com/widgets"] = "yes"
            capacity_list["example.com/widget"] = allocatable["example.com/widget"] = "4"
        provider = f"kwok://{name}"
        spec = {"providerID": provider}
        if node.taints:
            spec["taints"] = node.taints
        if getattr(node, "cordoned", False):
            spec["unschedulable"] = True
        item = self.put("v1", "Node", name, created=created, labels=labels, annotations=annotations, spec=spec,
                        status={"capacity": capacity_list, "allocatable": allocatable, "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": stamp(initialized)}]})
        item["metadata"].update(deletion)
        claim = self.put("karpenter.sh/v1", "NodeClaim", self.unique(pool.name), created=created, labels=labels, annotations=annotations,
                         spec=self.claim_spec(pool, startup), status=self.claim_status(pool, provider, name, capacity_list, allocatable, initialized, is_initialized))
        claim["metadata"].update(deletion)
        return node

    def claim_spec(self, pool, startup=()):
        spec = {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}, "requirements": [], "expireAfter": pool.expire}
        if pool.taints:
            spec["taints"] = pool.taints
        if startup:
            spec["startupTaints"] = list(startup)
        return spec

    def claim_status(self, pool, provider, node, capacity, allocatable, initialized, is_initialized):
        conditions = [self.condition("Launched", moment=initialized), self.condition("Registered", moment=initialized)]
        status = {"providerID": provider, "capacity": capacity, "allocatable": allocatable, "conditions": conditions}
        if node:
            status["nodeName"] = node
        if not is_initialized:
            conditions.append(self.condition("Initialized", "Unknown", initialized))
            return status
        conditions += [self.condition("Initialized", moment=initialized), self.condition("Ready", moment=initialized)]
        last = initialized
        if "consolidateAfter" in self.has and self.chance(.7):
            last = ago(seconds=self.random.choice([5, 29, 30, 31, 200, 300, 301, 3599, 3600, 7200, 86400, 200000]))
            status["lastPodEventTime"] = stamp(last)
        window = {"0s": 0, "30s": 30, "5m": 300, "1h": 3600, "24h": 86400}.get(pool.after)
        if window is not None and (NOW - last).total_seconds() >= window:  # as the controller keeps it
            conditions.append(self.condition("Consolidatable", moment=last))
        return status

    def put_claim_in_flight(self, pool, machine, zone, capacity):
        """A NodeClaim that was launched and whose Node has not come yet."""
        name = self.unique(pool.name)
        capacity_list = {k: str(v) for k, v in machine.resources.items()}
        allocatable = {**capacity_list, "cpu": f"{machine.cpu - OVERHEAD_CPU}m", "memory": str(machine.memory - OVERHEAD_MEMORY)}
        self.put("karpenter.sh/v1", "NodeClaim", name, created=ago(minutes=1), labels={**machine.labels(), ZONE: zone, CAPACITY: capacity, POOL: pool.name, **pool.labels},
                 spec=self.claim_spec(pool), status=self.claim_status(pool, f"kwok://{name}", None, capacity_list, allocatable, ago(minutes=1), False))

    def put_unmanaged(self):
        name = self.unique("fixed")
        cpu, memory = self.random.choice([(2000, 8), (4000, 16), (8000, 32)])
        zone = self.random.choice(ZONES)
        labels = {HOST: name, ARCH: "amd64", OS: "linux", ZONE: zone, TYPE: "m5.large"}
        node = Node(name, labels, cpu, memory * 2**30, 110)
        node.managed, node.empty = False, False
        resources = {"cpu": f"{cpu}m", "memory": f"{memory}Gi", "pods": "110", "ephemeral-storage": "20Gi"}
        self.put("v1", "Node", name, labels=labels, spec={"providerID": f"fixed://{name}"},
                 status={"capacity": resources, "allocatable": resources, "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": stamp(ago(days=14))}]})
        return node
