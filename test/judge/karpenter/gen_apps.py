"""The workloads of a random cluster: what their pods have in common."""
from gen_base import ARCH, App, CAPACITY, CPU, FAMILY, HOST, OS, TEAM, ZONE, ZONES, selector


class AppMaker:
    """Part of the Generator."""

    SIZES = [(100, 128), (250, 256), (250, 512), (500, 1024), (500, 512), (1000, 2048), (1000, 1024), (1000, 4096), (2000, 4096), (1500, 1024), (3000, 6144)]

    def make_apps(self):
        return [self.make_app(i) for i in range(self.random.randint(4, 8 + self.size // 2))]

    def make_app(self, i):
        app = App(f"app-{i}", "prod" if self.often("namespaces") else "default")
        app.cpu, app.memory = self.random.choice(self.SIZES)
        app.memory *= 2**20
        app.labels["group"] = self.random.choice(["a", "b", "c"])
        affinity = {}
        terms = []
        if self.often("node selector"):
            app.spec["nodeSelector"] = self.random.choice([{ZONE: self.random.choice(ZONES)}, {ARCH: "amd64"}, {TEAM: self.random.choice(["red", "blue"])}, {CAPACITY: self.random.choice(self.capacity)},
                                                           {FAMILY: self.random.choice("csm")}])
        if self.often("node affinity"):
            terms.append([self.make_requirement() for _ in range(self.random.randint(1, 2))])
            if self.often("OR terms", .6):
                terms.append([self.make_requirement()])
        if terms:
            affinity.setdefault("nodeAffinity", {})["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": [{"matchExpressions": t} for t in terms]}
        picked = [{"key": k, "operator": "In", "values": [v]} for k, v in app.spec.get("nodeSelector", {}).items()]
        app.requirements = [t + picked for t in terms] or ([picked] if picked else [])
        if self.often("preferred node affinity"):
            affinity.setdefault("nodeAffinity", {})["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": self.random.choice([1, 50, 50, 100]), "preference": {"matchExpressions": [self.make_requirement()]}} for _ in range(self.random.randint(1, 2))]
        self.add_pod_affinity(app, affinity)
        if affinity:
            app.spec["affinity"] = affinity
        spreads = self.make_spreads(app)
        if spreads:
            app.spec["topologySpreadConstraints"] = spreads
        for color in ("red", "blue"):
            if "pool taints" in self.has and self.chance(.6):
                app.tolerations.append({"key": "dedicated", "operator": "Equal", "value": color, "effect": self.random.choice(["NoSchedule", "NoExecute", ""])})
        if self.rarely("tainted nodes"):
            app.tolerations.append({"operator": "Exists"})
        for t in app.tolerations:
            if not t.get("effect"):
                t.pop("effect", None)
        if app.tolerations:
            app.spec["tolerations"] = app.tolerations
        if self.often("host ports", .25):
            app.ports = [self.random.choice([8080, 9090, 9100])]
        if self.often("priorities"):
            app.spec["priority"] = self.random.choice([-1000, 0, 100, 1000000, 10**9, 2**25, -2**24, 2000000000])
        if self.often("deletion cost"):
            app.annotations["controller.kubernetes.io/pod-deletion-cost"] = str(self.random.choice([-2**26, -100, 0, 1000, 2**27, 2**30, "many"]))
            if self.odd and self.chance(.5):
                app.annotations["controller.kubernetes.io/pod-deletion-cost"] = str(-2**28)
        if self.often("ownerless", .2):
            app.owner = None
        elif self.chance(.15):
            app.owner = self.random.choice(["StatefulSet", "Job"])
        if self.often("volumes", .3):
            app.owner, app.claims = "StatefulSet", self.random.choice(["bound", "bound", "waiting", "local"])
        if self.often("extended resources", .3):
            app.extended = 1
        return app

    def make_requirement(self):
        """A node requirement that some nodes meet."""
        return self.random.choice([
            {"key": ZONE, "operator": "In", "values": self.some(ZONES, 2)},
            {"key": ZONE, "operator": "NotIn", "values": [self.random.choice(ZONES)]},
            {"key": CPU, "operator": "Gt", "values": [self.random.choice(["1", "2", "4"])]},
            {"key": CPU, "operator": "Lt", "values": [self.random.choice(["9", "17", "64"])]},
            {"key": FAMILY, "operator": "In", "values": self.some(["c", "s", "m"], 2)},
            {"key": CAPACITY, "operator": "Exists"},
            {"key": CAPACITY, "operator": "In", "values": self.some(self.capacity)},
            {"key": TEAM, "operator": "Exists"} if "pool labels" in self.has else {"key": ARCH, "operator": "Exists"},
            # On a key that other pods ask for, NotIn is a case that is not to be copied.
            {"key": TEAM if self.odd else "example.com/retired", "operator": "NotIn", "values": ["green"]},
            {"key": "example.com/retired", "operator": "DoesNotExist"},
            {"key": OS, "operator": "In", "values": ["linux"]},
        ])

    def add_pod_affinity(self, app, affinity):
        def term(key, match=None):
            t = {"labelSelector": match or self.random.choice([selector(app=app.name), selector(group=app.labels["group"])]), "topologyKey": key}
            if self.often("namespaces", .3):
                t.update(self.random.choice([{"namespaces": ["default", "prod"]}, {"namespaceSelector": {}}, {"namespaceSelector": selector(stage="prod")}]))
            return t
        required, preferred = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
        if self.often("pod anti-affinity", .25):
            if self.chance(.8):
                affinity["podAntiAffinity"] = {required: [term(HOST, selector(app=app.name))]}
                app.alone = True
            else:
                affinity["podAntiAffinity"] = {required: [term(self.random.choice([ZONE, HOST]))]}
        if self.often("pod affinity", .2):
            affinity["podAffinity"] = {required: [term(self.random.choice([ZONE, ZONE, HOST]))]}
        if self.often("preferred pod affinity", .25):
            kind = self.random.choice(["podAffinity", "podAntiAffinity"])
            affinity.setdefault(kind, {})[preferred] = [{"weight": self.random.choice([1, 10, 100]), "podAffinityTerm": term(self.random.choice([ZONE, HOST]))}
                                                        for _ in range(self.random.randint(1, 2))]

    def make_spreads(self, app):
        spreads = []
        for feature, key in (("zone spread", ZONE), ("host spread", HOST)):
            if not self.often(feature, .3):
                continue
            # A constraint that several apps share while they differ in what nodes they want, or in
            # minDomains, is a case that is not to be copied.
            shared = self.chance(.3) and (self.odd or not app.requirements)
            spread = {"maxSkew": self.random.choice([1, 1, 2, 5]), "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule",
                      "labelSelector": selector(group=app.labels["group"]) if shared else selector(app=app.name)}
            if self.often("ScheduleAnyway", .5):
                spread["whenUnsatisfiable"] = "ScheduleAnyway"
            elif self.often("spread policies", .4) and (self.odd or not shared):
                spread["minDomains"] = self.random.randint(1, 5)
            if self.often("spread policies", .5):
                spread["nodeTaintsPolicy"] = self.random.choice(["Honor", "Ignore"])
            if self.often("spread policies", .3) and (self.odd or not app.requirements):
                # Together with node affinity this is a case that is not to be copied.
                spread["nodeAffinityPolicy"] = self.random.choice(["Honor", "Ignore"])
            if self.often("spread policies", .3):
                spread["matchLabelKeys"] = ["pod-template-hash"]
                app.labels["pod-template-hash"] = "5d4f"
            spreads.append(spread)
        return spreads

    def put_owner(self, app):
        if app.owner == "ReplicaSet":
            self.put("apps/v1", "Deployment", app.name, app.namespace, spec={"selector": selector(app=app.name), "template": {"metadata": {"labels": app.labels}, "spec": {"containers": []}}})
            self.put("apps/v1", "ReplicaSet", app.name, app.namespace, spec={"selector": selector(app=app.name)})
        elif app.owner == "StatefulSet":
            self.put("apps/v1", "StatefulSet", app.name, app.namespace, spec={"serviceName": app.name, "selector": selector(app=app.name), "template": {"metadata": {"labels": app.labels}, "spec": {"containers": []}}})
