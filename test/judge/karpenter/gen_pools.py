"""The pools of a random cluster: requirements, limits, disruption settings and budgets."""
from gen_base import ARCH, CAPACITY, CPU, FAMILY, OS, Pool, SIZE, TEAM, TIER, TYPE, ZONE, ZONES, satisfies


class PoolMaker:
    """Part of the Generator."""

    def make_pools(self):
        count = self.random.randint(2, 4) if "many pools" in self.has else 1
        names = self.random.sample(["alpha", "bravo", "charlie", "default", "general", "spare"], count)
        pools = [self.make_pool(name) for name in names]
        if "static pool" in self.has and len(pools) > 1:
            pools[0].static = True
        for pool in pools:
            self.put_pool(pool)
        return pools

    def make_pool(self, name):
        pool = Pool(name)
        arches = ["amd64"] if self.chance(.85) else ["amd64", "arm64"]
        requirements = [{"key": ARCH, "operator": "In", "values": arches}, {"key": OS, "operator": "In", "values": ["linux"]},
                        {"key": CAPACITY, "operator": "In", "values": self.capacity if self.chance(.8) else self.some(self.capacity)}]
        if self.often("open pool"):
            requirements = requirements[:2]  # says nothing of spot or on-demand
        if self.often("families"):
            requirements.append(self.random.choice([
                {"key": FAMILY, "operator": "In", "values": self.some(["c", "s", "m"], 2)}, {"key": FAMILY, "operator": "NotIn", "values": [self.random.choice("csm")]}]))
        if self.often("sizes"):
            requirements.append({"key": SIZE, "operator": "In", "values": self.some(["1", "2", "4", "8", "16", "32"], 4)})
        if self.often("cpu bounds", .6):
            requirements.append({"key": CPU, "operator": "Lt", "values": [self.random.choice(["9", "17", "33"])]})
            if self.chance(.5):
                requirements.append({"key": CPU, "operator": "Gt", "values": [self.random.choice(["0", "1", "3"])]})
        if self.often("pool zones", .6):
            requirements.append({"key": ZONE, "operator": "In", "values": self.some(ZONES, 2)})
        if self.often("minValues", .5):
            key = self.random.choice([TYPE, FAMILY, SIZE])
            same = next((r for r in requirements if r["key"] == key and r["operator"] == "In"), None)
            if same:
                same["minValues"] = min(len(same["values"]), self.random.randint(1, 3))
            else:
                requirements.append({"key": key, "operator": "Exists", "minValues": self.random.randint(1, 3 if key != TYPE else 8)})
        if self.often("pool labels", .6):
            pool.labels[TEAM] = self.random.choice(["red", "blue"])
            if self.chance(.3):
                requirements.append({"key": TIER, "operator": "In", "values": self.some(["web", "batch", "data"])})
        if self.often("pool taints", .5):
            pool.taints.append({"key": "dedicated", "value": self.random.choice(["red", "blue"]),
                                "effect": self.random.choices(["NoSchedule", "NoExecute", "PreferNoSchedule"], [.7, .15, .15])[0]})
        pool.requirements = requirements
        if self.often("consolidateAfter", .7):
            pool.after = self.random.choices(["30s", "5m", "1h", "24h", "Never"], [.2, .3, .25, .15, .1])[0]
        if "expireAfter" in self.has:
            pool.expire = self.random.choice(["Never", "720h", "400h", "300h"])
        pool.machines = self.choices_of(pool)
        return pool

    def choices_of(self, pool):
        """What nodes the pool could have launched; today's requirements may have been narrower or wider."""
        choices = []
        for machine in self.machines:
            if not 2000 <= machine.cpu <= 32000:
                continue
            for zone, capacity in sorted(machine.offers):
                labels = {**machine.labels(), ZONE: zone, CAPACITY: capacity, **pool.labels}
                concrete = [r for r in pool.requirements if r["key"] in labels]
                if satisfies(labels, concrete):
                    choices.append((machine, zone, capacity))
        if not choices:  # requirements that exclude each other: fall back to any Linux machine
            choices = [(m, z, c) for m in self.machines if 2000 <= m.cpu <= 32000 and m.os == "linux" for z, c in sorted(m.offers)]
        return choices

    def put_pool(self, pool):
        policy = "WhenEmptyOrUnderutilized"
        if self.often("WhenEmpty"):
            policy = "WhenEmpty"
        elif self.often("Balanced", .6):
            policy = "Balanced"
        template = {"spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                             "requirements": pool.requirements, "expireAfter": pool.expire}}
        if pool.labels:
            template["metadata"] = {"labels": pool.labels}
        if pool.taints:
            template["spec"]["taints"] = pool.taints
        pool.spec = {"template": template, "disruption": {"consolidationPolicy": policy, "consolidateAfter": pool.after,
                                                          "consolidationSavingsThreshold": 0, "budgets": self.make_budgets()}}
        if "weights" in self.has and not pool.static and self.chance(.7):
            pool.spec["weight"] = self.random.choice([1, 10, 10, 50, 100])
        if self.often("limits", .6) and not pool.static:
            pool.spec["limits"] = self.random.choice([{"cpu": str(self.random.choice([8, 32, 64, 128, 400]))}, {"memory": f"{self.random.choice([32, 128, 512])}Gi"},
                                                      {"nodes": str(self.random.randint(1, self.size))}, {"cpu": "200", "memory": "400Gi"}])
        if pool.static:
            pool.spec["replicas"] = self.random.randint(1, 5)
        self.put("karpenter.sh/v1", "NodePool", pool.name, spec=pool.spec,
                 status={"conditions": [self.condition(c) for c in ("ValidationSucceeded", "NodeClassReady", "Ready")]})

    def make_budgets(self):
        if "budgets" not in self.has or self.chance(.3):
            return [{"nodes": "100%"}]
        return [self.make_budget() for _ in range(self.random.randint(1, 3))]

    def make_budget(self):
        budget = {"nodes": self.random.choices(["100%", "50%", "30%", "10%", "1", "2", "5", "0"], [.2, .2, .15, .1, .1, .1, .1, .05])[0]}
        if self.chance(.3):
            budget["reasons"] = self.some(["Empty", "Underutilized", "Drifted"])
        if self.chance(.35):
            # NOW is a Sunday's midnight: open, closed, closing at this very second, opening at it; and
            # what the CRD lets through though it is no cron.
            budget["schedule"], budget["duration"] = self.random.choices(
                [("0 9 * * 1-5", "8h"), ("0 22 * * *", "4h"), ("@daily", "10m"), ("0 12 * * 6", "12h"), ("*/15 * * * *", "5m"), ("30 23 * * *", "30m"),
                 ("0 0 15 * *", "1h"), ("0 0 * * 7", "1h"), ("61 * * * *", "1h")], [.2, .15, .1, .1, .15, .1, .1, .05, .05])[0]
        return budget
