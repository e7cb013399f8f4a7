"""Twists: changes to a finished random cluster, of kinds that its makers do not draw.

The makers draw an app first and then its pods, and take care that everything fits. A twist takes the objects as
they are and changes some, so that labels, constraints and states meet in ways that nobody thought of.
"""
import copy
import random

from gen_base import ARCH, CAPACITY, CPU, FAMILY, HOST, OS, POOL, SIZE, TEAM, TYPE, ZONE, ZONES, ago, quantity, selector, stamp

RACK = "example.com/rack"  # a label that only nodes have
REQUIRED, PREFERRED = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"


class Twister:
    """Changes one cluster. Every method named twist_… is one kind of change."""

    def __init__(self, seed, cluster):
        self.random = random.Random(f"twist-{seed}")
        self.cluster = cluster
        self.pods = [p for p in self.of("Pod") if not self.is_daemon(p)]
        self.apps = sorted({p["metadata"]["labels"]["app"] for p in self.pods})

    def twist(self):
        kinds = sorted(name for name in dir(self) if name.startswith("twist_"))
        drawn = self.random.sample(kinds, self.random.choice([1, 1, 2, 3, 4, 6]))
        for name in drawn:
            getattr(self, name)()
        return drawn

    # --- what twists are made of

    def of(self, kind):
        return [i for i in self.cluster["items"] if i["kind"] == kind]

    @staticmethod
    def is_daemon(pod):
        return any(o["kind"] == "DaemonSet" for o in pod["metadata"].get("ownerReferences", []))

    def chance(self, p):
        return self.random.random() < p

    def some(self, things, share):
        return [t for t in things if self.chance(share)]

    def pods_of_some_apps(self, share=.3):
        """Lists of pods; each list is an app."""
        chosen = self.some(self.apps, share) or ([self.random.choice(self.apps)] if self.apps else [])
        return [(a, [p for p in self.pods if p["metadata"]["labels"]["app"] == a]) for a in chosen]

    @staticmethod
    def free(pod):
        """Wants no particular nodes: with these, what counts where is beyond doubt."""
        return not pod["spec"].get("nodeSelector") and "nodeAffinity" not in pod["spec"].get("affinity", {})

    def a_selector(self, app):
        group = self.random.choice("abc")
        return self.random.choice([
            selector(app=app), selector(app=self.random.choice(self.apps)), selector(group=group),
            {"matchExpressions": [{"key": "app", "operator": "In", "values": sorted({app, self.random.choice(self.apps)})}]},
            {"matchExpressions": [{"key": "group", "operator": "NotIn", "values": [group]}]},
            {"matchExpressions": [{"key": "pod-template-hash", "operator": "Exists"}]},
            {"matchExpressions": [{"key": "group", "operator": "In", "values": [group]}, {"key": "app", "operator": "NotIn", "values": [app]}]}, {}])

    def a_key(self):
        return self.random.choice([ZONE, HOST, ZONE, HOST, CAPACITY, FAMILY, RACK, POOL, TYPE, ARCH])

    # --- pods

    def twist_spread(self):
        for app, pods in self.pods_of_some_apps():
            key, skew = self.a_key(), self.random.choice([1, 1, 2, 3, 7])
            spread = {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": self.random.choice(["DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"]),
                      "labelSelector": selector(app=app)}
            for p in filter(self.free, pods):
                p["spec"].setdefault("topologySpreadConstraints", []).append(copy.deepcopy(spread))

    def twist_pod_affinity(self):
        for app, pods in self.pods_of_some_apps(.2):
            kind, key = self.random.choice(["podAffinity", "podAntiAffinity"]), self.a_key()
            term = {"topologyKey": key, "labelSelector": self.a_selector(app)}
            for p in pods:
                p["spec"].setdefault("affinity", {}).setdefault(kind, {}).setdefault(REQUIRED, []).append(copy.deepcopy(term))

    def twist_preferred_pod_affinity(self):
        for app, pods in self.pods_of_some_apps():
            terms = [{"weight": self.random.choice([1, 5, 50, 100]), "podAffinityTerm": {"topologyKey": self.a_key(), "labelSelector": self.a_selector(app)}}
                     for _ in range(self.random.randint(1, 3))]
            kind = self.random.choice(["podAffinity", "podAntiAffinity"])
            for p in pods:
                p["spec"].setdefault("affinity", {}).setdefault(kind, {}).setdefault(PREFERRED, []).extend(copy.deepcopy(terms))

    def twist_node_affinity(self):
        for _, pods in self.pods_of_some_apps(.2):
            if any(p["spec"].get("topologySpreadConstraints") for p in pods):
                continue
            node = self.random.choice(self.of("Node"))["metadata"]
            terms = [{"matchExpressions": [self.random.choice([
                {"key": CPU, "operator": "Gt", "values": ["3"]}, {"key": CPU, "operator": "Lt", "values": ["9"]}, {"key": SIZE, "operator": "In", "values": ["2", "4", "8"]},
                {"key": TYPE, "operator": "In", "values": sorted({n["metadata"]["labels"].get(TYPE, "m5.large") for n in self.of("Node")})[:4]},
                {"key": RACK, "operator": "Exists"}, {"key": RACK, "operator": "In", "values": ["r1", "r2"]}, {"key": "example.com/unheard", "operator": "DoesNotExist"},
                {"key": HOST, "operator": "In", "values": [node["name"]]}, {"key": POOL, "operator": "Exists"}, {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                {"key": "failure-domain.beta.kubernetes.io/zone", "operator": "In", "values": ZONES[:3]}])]} for _ in range(self.random.randint(1, 3))]
            required = self.chance(.6)
            for p in pods:
                affinity = p["spec"].setdefault("affinity", {}).setdefault("nodeAffinity", {})
                if required and REQUIRED not in affinity:
                    affinity[REQUIRED] = {"nodeSelectorTerms": copy.deepcopy(terms)}
                else:
                    affinity.setdefault(PREFERRED, []).extend({"weight": 10 * (i + 1), "preference": copy.deepcopy(t)} for i, t in enumerate(terms))

    def twist_node_selector(self):
        for _, pods in self.pods_of_some_apps(.15):
            if any(p["spec"].get("topologySpreadConstraints") for p in pods):
                continue
            want = self.random.choice([{POOL: self.random.choice(self.of("NodePool"))["metadata"]["name"]}, {"beta.kubernetes.io/os": "linux"}, {RACK: "r1"},
                                       {"failure-domain.beta.kubernetes.io/zone": ZONES[0]}, {OS: "linux", ARCH: "amd64"}])
            for p in pods:
                p["spec"].setdefault("nodeSelector", {}).update(want)

    def twist_host_ports(self):
        for _, pods in self.pods_of_some_apps(.2):
            port = {"containerPort": 80, "hostPort": self.random.choice([8080, 53]), "protocol": self.random.choice(["TCP", "UDP"])}
            if self.chance(.5):
                port["hostIP"] = self.random.choice(["10.0.0.1", "0.0.0.0", "127.0.0.1"])
            for p in pods:
                p["spec"]["containers"][0].setdefault("ports", []).append(dict(port))

    def twist_tolerations(self):
        for _, pods in self.pods_of_some_apps():
            t = self.random.choice([{"key": "karpenter.sh/disrupted", "operator": "Exists"}, {"operator": "Exists", "effect": "NoSchedule"}, {"key": "dedicated", "value": "red"},
                                    {"key": "dedicated", "operator": "Exists"}, {"key": "maintenance", "operator": "Exists", "effect": "PreferNoSchedule"},
                                    {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}])
            for p in pods:
                p["spec"].setdefault("tolerations", []).append(dict(t))

    def twist_requests(self):
        for _, pods in self.pods_of_some_apps():
            change = self.random.choice([{"ephemeral-storage": "1Gi"}, {"ephemeral-storage": "15Gi"}, {"cpu": "0"}, {"cpu": "1m", "memory": "1"}, {"cpu": "3500m"}, {"memory": "7Gi"},
                                         {"example.com/absent": "0"}, {"cpu": "1e-1", "memory": "128M"}])
            for p in pods:
                p["spec"]["containers"][0].setdefault("resources", {}).setdefault("requests", {}).update(change)

    def twist_nothing_requested(self):
        for _, pods in self.pods_of_some_apps(.2):
            for p in pods:
                resources = p["spec"]["containers"][0].setdefault("resources", {})
                resources.pop("requests", None)

    def twist_same_age(self):
        for p in self.of("Pod"):
            p["metadata"]["creationTimestamp"] = stamp(ago(days=3))

    def twist_owners(self):
        for p in self.some(self.pods, .1):
            kind, api = self.random.choice([("Node", "v1"), ("ReplicationController", "v1"), ("Workflow", "example.com/v1"), ("ReplicaSet", "apps/v1")])
            p["metadata"]["ownerReferences"] = [{"apiVersion": api, "kind": kind, "name": "x", "uid": "x", "controller": self.chance(.7)}]

    def twist_states(self):
        for p in self.some(self.pods, .1):
            way = self.random.randrange(5)
            if way == 0:
                p["metadata"].update({"deletionTimestamp": stamp(ago(minutes=self.random.choice([0, 1, 600]))), "deletionGracePeriodSeconds": 30})
            elif way == 1:
                p["status"]["phase"] = self.random.choice(["Unknown", "Pending", "Succeeded", "Failed"])
            elif way == 2:
                p["status"].pop("startTime", None)
            elif way == 3:
                p["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
            else:
                p["metadata"].setdefault("annotations", {})["karpenter.sh/do-not-disrupt"] = self.random.choice(["True", "", "-1h", "1h30m", "1d", "99999h"])

    def twist_pending(self):
        for p in self.some(self.pods, .08):
            extra = copy.deepcopy(p)
            extra["metadata"].update({"name": p["metadata"]["name"] + "-more", "uid": p["metadata"]["uid"] + "-more"})
            extra["spec"].pop("nodeName", None)
            extra["spec"].pop("volumes", None)
            extra["metadata"].pop("deletionTimestamp", None)
            extra["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}
            way = self.random.randrange(4)
            if way == 0:
                extra["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
                extra["status"]["conditions"][0]["reason"] = "SchedulingGated"
            elif way == 1:
                extra["spec"]["priority"] = self.random.choice([-100, 1000])
            elif way == 2:
                extra["spec"]["schedulerName"] = "another-scheduler"
            self.cluster["items"].append(extra)

    # --- nodes

    def twist_racks(self):
        for n in self.some(self.of("Node"), .8):
            n["metadata"]["labels"][RACK] = self.random.choice(["r1", "r2", "r3"])

    def twist_capacity(self):
        for n in self.some(self.of("Node"), .4):
            allocatable = n["status"]["allocatable"]
            way = self.random.randrange(4)
            if way == 0:
                n["status"]["allocatable"] = copy.deepcopy(n["status"]["capacity"])
            elif way == 1:
                allocatable["memory"] = str(int(quantity(allocatable["memory"]) * .8))
            elif way == 2:
                allocatable["pods"] = str(self.random.choice([3, 8, 12]))
            else:
                allocatable["cpu"] = f"{int(quantity(allocatable['cpu']) * 900)}m"

    def twist_host_names(self):
        """The label need not be the node's name."""
        for n in self.some(self.of("Node"), .5):
            n["metadata"]["labels"][HOST] = n["metadata"]["name"] + ".internal"

    def twist_node_taints(self):
        for n in self.some(self.of("Node"), .15):
            n["spec"].setdefault("taints", []).append(self.random.choice([
                {"key": "dedicated", "value": "red", "effect": "NoExecute"}, {"key": "dedicated", "effect": "NoSchedule"}, {"key": "soft", "effect": "PreferNoSchedule"},
                {"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"}, {"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"},
                {"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]))

    def twist_claims(self):
        for c in self.some(self.of("NodeClaim"), .15):
            way = self.random.randrange(4)
            conditions = c["status"]["conditions"]
            if way == 0:
                c["status"]["conditions"] = [x for x in conditions if x["type"] != "Consolidatable"]
            elif way == 1:
                for x in conditions:
                    if x["type"] == "Consolidatable":
                        x["status"] = self.random.choice(["False", "Unknown"])
            elif way == 2:
                c["metadata"].update({"deletionTimestamp": stamp(ago(minutes=1)), "finalizers": ["karpenter.sh/termination"]})
            else:
                conditions.append({"type": "Drifted", "status": "True", "reason": "Drifted", "lastTransitionTime": stamp(ago(hours=1))})

    def twist_no_namespaces(self):
        self.cluster["items"][:] = [i for i in self.cluster["items"] if i["kind"] != "Namespace"]

    # --- pools, daemons, budgets

    def twist_pools(self):
        for p in self.some(self.of("NodePool"), .5):
            spec, template = p["spec"], p["spec"]["template"]["spec"]
            way = self.random.randrange(8)
            if way == 0:
                p["metadata"].update({"deletionTimestamp": stamp(ago(minutes=1)), "finalizers": ["x"]})
            elif way == 1:
                for c in p["status"]["conditions"]:
                    c["status"] = "False" if c["type"] == "Ready" else c["status"]
            elif way == 2:
                template["requirements"].append({"key": TYPE, "operator": self.random.choice(["In", "NotIn"]), "values": ["c-2x-amd64-linux", "s-4x-amd64-linux", "m-8x-amd64-linux"]})
            elif way == 3:
                template["startupTaints"] = [{"key": "example.com/agent-not-ready", "effect": "NoSchedule"}]
            elif way == 4:
                template["requirements"].append({"key": ZONE, "operator": "NotIn", "values": [self.random.choice(ZONES)]})
            elif way == 5:
                spec["limits"] = self.random.choice([{"cpu": "0"}, {"cpu": "1e2"}, {"memory": "100G"}, {"example.com/widget": "2"}, {"pods": "300"}])
            elif way == 6:
                template["requirements"].append({"key": TEAM, "operator": self.random.choice(["Exists", "DoesNotExist"])})
            else:
                template["requirements"].append({"key": CPU, "operator": self.random.choice(["Gte", "Lte"]), "values": ["8"]})

    def twist_orphans(self):
        """Nodes whose pool is gone."""
        if len(self.of("NodePool")) > 1:
            gone = self.random.choice(self.of("NodePool"))
            self.cluster["items"].remove(gone)

    def twist_daemons(self):
        for d in self.of("DaemonSet"):
            spec = d["spec"]["template"]["spec"]
            way = self.random.randrange(4)
            if way == 0:
                spec["containers"][0]["resources"]["requests"].update({"cpu": "900m", "memory": "1Gi"})
            elif way == 1:
                spec.setdefault("affinity", {})["nodeAffinity"] = {PREFERRED: [{"weight": 1, "preference": {"matchExpressions": [{"key": FAMILY, "operator": "In", "values": ["c"]}]}}]}
            elif way == 2:
                terms = [{"matchExpressions": [{"key": FAMILY, "operator": "In", "values": [f]}]} for f in "ms"]
                spec.setdefault("affinity", {})["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": terms}}
            else:
                spec["nodeSelector"] = {RACK: "r1"}

    def twist_disruption_budgets(self):
        for i, (app, pods) in enumerate(self.pods_of_some_apps(.15)):
            rule = self.random.choice([{"maxUnavailable": 1}, {"minAvailable": 2}, {}])
            match = self.random.choice([selector(app=app), {"matchExpressions": [{"key": "app", "operator": "Exists"}]}, {"matchExpressions": [{"key": "app", "operator": "In", "values": [app]}]}])
            self.cluster["items"].append({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                                          "metadata": {"name": f"twist-{i}", "namespace": pods[0]["metadata"]["namespace"], "uid": f"twist-{i}"},
                                          "spec": {**rule, "selector": match}, "status": {"disruptionsAllowed": self.random.choice([0, 1, 1, 5])}})
