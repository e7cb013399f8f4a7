"""Objects of the kinds that the scripts use: valid ones, with optional parts by chance, and changes to them."""
import base64


class Kind:
    def __init__(self, root, plural, kind, make, namespaced=True, status=None, changes=(), scale=False):
        self.root, self.plural, self.kind, self.make = root, plural, kind, make
        self.namespaced, self.status, self.changes, self.scale = namespaced, status, changes, scale

    @property
    def api_version(self):
        return self.root.removeprefix("/apis/").removeprefix("/api/")

    def collection(self, ns):
        return f"{self.root}/namespaces/{ns}/{self.plural}" if self.namespaced else f"{self.root}/{self.plural}"

    def body(self, dice, name):
        metadata = {"name": name} if name else {}
        if dice.random() < 0.6:
            metadata["labels"] = {dice.choice(["app", "tier", "example.com/part"]): dice.choice(["web", "db", "x1"]) for _ in range(dice.randint(1, 2))}
        if dice.random() < 0.3:
            metadata["annotations"] = {"example.com/note": dice.choice(["hello", "", "a: b\nc"])}
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, **self.make(dice)}


def maybe(dice, chance, value):
    return value if dice.random() < chance else {}


def container(dice, name="main"):
    out = {"name": name, "image": dice.choice(["nginx", "nginx:1.25", "registry.example.com/app:latest", "busybox@sha256:" + "0" * 64])}
    out |= maybe(dice, 0.5, {"resources": {"requests": {"cpu": dice.choice(["100m", "1", "0.5", 2, "1500m"]), "memory": dice.choice(["64Mi", "1Gi", 1048576, "0.5Gi"])}}})
    if "resources" in out and dice.random() < 0.5:
        out["resources"]["limits"] = {"cpu": "4", "memory": "4Gi"}
    out |= maybe(dice, 0.3, {"ports": [{"containerPort": 8080}, {"containerPort": 53, "protocol": "UDP", "name": "dns"}][: dice.randint(1, 2)]})
    out |= maybe(dice, 0.3, {"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}][: dice.randint(1, 2)]})
    out |= maybe(dice, 0.2, {"readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}}})
    out |= maybe(dice, 0.2, {"livenessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 5}})
    out |= maybe(dice, 0.2, {"command": ["sh", "-c"], "args": ["sleep 1"]})
    out |= maybe(dice, 0.15, {"securityContext": {"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}})
    out |= maybe(dice, 0.15, {"lifecycle": {"preStop": {"exec": {"command": ["sleep", "1"]}}}})
    return out


def pod_spec(dice, template=False):
    out = {"containers": [container(dice)] + ([container(dice, "side")] if dice.random() < 0.3 else [])}
    out |= maybe(dice, 0.2, {"initContainers": [container(dice, "init") | maybe(dice, 0.4, {"restartPolicy": "Always"})]})
    out["initContainers"] = [{k: v for k, v in c.items() if k not in ("readinessProbe", "livenessProbe", "lifecycle") or c.get("restartPolicy")} for c in out.get("initContainers", [])]
    if not out["initContainers"]:
        del out["initContainers"]
    out |= maybe(dice, 0.3, {"nodeSelector": {"zone": "a"}})
    out |= maybe(dice, 0.3, {"tolerations": [{"key": "dedicated", "operator": "Exists"}, {"key": "x", "value": "y", "effect": "NoExecute", "tolerationSeconds": 60}][: dice.randint(1, 2)]})
    out |= maybe(dice, 0.2, {"terminationGracePeriodSeconds": dice.choice([0, 5, 60])})
    out |= maybe(dice, 0.2, {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}]})
    out |= maybe(dice, 0.2, {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}]}}})
    out |= maybe(dice, 0.2, {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}]}}}})
    out |= maybe(dice, 0.2, {"volumes": [{"name": "tmp", "emptyDir": {}}, {"name": "conf", "configMap": {"name": "conf"}}][: dice.randint(1, 2)]})
    if not template:
        out |= maybe(dice, 0.15, {"restartPolicy": "Never"})
        out |= maybe(dice, 0.1, {"schedulingGates": [{"name": "example.com/gate"}]})
    out |= maybe(dice, 0.1, {"priorityClassName": "system-cluster-critical"}) if not template else {}
    return out


