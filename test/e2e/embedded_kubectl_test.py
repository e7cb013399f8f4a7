#!/usr/bin/env python3
"""A stock kubectl against the embedded API server alone: no real control plane, and no controllers, so where one would act the test
writes the status itself.

    embedded_kubectl_test.py [TEXT]    with TEXT only the checks whose name contains it

Finds kubectl in TAMP_E2E_PROGRAMS or PATH and the server in TAMP_EMBEDDED_APISERVER or build/bin. Run by run.py.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "test/judge/apiserver"))
from embedded import EmbeddedServer  # noqa: E402
from expect import check, command, count  # noqa: E402

SERVER = os.environ.get("TAMP_EMBEDDED_APISERVER", SOURCE / "build/bin/embedded-apiserver")
KUBECTL = str(pathlib.Path(os.environ["TAMP_E2E_PROGRAMS"]) / "kubectl") if "TAMP_E2E_PROGRAMS" in os.environ else "kubectl"
HOME = tempfile.TemporaryDirectory(prefix="tamp-kubectl-")  # where it caches discovery
only = sys.argv[1] if len(sys.argv) > 1 else ""
environment = {}

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, annotations: {note: first}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "nginx:1.25", env: [{name: A, value: "1"}, {name: B, value: "2"}]}
      - {name: side, image: busybox}
"""


def kubectl(*args, data=None, timeout=60):
    try:
        return command(KUBECTL, *args, data=data, env=environment, timeout=timeout)
    except subprocess.TimeoutExpired as late:
        return False, f"no end after {timeout} s: {late.stdout}"


def says(name, wanted, *args, **more):
    """The command succeeds and prints all that is wanted."""
    good, text = kubectl(*args, **more)
    missing = [want for want in ([wanted] if isinstance(wanted, str) else wanted) if want not in text]
    check(f"{name}: kubectl {' '.join(map(str, args))}", good and not missing, f"wanted {missing}, got: {text}")
    return text


def refused(name, wanted, *args, **more):
    good, text = kubectl(*args, **more)
    check(f"{name}: kubectl {' '.join(map(str, args))}", not good and wanted in text, f"wanted {wanted}, got: {text}")


def field(path, *args):
    return kubectl("get", *args, "-o", f"jsonpath={{{path}}}")[1]


def test_discovery():
    says("version", "Server Version: v1.", "version")
    says("api-resources", ["deployments", "deploy", "apps/v1", "poddisruptionbudgets", "customresourcedefinitions"], "api-resources")
    says("wide", ["delete,deletecollection,get,list,patch,create,update,watch"[:6]], "api-resources", "-o", "wide")
    says("api-versions", ["apps/v1", "policy/v1", "coordination.k8s.io/v1"], "api-versions")
    says("cluster-info", "is running at", "cluster-info")
    says("namespaces", ["kube-system", "Active"], "get", "namespaces")
    says("raw", "ok", "get", "--raw", "/readyz")


def test_get():
    says("nothing", "No resources found in default namespace", "get", "pods")
    refused("missing", 'pods "nope" not found', "get", "pod", "nope")
    refused("no such type", 'the server doesn\'t have a resource type "nonsense"', "get", "nonsense")
    says("create", "created", "apply", "-f", "-", data=DEPLOYMENT)
    text = says("table", ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "web", "0/2"], "get", "deployments")
    check("no wide columns", "CONTAINERS" not in text, text)
    says("wide", ["CONTAINERS", "IMAGES", "SELECTOR", "main,side", "nginx:1.25,busybox", "app=web"], "get", "deploy", "-o", "wide")
    says("labels", ["LABELS", "app=web"], "get", "deploy", "--show-labels")
    says("column", ["APP", "web"], "get", "deploy", "-L", "app")
    says("yaml", ["kind: Deployment", "replicas: 2"], "get", "deploy/web", "-o", "yaml")
    says("json", '"kind": "List"', "get", "deploy", "-o", "json")
    says("name", "deployment.apps/web", "get", "deploy", "-o", "name")
    says("custom columns", ["WHO", "web"], "get", "deploy", "-o", "custom-columns=WHO:.metadata.name")
    says("selector", "web", "get", "deploy", "-l", "app in (web)")
    says("all", "deployment.apps/web", "get", "all")
    says("everywhere", ["NAMESPACE", "default"], "get", "deploy", "-A")
    says("sorted", "web", "get", "deploy", "--sort-by=.metadata.creationTimestamp")
    says("field selector", "web", "get", "deploy", "--field-selector", "metadata.name=web")
    kubectl("delete", "deploy", "web")


