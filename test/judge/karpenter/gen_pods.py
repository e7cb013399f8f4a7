"""The pods of a random cluster: bound, pending and on their way out."""
import datetime
import json

from gen_base import DO_NOT_DISRUPT, ago, stamp


class PodMaker:
    """Part of the Generator."""

    def place(self):
        for node in self.nodes:
            self.place_daemons(node)
            if getattr(node, "empty", False):
                continue
            fill = self.random.uniform(.05, .4) if self.chance(self.idle) else min(1, max(.05, self.random.gauss(self.fill, .08)))
            keep_cpu, keep_memory = node.free_cpu * (1 - fill), node.free_memory * (1 - fill)
            tries = 120
            while tries > 0 and len(node.apps) < 24:
                tries -= 1
                app = self.random.choice(self.apps)
                if app.fits(node) and node.free_cpu - app.cpu >= keep_cpu and node.free_memory - app.memory >= keep_memory:
                    self.put_pod(app, node)
            if not node.apps:  # only the nodes drawn to be empty should be
                app = min((a for a in self.apps if a.fits(node)), key=lambda a: a.cpu, default=None)
                if app:
                    self.put_pod(app, node)

    def pod_of(self, app, node):
        requests = {"cpu": f"{app.cpu}m", "memory": str(app.memory)}
        if self.chance(.5):
            requests["memory"] = f"{app.memory // 2**20}Mi"
        if app.extended:
            requests["example.com/widget"] = "1"
        container = {"name": "main", "image": "registry.example/app:1", "resources": {"requests": requests}}
        if app.ports:
            container["ports"] = [{"containerPort": p, "hostPort": p, "protocol": "TCP"} for p in app.ports]
        spec = {**json.loads(json.dumps(app.spec)), "containers": [container], "schedulerName": "default-scheduler"}
        if self.often("containers", .3):
            self.split_containers(app, spec)
        if node:
            spec["nodeName"] = node.name
        return spec

    def split_containers(self, app, spec):
        """The same need said in another way: init containers, sidecars, overhead, pod-level resources."""
        way = self.random.choice(["init", "sidecar", "two", "overhead", "pod", "none"])
        main = spec["containers"][0]["resources"]["requests"]
        half = {"cpu": f"{app.cpu // 2}m", "memory": str(app.memory // 2)}
        if way == "init":
            spec["initContainers"] = [{"name": "init", "image": "i", "resources": {"requests": {"cpu": f"{app.cpu}m", "memory": str(app.memory)}}}]
            main.update(half)
        elif way == "sidecar":
            spec["initContainers"] = [{"name": "mesh", "image": "i", "restartPolicy": "Always", "resources": {"requests": half}}]
            main.update(half)
        elif way == "two":
            main.update(half)
            spec["containers"].append({"name": "other", "image": "i", "resources": {"requests": half}})
        elif way == "overhead":
            spec["overhead"] = half
            main.update(half)
        elif way == "pod":
            spec["resources"] = {"requests": {"cpu": f"{app.cpu}m", "memory": str(app.memory)}}
            main.update(half)
        else:
            main.pop("memory")

    def put_pod(self, app, node, pending=False):
        name = self.unique(app.name)
        created = ago(days=self.random.randint(0, 9), seconds=self.random.choice([0, 60, 3600, 7200]))
        annotations = dict(app.annotations)
        started = created + datetime.timedelta(seconds=10)
        if self.rarely("pod do-not-disrupt"):
            annotations[DO_NOT_DISRUPT] = self.random.choices(["true", "1h", "720h", "0s", "false", "soon"], [.4, .15, .15, .1, .1, .1])[0]
        spec = self.pod_of(app, node)
        ready = "False" if self.chance(.04) else "True"
        status = {"phase": "Running", "startTime": stamp(started), "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": ready}]}
        item = self.put("v1", "Pod", name, app.namespace, created, dict(app.labels), annotations, spec=spec, status=status)
        if app.owner:
            api = "batch/v1" if app.owner == "Job" else "apps/v1"
            item["metadata"]["ownerReferences"] = [{"apiVersion": api, "kind": app.owner, "name": app.name, "uid": f"uid-{app.namespace}-{app.name}", "controller": True, "blockOwnerDeletion": True}]
        if app.claims:
            self.add_volume(app, name, spec, node)
        if pending:
            return item
        if self.rarely("terminal"):
            status["phase"] = self.random.choice(["Succeeded", "Failed"])
            return item  # holds nothing any more
        if self.rarely("terminating"):
            item["metadata"].update({"deletionTimestamp": stamp(ago(seconds=10)), "deletionGracePeriodSeconds": 30})
        elif self.chance(.02):
            status["phase"] = "Pending"  # bound, its containers not started
        node.free_cpu -= app.cpu
        node.free_memory -= app.memory
        node.free_pods -= 1
        node.attachable -= app.attaches()
        node.apps.append(app.name)
        node.ports |= set(app.ports)
        return item

    def make_pending(self):
        for _ in range(self.random.randint(1, 4)):
            app = self.random.choice(self.apps)
            item = self.put_pod(app, None, pending=True)
            item["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0 nodes are available"}]}
            kind = self.random.random()
            if kind < .25:  # fits nowhere
                item["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1000"
            elif kind < .4:  # the scheduler has not looked at it yet
                item["status"]["conditions"] = []
            elif kind < .5:  # about to take the place of another
                item["status"]["nominatedNodeName"] = self.random.choice(self.nodes).name
            elif kind < .6:
                item["spec"]["nodeSelector"] = {"example.com/absent": "yes"}