def template(dice, restart=None):
    spec = pod_spec(dice, template=True)
    if restart:
        spec["restartPolicy"] = restart
    return {"metadata": {"labels": {"app": "web"}}, "spec": spec}


def workload(dice):
    out = {"selector": {"matchLabels": {"app": "web"}}, "template": template(dice)}
    return out | maybe(dice, 0.7, {"replicas": dice.randint(0, 5)})


def deployment(dice):
    spec = workload(dice)
    spec |= maybe(dice, 0.4, {"strategy": dice.choice([{"type": "Recreate"}, {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": "10%"}}])})
    spec |= maybe(dice, 0.2, {"minReadySeconds": 5})
    spec |= maybe(dice, 0.2, {"paused": True})
    return {"spec": spec}


def stateful_set(dice):
    spec = workload(dice) | maybe(dice, 0.7, {"serviceName": "web"})
    spec |= maybe(dice, 0.3, {"podManagementPolicy": "Parallel"})
    spec |= maybe(dice, 0.3, {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]})
    return {"spec": spec}


def daemon_set(dice):
    spec = workload(dice)
    spec.pop("replicas", None)
    return {"spec": spec | maybe(dice, 0.3, {"updateStrategy": {"type": "OnDelete"}})}


def job(dice):
    spec = {"template": {"spec": template(dice, "Never")["spec"]}}
    spec |= maybe(dice, 0.4, {"completions": 3, "parallelism": 2}) | maybe(dice, 0.3, {"backoffLimit": 2})
    spec |= maybe(dice, 0.2, {"suspend": True}) | maybe(dice, 0.2, {"ttlSecondsAfterFinished": 100})
    return {"spec": spec}


def cron_job(dice):
    spec = {"schedule": dice.choice(["*/5 * * * *", "0 3 * * 1", "@hourly"]), "jobTemplate": {"spec": job(dice)["spec"]}}
    return {"spec": spec | maybe(dice, 0.4, {"concurrencyPolicy": "Forbid"}) | maybe(dice, 0.2, {"timeZone": "Etc/UTC"})}


def budget(dice):
    return {"spec": {"selector": {"matchLabels": {"app": "web"}}, **dice.choice([{"minAvailable": 1}, {"maxUnavailable": "50%"}, {"minAvailable": "30%"}, {"maxUnavailable": 0}]),
                     **maybe(dice, 0.3, {"unhealthyPodEvictionPolicy": "AlwaysAllow"})}}


def node(dice):
    spec = maybe(dice, 0.3, {"unschedulable": True}) | maybe(dice, 0.4, {"taints": [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]})
    spec |= maybe(dice, 0.4, {"providerID": "kwok://n1", "podCIDR": "10.1.0.0/24"})
    status = maybe(dice, 0.6, {"status": {"capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}})
    return {"spec": spec} | status


def secret(dice):
    out = maybe(dice, 0.7, {"data": {"k": base64.b64encode(b"v").decode()}}) | maybe(dice, 0.3, {"stringData": {"s": "plain"}})
    return out | maybe(dice, 0.3, {"type": "example.com/kind"})


def lease(dice):
    return {"spec": {"holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": "2020-01-01T00:00:00.000000Z", **maybe(dice, 0.3, {"leaseTransitions": 1})}}


def role(dice):
    return {"rules": [{"apiGroups": [""], "resources": ["pods", "configmaps"][: dice.randint(1, 2)], "verbs": ["get", "list"], **maybe(dice, 0.3, {"resourceNames": ["a"]})}]}


def role_binding(dice):
    return {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": dice.choice(["Role", "ClusterRole"]), "name": "reader"},
            "subjects": [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}, {"kind": "ServiceAccount", "name": "default", "namespace": "default"}][: dice.randint(1, 2)]}


def cluster_role_binding(dice):
    out = role_binding(dice)
    out["roleRef"]["kind"] = "ClusterRole"
    return out


def claim(dice):
    return {"spec": {"accessModes": [dice.choice(["ReadWriteOnce", "ReadWriteMany"])], "resources": {"requests": {"storage": "10Gi"}}, **maybe(dice, 0.6, {"storageClassName": dice.choice(["", "fast"])})}}


def event(dice):
    return {"involvedObject": {"kind": "Pod", "name": "p", "namespace": dice.choice(["@ns@", "@ns@", "default"])}, "reason": "Tested", "message": "hello", "type": "Normal", **maybe(dice, 0.7, {"count": 1, "source": {"component": "judge"}, "firstTimestamp": "2020-01-01T00:00:00Z", "lastTimestamp": "2020-01-01T00:00:00Z"}),
            **maybe(dice, 0.3, {"eventTime": "2020-01-01T00:00:00.000000Z", "action": "Test", "reportingComponent": "example.com/judge", "reportingInstance": "j"})}


CONDITION = {"type": "Ready", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z", "reason": "Ok", "message": "fine"}

CORE, APPS, BATCH = "/api/v1", "/apis/apps/v1", "/apis/batch/v1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
KINDS = {kind.plural: kind for kind in [
    Kind(CORE, "configmaps", "ConfigMap", lambda d: maybe(d, 0.8, {"data": {"a": "1", "b": "x\ny"}}) | maybe(d, 0.2, {"binaryData": {"z": "AAEC"}}) | maybe(d, 0.1, {"immutable": True}),
         changes=[("data.a", "2"), ("data.new", "n"), ("immutable", True)]),
    Kind(CORE, "secrets", "Secret", secret, changes=[("stringData", {"t": "u"}), ("type", "other")]),
    Kind(CORE, "serviceaccounts", "ServiceAccount", lambda d: maybe(d, 0.4, {"automountServiceAccountToken": False}), changes=[("automountServiceAccountToken", True), ("secrets", [{"name": "s"}])]),
    Kind(CORE, "pods", "Pod", lambda d: {"spec": pod_spec(d)}, status={"phase": "Running", "conditions": [CONDITION], "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]},
         changes=[("spec.containers.0.image", "nginx:2"), ("spec.nodeName", "n1"), ("spec.activeDeadlineSeconds", 5), ("spec.tolerations", [{"operator": "Exists"}]), ("spec.priority", 3), ("spec.terminationGracePeriodSeconds", 1)]),
    Kind(APPS, "deployments", "Deployment", deployment, scale=True, status={"replicas": 2, "readyReplicas": 1, "availableReplicas": 1, "updatedReplicas": 2, "observedGeneration": 1},
         changes=[("spec.replicas", 7), ("spec.template.spec.containers.0.image", "nginx:3"), ("spec.selector", {"matchLabels": {"app": "db"}}), ("spec.paused", True), ("spec.replicas", -1)]),
    Kind(APPS, "replicasets", "ReplicaSet", lambda d: {"spec": workload(d)}, scale=True, status={"replicas": 2, "fullyLabeledReplicas": 2, "readyReplicas": 1}, changes=[("spec.replicas", 3), ("spec.minReadySeconds", 4)]),
    Kind(APPS, "statefulsets", "StatefulSet", stateful_set, scale=True, status={"replicas": 1, "readyReplicas": 1, "currentRevision": "a"}, changes=[("spec.replicas", 3), ("spec.serviceName", "other"), ("spec.updateStrategy", {"type": "OnDelete"})]),
    Kind(APPS, "daemonsets", "DaemonSet", daemon_set, status={"currentNumberScheduled": 1, "numberMisscheduled": 0, "desiredNumberScheduled": 1, "numberReady": 1}, changes=[("spec.minReadySeconds", 9), ("spec.template.spec.nodeSelector", {"a": "b"})]),
    Kind(BATCH, "jobs", "Job", job, status={"active": 1, "startTime": "2020-01-01T00:00:00Z"}, changes=[("spec.parallelism", 4), ("spec.suspend", True), ("spec.completions", 9)]),
    Kind(BATCH, "cronjobs", "CronJob", cron_job, status={"lastScheduleTime": "2020-01-01T00:00:00Z"}, changes=[("spec.schedule", "0 0 * * *"), ("spec.suspend", True), ("spec.schedule", "nonsense")]),
    Kind("/apis/policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", budget, status={"currentHealthy": 2, "desiredHealthy": 1, "disruptionsAllowed": 1, "expectedPods": 2, "observedGeneration": 1}, changes=[("spec.minAvailable", 2), ("spec.maxUnavailable", 1), ("spec.selector", {})]),
    Kind("/apis/coordination.k8s.io/v1", "leases", "Lease", lease, changes=[("spec.holderIdentity", "you"), ("spec.leaseDurationSeconds", 0), ("spec.renewTime", "2020-01-02T00:00:00.000001Z")]),
    Kind(RBAC, "roles", "Role", role, changes=[("rules.0.verbs", ["*"]), ("rules", [])]),
    Kind(RBAC, "rolebindings", "RoleBinding", role_binding, changes=[("subjects", []), ("roleRef.name", "writer")]),
    Kind(CORE, "persistentvolumeclaims", "PersistentVolumeClaim", claim, status={"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "10Gi"}}, changes=[("spec.volumeName", "v1"), ("spec.resources.requests.storage", "20Gi")]),
    Kind(APPS, "controllerrevisions", "ControllerRevision", lambda d: {"revision": 1, "data": {"spec": {"a": 1}}}, changes=[("revision", 2), ("data", {"b": 2})]),
    Kind(CORE, "nodes", "Node", node, False, status={"capacity": {"cpu": "8"}, "allocatable": {"cpu": "7500m"}, "addresses": [{"type": "InternalIP", "address": "10.0.0.9"}], "nodeInfo": {"kubeletVersion": "v1.36.0"}},
         changes=[("spec.unschedulable", True), ("spec.taints", [{"key": "a", "effect": "NoExecute"}]), ("spec.podCIDR", "10.9.0.0/24"), ("spec.providerID", "other://x"), ("metadata.labels.zone", "b")]),
    Kind("/apis/scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", lambda d: {"value": d.choice([0, 1000, -5]), **maybe(d, 0.4, {"description": "x", "preemptionPolicy": "Never"})}, False, changes=[("description", "y"), ("value", 7)]),
    Kind(RBAC, "clusterroles", "ClusterRole", role, False, changes=[("rules", [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}])]),
    Kind(RBAC, "clusterrolebindings", "ClusterRoleBinding", cluster_role_binding, False, changes=[("subjects", [{"kind": "Group", "name": "g"}])]),
    Kind(CORE, "namespaces", "Namespace", lambda d: {}, False, changes=[("metadata.labels.team", "a"), ("spec.finalizers", [])]),
    Kind("/apis/discovery.k8s.io/v1", "endpointslices", "EndpointSlice", lambda d: {"addressType": "IPv4", "endpoints": [{"addresses": ["10.1.2.3"], **maybe(d, 0.5, {"conditions": {"ready": True}})}], **maybe(d, 0.6, {"ports": [{"port": 80, "name": "http"}]})},
         changes=[("endpoints", []), ("addressType", "IPv6"), ("ports", [{"port": 81}])]),
    Kind(CORE, "events", "Event", event, changes=[("count", 2), ("message", "other"), ("reason", "Other"), ("series", {"count": 3, "lastObservedTime": "2020-01-01T00:00:01.000000Z"})]),
]}