def test_watch():
    process = subprocess.Popen([KUBECTL, "get", "configmaps", "-w", "--field-selector", "metadata.name=seen"], stdout=subprocess.PIPE, text=True, env=environment)
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True)
    reader.start()
    time.sleep(1)
    kubectl("create", "configmap", "seen", "--from-literal=a=1")
    kubectl("patch", "configmap", "seen", "-p", '{"data":{"b":"2"}}')
    for _ in range(50):
        if len(lines) >= 3:
            break
        time.sleep(0.1)
    process.terminate()
    reader.join(5)
    check("get -w shows a header and a line for each change", len(lines) == 3 and "DATA" in lines[0] and lines[1].split()[1] == "1" and lines[2].split()[1] == "2", lines)
    kubectl("delete", "configmap", "seen")
    good, text = kubectl("wait", "--for=delete", "configmap/seen", "--timeout=5s")
    check("wait for what is gone", good, text)
    kubectl("create", "configmap", "later")
    waiting = subprocess.Popen([KUBECTL, "wait", "--for=jsonpath={.data.go}=yes", "configmap/later", "--timeout=10s"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    time.sleep(0.5)
    kubectl("patch", "configmap", "later", "--type=merge", "-p", '{"data":{"go":"yes"}}')
    check("wait for a field", waiting.wait(15) == 0, waiting.stdout.read())
    kubectl("delete", "configmap", "later")


def test_describe():
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"kubernetes.io/hostname": "n1"}}, "status": {
        "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}, "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ok"}]}}
    says("node", "created", "create", "-f", "-", data=json.dumps(node))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p1", "labels": {"app": "web"}}, "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "nginx", "resources": {"requests": {"cpu": "1"}}}]}}
    says("pod", "created", "create", "-f", "-", data=json.dumps(pod))
    says("status", "patched", "patch", "pod", "p1", "--subresource=status", "--type=merge", "-p", json.dumps({"status": {
        "phase": "Running", "podIP": "10.1.1.1", "podIPs": [{"ip": "10.1.1.1"}], "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"name": "c", "ready": True, "restartCount": 3, "image": "nginx", "imageID": "", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}}))
    says("pods wide", ["p1", "1/1", "Running", "3", "10.1.1.1", "n1"], "get", "pods", "-o", "wide")
    says("nodes wide", ["n1", "Ready", "<none>", "INTERNAL-IP"], "get", "nodes", "-o", "wide")
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e1", "namespace": "default"}, "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p1", "uid": field(".metadata.uid", "pod", "p1")},
             "reason": "Scheduled", "message": "put on n1", "type": "Normal", "count": 1, "source": {"component": "judge"}, "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z"}
    says("event", "created", "create", "-f", "-", data=json.dumps(event))
    says("describe pod", ["Name:", "p1", "Node:", "n1", "Status:", "Running", "QoS Class:", "Burstable", "Scheduled", "put on n1"], "describe", "pod", "p1")
    says("describe node", ["Name:", "n1", "Non-terminated Pods:", "p1", "Allocated resources:", "cpu", "1 (25%)"], "describe", "node", "n1")
    says("describe deployment", ["created"], "apply", "-f", "-", data=DEPLOYMENT)
    says("describe deployment", ["Name:", "web", "Replicas:", "2 desired", "RollingUpdate", "main:", "nginx:1.25"], "describe", "deployment", "web")
    says("events", ["LAST SEEN", "Scheduled", "Pod/p1"], "events")
    says("get events", ["Scheduled", "put on n1"], "get", "events")
    kubectl("delete", "deploy/web", "pod/p1", "node/n1", "event/e1", "--force")


def test_explain():
    says("explain", ["KIND:       Pod", "VERSION:    v1", "spec", "<PodSpec>"], "explain", "pods")
    says("explain deep", ["FIELD: containerPort <integer>"], "explain", "pods.spec.containers.ports.containerPort")
    says("explain group", ["GROUP:      apps", "KIND:       Deployment", "strategy", "<DeploymentStrategy>"], "explain", "deployment.spec")
    says("recursive", ["minAvailable", "<IntOrString>", "selector"], "explain", "pdb", "--recursive")
    refused("no such field", 'field "nope" does not exist', "explain", "pods.spec.nope")


def test_apply():
    says("created", "deployment.apps/web created", "apply", "-f", "-", data=DEPLOYMENT)
    says("unchanged", "deployment.apps/web unchanged", "apply", "-f", "-", data=DEPLOYMENT)
    says("changed", "deployment.apps/web configured", "apply", "-f", "-", data=DEPLOYMENT.replace("1.25", "1.26").replace("replicas: 2", "replicas: 3"))
    check("image changed", field(".spec.template.spec.containers[0].image", "deploy", "web") == "nginx:1.26")
    kubectl("label", "deploy", "web", "mine=kept")
    pruned = DEPLOYMENT.replace(", annotations: {note: first}", "").replace(', {name: B, value: "2"}', "").replace("      - {name: side, image: busybox}\n", "")
    says("fields are pruned", "configured", "apply", "-f", "-", data=pruned)
    check("what others set stays", field(".metadata.labels.mine", "deploy", "web") == "kept")
    check("the annotation is gone", field(".metadata.annotations.note", "deploy", "web") == "")
    check("the container is gone", field(".spec.template.spec.containers[*].name", "deploy", "web") == "main")
    check("the variable is gone", field(".spec.template.spec.containers[0].env[*].name", "deploy", "web") == "A")
    good, text = kubectl("diff", "-f", "-", data=DEPLOYMENT)
    check("diff shows what would change", not good and "+      - image: busybox" in text.replace("+        ", "+      ").replace("  name: side", "") or "busybox" in text, text)
    says("dry run", "configured (server dry run)", "apply", "--dry-run=server", "-f", "-", data=DEPLOYMENT)
    check("dry run changed nothing", field(".spec.template.spec.containers[*].name", "deploy", "web") == "main")
    refused("strict", 'unknown field "spec.nonsense"', "apply", "-f", "-", data=DEPLOYMENT.replace("  replicas: 2", "  replicas: 2\n  nonsense: 1"))
    says("unchecked", "configured", "apply", "--validate=false", "-f", "-", data=DEPLOYMENT.replace("  replicas: 2", "  replicas: 4\n  nonsense: 1"))
    says("delete", 'deployment.apps "web" deleted', "delete", "-f", "-", data=DEPLOYMENT)


def test_server_side_apply():
    small = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\ndata: {a: "%s"}\n'
    says("created", "configmap/shared serverside-applied", "apply", "--server-side", "--field-manager=one", "-f", "-", data=small % 1)
    says("same value is shared", "serverside-applied", "apply", "--server-side", "--field-manager=two", "-f", "-", data=small % 1)
    refused("conflict", 'conflict with "one"', "apply", "--server-side", "--field-manager=two", "-f", "-", data=small % 2)
    says("forced", "serverside-applied", "apply", "--server-side", "--force-conflicts", "--field-manager=two", "-f", "-", data=small % 2)
    check("value taken", field(".data.a", "configmap", "shared") == "2")
    says("managed fields", ["manager: two", "operation: Apply"], "get", "configmap", "shared", "-o", "yaml", "--show-managed-fields")
    says("deployment", "serverside-applied", "apply", "--server-side", "-f", "-", data=DEPLOYMENT)
    says("container dropped", "serverside-applied", "apply", "--server-side", "-f", "-", data=DEPLOYMENT.replace("      - {name: side, image: busybox}\n", ""))
    check("what is not applied any more is gone", field(".spec.template.spec.containers[*].name", "deploy", "web") == "main")
    kubectl("delete", "deploy/web", "configmap/shared")


def test_create():
    says("namespace", "namespace/shop created", "create", "namespace", "shop")
    refused("twice", "already exists", "create", "namespace", "shop")
    says("configmap", "created", "create", "configmap", "c", "-n", "shop", "--from-literal=k=v")
    says("default account", "created", "create", "serviceaccount", "default", "-n", "shop")
    says("secret", "created", "create", "secret", "generic", "s", "-n", "shop", "--from-literal=k=v")
    says("deployment", "created", "create", "deployment", "d", "-n", "shop", "--image=nginx", "--replicas=2")
    says("service", "created", "create", "service", "clusterip", "svc", "-n", "shop", "--tcp=80:8080")
    says("job", "created", "create", "job", "j", "-n", "shop", "--image=busybox", "--", "true")
    says("cronjob", "created", "create", "cronjob", "cj", "-n", "shop", "--image=busybox", "--schedule=*/5 * * * *")
    says("role", "created", "create", "role", "r", "-n", "shop", "--verb=get", "--resource=pods")
    says("binding", "created", "create", "rolebinding", "b", "-n", "shop", "--role=r", "--user=alice")
    says("account", "created", "create", "serviceaccount", "sa", "-n", "shop")
    says("pdb", "created", "create", "poddisruptionbudget", "p", "-n", "shop", "--selector=app=d", "--min-available=1")
    says("priority", "created", "create", "priorityclass", "high-judge", "--value=1000")
    says("run", "pod/r created", "run", "r", "-n", "shop", "--image=nginx")
    says("expose", "exposed", "expose", "deployment", "d", "-n", "shop", "--port=80")
    says("scale", "scaled", "scale", "deployment", "d", "-n", "shop", "--replicas=5")
    check("scaled", field(".spec.replicas", "deploy", "d", "-n", "shop") == "5")
    says("set image", "image updated", "set", "image", "deployment/d", "nginx=nginx:2", "-n", "shop")
    says("token", "", "create", "token", "sa", "-n", "shop")
    says("services", ["ClusterIP", "80/TCP"], "get", "services", "-n", "shop")
    for kind in ("cronjobs", "jobs", "pdb", "roles", "rolebindings", "secrets", "serviceaccounts", "rs", "sts", "ds", "pvc", "leases"):
        says("table", "", "get", kind, "-n", "shop", "-o", "wide")
    says("delete namespace", 'namespace "shop" deleted', "delete", "namespace", "shop", "--wait=false")
    says("terminating", "Terminating", "get", "namespace", "shop")
    kubectl("delete", "priorityclass", "high-judge")


def test_change():
    kubectl("apply", "-f", "-", data=DEPLOYMENT)
    says("strategic", "patched", "patch", "deploy", "web", "-p", '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox:2"}]}}}}')
    check("merged by name", field(".spec.template.spec.containers[*].image", "deploy", "web") == "nginx:1.25 busybox:2")
    says("merge", "patched", "patch", "deploy", "web", "--type=merge", "-p", '{"spec":{"replicas":7}}')
    says("json", "patched", "patch", "deploy", "web", "--type=json", "-p", '[{"op":"replace","path":"/spec/replicas","value":8}]')
    check("replicas", field(".spec.replicas", "deploy", "web") == "8")
    says("no change", "patched (no change)", "patch", "deploy", "web", "--type=merge", "-p", '{"spec":{"replicas":8}}')
    refused("invalid", "must be greater than or equal to 0", "patch", "deploy", "web", "--type=merge", "-p", '{"spec":{"replicas":-1}}')
    says("subresource", "patched", "patch", "deploy", "web", "--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":2}}')
    says("label", "labeled", "label", "deploy", "web", "tier=front")
    refused("label again", "already has a value", "label", "deploy", "web", "tier=back")
    says("overwrite", "labeled", "label", "deploy", "web", "tier=back", "--overwrite")
    says("remove", "unlabeled", "label", "deploy", "web", "tier-")
    says("annotate", "annotated", "annotate", "deploy", "web", "why=because")
    check("annotation", field(".metadata.annotations.why", "deploy", "web") == "because")
    says("replace", "replaced", "replace", "-f", "-", data=DEPLOYMENT)
    kubectl("delete", "deploy", "web")


def test_drain():
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2"}}
    kubectl("create", "-f", "-", data=json.dumps(node))
    says("cordon", "cordoned", "cordon", "n2")
    says("shown", "SchedulingDisabled", "get", "node", "n2")
    says("uncordon", "uncordoned", "uncordon", "n2")
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "00000000-0000-0000-0000-000000000001", "controller": True}]
    for name in ("d1", "d2"):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "drained"}, "ownerReferences": owner},
               "spec": {"nodeName": "n2", "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "i"}]}}
        says("pod", "created", "create", "-f", "-", data=json.dumps(pod))
        kubectl("patch", "pod", name, "--subresource=status", "--type=merge", "-p", '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}')
    says("pdb", "created", "create", "pdb", "guard", "--selector=app=drained", "--min-available=1")

    def allow(count):
        says("pdb status", "patched", "patch", "pdb", "guard", "--subresource=status", "--type=merge", "-p", json.dumps(
            {"status": {"observedGeneration": 1, "disruptionsAllowed": count, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}}))

    allow(1)
    check("the budget is shown", "1" in kubectl("get", "pdb", "guard")[1].splitlines()[-1].split()[3], kubectl("get", "pdb"))
    good, text = kubectl("drain", "n2", "--timeout=4s", "--force", "--ignore-daemonsets")
    check("the budget lets one go and holds the other", not good and "Cannot evict pod as it would violate the pod's disruption budget" in text and text.count("evicting pod") >= 2, text)
    left = [name for name in ("d1", "d2") if kubectl("get", "pod", name)[0]]
    check("one is left", len(left) == 1, left)
    allow(1)
    says("drained", "drained", "drain", "n2", "--timeout=20s", "--force", "--ignore-daemonsets")
    check("none is left", not any(kubectl("get", "pod", name)[0] for name in ("d1", "d2")))
    kubectl("delete", "pdb/guard", "node/n2")


def test_delete():
    kubectl("create", "configmap", "held")
    kubectl("patch", "configmap", "held", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/hold"]}}')
    says("without waiting", "deleted", "delete", "configmap", "held", "--wait=false")
    check("still there", field(".metadata.deletionTimestamp", "configmap", "held") != "")
    waiting = subprocess.Popen([KUBECTL, "delete", "configmap", "held"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    time.sleep(1)
    check("it waits", waiting.poll() is None)
    kubectl("patch", "configmap", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    check("until it is gone", waiting.wait(10) == 0)
    says("ignore", "", "delete", "configmap", "held", "--ignore-not-found")
    for how in ("foreground", "orphan", "background"):
        kubectl("apply", "-f", "-", data=DEPLOYMENT)
        says(f"cascade {how}", "deleted", "delete", "deploy", "web", f"--cascade={how}", "--wait=false")
        if how != "background":
            check(f"finalizer of {how}", ("foregroundDeletion" if how == "foreground" else "orphan") in field(".metadata.finalizers", "deploy", "web"))
            kubectl("patch", "deploy", "web", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    for name in ("m1", "m2"):
        kubectl("create", "configmap", name)
        kubectl("label", "configmap", name, "many=yes")
    says("by label", ['"m1" deleted', '"m2" deleted'], "delete", "configmap", "-l", "many=yes")
    kubectl("run", "gone", "--image=i")
    says("force", "force deleted", "delete", "pod", "gone", "--force", "--grace-period=0")


def test_rollout():
    kubectl("apply", "-f", "-", data=DEPLOYMENT)
    process = subprocess.Popen([KUBECTL, "rollout", "status", "deployment/web", "--timeout=20s"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    time.sleep(1)
    generation = int(field(".metadata.generation", "deploy", "web"))
    for ready in (1, 2):
        kubectl("patch", "deploy", "web", "--subresource=status", "--type=merge", "-p", json.dumps({"status": {
            "observedGeneration": generation, "replicas": 2, "updatedReplicas": 2, "readyReplicas": ready, "availableReplicas": ready, "unavailableReplicas": 2 - ready or None}}))
        time.sleep(0.3)
    check("rollout status", process.wait(25) == 0, "")
    text = process.stdout.read()
    check("rollout tells", "Waiting for deployment" in text and "successfully rolled out" in text, text)
    says("restart", "restarted", "rollout", "restart", "deployment/web")
    check("restarted", field(".spec.template.metadata.annotations", "deploy", "web").find("restartedAt") > 0)
    says("pause", "paused", "rollout", "pause", "deployment/web")
    says("resume", "resumed", "rollout", "resume", "deployment/web")
    says("history", "No rollout history found", "rollout", "history", "deployment/web")
    kubectl("delete", "deploy", "web")


def test_access():
    says("can-i", "yes", "auth", "can-i", "create", "pods")
    good, text = kubectl("auth", "can-i", "get", "secrets", "--as=alice")
    check("another cannot", not good and text.strip().startswith("no"), text)
    kubectl("create", "role", "reader", "--verb=get,list", "--resource=pods")
    kubectl("create", "rolebinding", "reads", "--role=reader", "--user=alice")
    says("granted", "yes", "auth", "can-i", "list", "pods", "--as=alice")
    says("listed", "pods", "auth", "can-i", "--list", "--as=alice")
    says("whoami", "Username", "auth", "whoami")
    refused("forbidden", 'User "alice" cannot list resource "secrets"', "get", "secrets", "--as=alice")
    kubectl("delete", "role/reader", "rolebinding/reads")


def test_changes():
    """What people do to a thing that is there: edit, set, taint, scale, replace."""
    kubectl("create", "deployment", "edited", "--image=nginx:1", "--replicas=1")
    kubectl("create", "-f", "-", data=json.dumps({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n3"}}))
    environment["KUBE_EDITOR"] = "sed -i s/nginx:1/nginx:2/"
    says("edit", "edited", "edit", "deployment", "edited")
    check("what the editor left is stored", field(".spec.template.spec.containers[0].image", "deploy", "edited") == "nginx:2")
    says("set image", "image updated", "set", "image", "deployment/edited", "nginx=nginx:3")
    says("set env", "env updated", "set", "env", "deployment/edited", "A=b")
    says("set resources", "resource requirements updated", "set", "resources", "deployment/edited", "--requests=cpu=100m")
    says("scale", "scaled", "scale", "deployment/edited", "--replicas=4", "--current-replicas=1")
    refused("scale of another size", "Expected replicas to be 1, was 4", "scale", "deployment/edited", "--replicas=4", "--current-replicas=1")
    says("taint", "tainted", "taint", "node", "n3", "dedicated=x:NoSchedule")
    says("untaint", "untainted", "taint", "node", "n3", "dedicated-")
    text = kubectl("get", "deployment", "edited", "-o", "yaml")[1]
    says("replace", "replaced", "replace", "-f", "-", data=text.replace("replicas: 4", "replicas: 5"))
    refused("replace what has changed", "the object has been modified", "replace", "-f", "-", data=text.replace("replicas: 4", "replicas: 6"))
    kubectl("delete", "deployment/edited", "node/n3")


def test_no_containers():
    """What needs a program in the pod is refused in words that say why."""
    kubectl("run", "empty", "--image=i")
    kubectl("patch", "pod", "empty", "--subresource=status", "--type=merge", "-p", '{"status":{"phase":"Running"}}')
    refused("logs", "are not kept", "logs", "empty")
    for command in (["exec", "empty", "--", "ls"], ["port-forward", "pod/empty", "18080:80"], ["attach", "empty"]):
        refused("no container", "no program runs in a simulated pod", *command)
    refused("top", "Metrics API not available", "top", "nodes")
    kubectl("delete", "pod", "empty", "--force", "--grace-period=0")


def test_custom():
    crds = SOURCE / "deploy/crds"
    says("definitions", "created", "apply", "-f", crds)
    says("established", "condition met", "wait", "--for=condition=Established", "crd/temperpolicies.temper.codes", "--timeout=10s")
    says("explain", ["KIND:       TemperPolicy", "spec"], "explain", "temperpolicy")
    says("apply", "created", "apply", "-f", "-", data="apiVersion: temper.codes/v1alpha1\nkind: TemperPolicy\nmetadata: {name: default}\nspec: {mode: Observe}\n")
    says("apply again", "configured", "apply", "-f", "-", data="apiVersion: temper.codes/v1alpha1\nkind: TemperPolicy\nmetadata: {name: default}\nspec: {mode: Observe, minNodeLifetime: 7m}\n")
    says("get", ["NAME", "default"], "get", "temperpolicies")
    says("describe", ["Name:", "default"], "describe", "temperpolicy", "default")
    refused("strict", "unknown field", "apply", "-f", "-", data="apiVersion: temper.codes/v1alpha1\nkind: TemperPolicy\nmetadata: {name: other}\nspec: {nonsense: 1}\n")
    says("delete", "deleted", "delete", "temperpolicy", "default")


def main():
    with EmbeddedServer(SERVER) as server:
        environment.update({**os.environ, "KUBECONFIG": str(server.kubeconfig), "HOME": HOME.name})
        for name, test in list(globals().items()):
            if name.startswith("test_") and only in name:
                begin = time.monotonic()
                test()
                print(f"{name} took {time.monotonic() - begin:.1f} s", flush=True)
        check("the server is still there", server.alive())
    return count()


if __name__ == "__main__":
    sys.exit(main())
