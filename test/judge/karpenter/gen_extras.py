"""What surrounds the pods of a random cluster: daemons, volumes and disruption budgets."""
from gen_base import App, CAPACITY, CPU, FAMILY, HOST, OS, ZONE, ZONES, selector


class ExtrasMaker:
    """Part of the Generator."""

    def make_daemonsets(self):
        daemons = []
        for i in range(self.random.randint(1, 3)):
            app = App(f"daemon-{i}", "default")
            app.cpu, app.memory = self.random.choice([(50, 64), (100, 128), (200, 256)])
            app.memory *= 2**20
            app.owner = "DaemonSet"
            app.tolerations = [{"operator": "Exists"}] if self.chance(.6) else []
            if app.tolerations:
                app.spec["tolerations"] = app.tolerations
            if self.chance(.25):
                app.spec["nodeSelector"] = self.random.choice([{OS: "linux"}, {FAMILY: "c"}, {CAPACITY: "spot"}])
                app.requirements = [[{"key": k, "operator": "In", "values": [v]} for k, v in app.spec["nodeSelector"].items()]]
            elif self.chance(.25):
                requirement = {"key": CPU, "operator": "Gt", "values": ["2"]}
                app.spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}}
                app.requirements = [[requirement]]
            if self.often("host ports", .3):
                app.ports = [9100]
            template = {"metadata": {"labels": app.labels}, "spec": self.pod_of(app, None)}
            self.put("apps/v1", "DaemonSet", app.name, app.namespace, spec={"selector": selector(app=app.name), "template": template})["metadata"]["uid"] = f"uid-default-{app.name}"
            daemons.append(app)
        return daemons

    def place_daemons(self, node):
        for app in self.daemons:
            if app.fits(node) and self.chance(.9):
                self.put_pod(app, node)

    def make_storage(self):
        self.put("storage.k8s.io/v1", "StorageClass", "zonal", provisioner="csi.example.com", volumeBindingMode="WaitForFirstConsumer",
                 allowedTopologies=[{"matchLabelExpressions": [{"key": ZONE, "values": self.some(ZONES, 2)}]}])
        self.put("storage.k8s.io/v1", "StorageClass", "anywhere", provisioner="csi.example.com", volumeBindingMode="WaitForFirstConsumer")
        for node in self.nodes:
            if self.chance(.5):
                limit = self.random.choice([1, 2, 8, 25])
                node.attachable = limit + self.chance(.1)  # now and then one too many
                driver = {"name": "csi.example.com", "nodeID": node.name, "topologyKeys": [ZONE], "allocatable": {"count": limit}}
                self.put("storage.k8s.io/v1", "CSINode", node.name, spec={"drivers": [driver]})

    def add_volume(self, app, pod, spec, node):
        claim = f"data-{pod}"
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}, {"name": "tmp", "emptyDir": {}}]
        claim_spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": self.random.choice(["zonal", "anywhere"])}
        if app.claims == "waiting" or not node:
            self.put("v1", "PersistentVolumeClaim", claim, app.namespace, spec=claim_spec, status={"phase": "Pending"})
            return
        volume = f"pv-{pod}"
        claim_spec["volumeName"] = volume
        self.put("v1", "PersistentVolumeClaim", claim, app.namespace, annotations={"pv.kubernetes.io/bind-completed": "yes"}, spec=claim_spec, status={"phase": "Bound"})
        source = {"csi": {"driver": "csi.example.com", "volumeHandle": volume}}
        expressions = [{"key": ZONE, "operator": "In", "values": [node.labels[ZONE]]}] if ZONE in node.labels else []
        if app.claims == "local":
            source = {"local": {"path": "/data"}}
            expressions = [{"key": HOST, "operator": "In", "values": [node.name]}]
        pv_spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": claim_spec["storageClassName"],
                   "claimRef": {"kind": "PersistentVolumeClaim", "namespace": app.namespace, "name": claim}, **source}
        if expressions:
            pv_spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}
        self.put("v1", "PersistentVolume", volume, spec=pv_spec, status={"phase": "Bound"})

    def make_budgets_for_pods(self):
        for app in self.apps:
            if not self.chance(.25):
                continue
            for copy in range(2 if self.chance(.1) else 1):  # two on one pod block it
                allowed = self.random.choices([0, 1, 3], [.15, .6, .25])[0]
                rule = self.random.choice([{"maxUnavailable": 1}, {"maxUnavailable": "25%"}, {"minAvailable": 1}, {"minAvailable": "50%"}])
                if allowed == 0 and self.chance(.5):
                    rule = self.random.choice([{"maxUnavailable": 0}, {"maxUnavailable": "0%"}, {"minAvailable": "100%"}])
                if self.odd and self.chance(.3):
                    rule = {"maxUnavailable": 0}
                spec = {**rule, "selector": selector(app=app.name)}
                if self.chance(.3):
                    spec["unhealthyPodEvictionPolicy"] = self.random.choice(["AlwaysAllow", "IfHealthyBudget"])
                self.put("policy/v1", "PodDisruptionBudget", f"{app.name}-{copy}", app.namespace, spec=spec,
                         status={"disruptionsAllowed": allowed, "currentHealthy": 4, "desiredHealthy": 4 - allowed, "expectedPods": 4})
