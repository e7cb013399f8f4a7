#!/usr/bin/env python3
"""What deploy/ promises, on a real API server: everything applies, good objects are taken and filled in, each bad one is refused
with its message, and Tamp's account cannot do what the admission policies forbid, whatever rights it has.

bad/NAME.yaml begins with "# refused: MESSAGE"; of several documents all but the last are taken. Run by run.py.
"""

import json
import os
import pathlib
import sys

from expect import check, command, control, count, kubectl, wait_until

SOURCE = pathlib.Path(os.environ["TAMP_E2E_SOURCE"])
HERE = SOURCE / "test/e2e"
DEPLOY = SOURCE / "deploy"
ACCOUNT = "system:serviceaccount:tamp-system:tamp-controller"


def ask(*args, kubeconfig=None, data=None):
    return command("kubectl", *(["--kubeconfig", kubeconfig] if kubeconfig else []), *args, data=data)


def refused(name, message, *args, **more):
    good, text = ask(*args, **more)
    check(name, not good and message in " ".join(text.split()), f"wanted: {message}\ngot: {text}")


def taken(name, *args, **more):
    good, text = ask(*args, **more)
    check(name, good, text)


def apply_everything():
    kubectl("apply", "--server-side", "-f", os.environ["TAMP_E2E_NODEPOOL_CRDS"])
    taken("deploy/ applies", "apply", "--server-side", "-k", DEPLOY)
    kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    policies = len(kubectl("get", "validatingadmissionpolicies", "-o", "name").split())
    wait_until("the admission policies' types are checked", lambda: len(kubectl(
        "get", "validatingadmissionpolicies", "-o", "jsonpath={.items[*].status.observedGeneration}").split()) == policies)
    warnings = kubectl("get", "validatingadmissionpolicies", "-o", "jsonpath={.items[*].status.typeChecking.expressionWarnings}")
    check("the admission policies' expressions fit the types", warnings.strip() == "", warnings)
    pods_may_run = kubectl("get", "deployment", "-n", "tamp-system", "tamp-controller", "-o", "json")
    check("the deployment keeps its two replicas", json.loads(pods_may_run)["spec"]["replicas"] == 2)


def nodepool_patch():
    patch = DEPLOY / "karpenter-nodepool-patch.yaml"
    taken("the NodePool CRD takes our two fields", "patch", "crd", "nodepools.karpenter.sh", "--type", "json", "--patch-file", patch)
    refused("another CRD does not", "The request is invalid", "patch", "crd", "nodeclaims.karpenter.sh", "--type", "json", "--patch-file", patch)


def webhook_is_dead():
    """Nobody serves the webhook here: policies must go through, approvals must not."""
    def approval_fails():
        good, text = ask("create", "--dry-run=server", "-f", HERE / "good/run.yaml")
        return not good and "failed calling webhook" in text

    wait_until("the webhook is called", approval_fails)
    taken("a policy can be written while the webhook is dead", "create", "--dry-run=server", "-f", HERE / "good/policy-minimal.yaml")
    refused("an approval cannot", 'failed calling webhook "approve.consolidationruns.temper.codes"',
            "create", "--dry-run=server", "-f", HERE / "good/run.yaml")
    kubectl("delete", "-f", DEPLOY / "webhook.yaml")
    wait_until("the webhook is gone", lambda: ask("create", "--dry-run=server", "-f", HERE / "good/run.yaml")[0])


def good_objects():
    for path in sorted((HERE / "good").glob("*.yaml")):
        taken(f"good/{path.name}", "create", "-f", path)
    spec = json.loads(kubectl("get", "temperpolicy", "default", "-o", "json"))["spec"]
    expected = {
        "mode": "Observe", "planner": "SLO", "approval": "Manual", "consolidation": {"enabled": True},
        "utilizationFormula": "Average", "minNodeLifetime": "5m", "allowUnownedPods": False,
        "limits": {"minNodes": 0, "maxEvictionsPerHour": 100, "podCooldown": "1h", "protectSingleReplica": False},
        "tiers": {"critical": 1000000, "high": 100000, "normal": 0, "low": -100},
        "reap": {"mode": "Autoscaler", "escalateAfter": "5m", "giveUpAfter": "30m"},
        "guards": {
            "maxObservationAge": "60s", "minSamples": 30, "pressure": {"cpu": 0.1, "memory": 0.05, "io": 0.2},
            "headroom": {"cpu": 0.8, "memory": 0.85}, "wholeCores": {"reserved": 1, "daemons": "Each"},
            "maxSurvivors": 50, "schedulerOrders": 64, "surviveOneMore": False, "planExpiry": "30m",
            "run": {
                "pressure": {"cpu": 0.2, "memory": 0.1, "io": 0.4}, "baselineFactor": 3, "baselineFloor": 0.05, "minSamples": 5,
                "maxObservationAge": "15s", "pendingReplacementAfter": "5m", "crashLoopRestarts": 3, "pdbPatience": "10m",
                "launchTimeout": "15m", "settle": "2m", "afterReapWatch": "10m", "unhealthyClusterShare": 0.3,
            },
        },
    }
    check("an empty policy gets the documented defaults, and none that would hide a NodePool's or a flag's", spec == expected, spec)
    pool = json.loads(kubectl("get", "nodepool", "two-fields", "-o", "json"))["spec"]["disruption"]
    check("a NodePool keeps the two fields",
          (pool.get("consolidationSavingsThreshold"), pool.get("consolidationGracePeriod")) == (0.5, "1h"), pool)


def bad_objects():
    for path in sorted((HERE / "bad").glob("*.yaml")):
        first, *_ = path.read_text().splitlines()
        *before, last = path.read_text().split("\n---\n")
        for document in before:
            kubectl("apply", "-f", "-", data=document)
        refused(f"bad/{path.name}", first.removeprefix("# refused: "), "apply", "-f", "-", data=last)


def status_and_columns():
    status = json.loads((HERE / "status.json").read_text())
    kubectl("patch", "temperpolicy", "default", "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
    stored = json.loads(kubectl("get", "temperpolicy", "default", "-o", "json"))["status"]
    check("a published status is kept whole", stored == status, stored)
    table = kubectl("get", "tp", "default").splitlines()
    check("the columns of a policy", table[0].split() == ["NAME", "MODE", "PLANNER", "APPROVAL", "NODES", "COST/H", "SAVINGS/H", "PLAN", "READY", "AGE"],
          table)
    check("their values", table[1].split()[:9] == ["default", "Observe", "SLO", "Manual", "200", "31.5", "1.25", "0123456789ab", "True"], table)
    check("the columns of a run", kubectl("get", "crun").splitlines()[0].split("  ")[0] == "NAME")
    text = kubectl("explain", "temperpolicy.spec.disruption")
    check("the savings threshold is marked alpha", "ALPHA" in text, text)


def forbidden_to_tamp():
    """The account gets every right on pods and nodes: what is refused now, the admission policies refuse."""
    kubectl("create", "clusterrole", "everything", "--verb=*", "--resource=pods,pods/eviction,pods/status,nodes,nodes/status")
    kubectl("create", "clusterrolebinding", "everything", "--clusterrole=everything", "--serviceaccount=tamp-system:tamp-controller")
    account = control("kubeconfig", "tamp-system", "tamp-controller", "600")
    as_tamp = {"kubeconfig": account}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"a": "b"}, "annotations": {
        "other": "x", "temper.codes/pause": "true"}}, "spec": {"taints": [{"key": "other", "effect": "NoSchedule"}]}}
    kubectl("create", "-f", "-", data=json.dumps(node))
    wait_until("the default account is there", lambda: ask("get", "serviceaccount", "-n", "default", "default")[0])
    for name in ("one", "two"):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": {
            "containers": [{"name": "c", "image": "i"}], "tolerations": [{"operator": "Exists"}]}}
        kubectl("create", "-f", "-", data=json.dumps(pod))
    wait_until("the account's rights have arrived", lambda: ask("get", "pods", **as_tamp)[0])

    only_evict = "Tamp may evict pods and do nothing else to them"
    refused("a pod deletion", only_evict, "delete", "pod", "one", **as_tamp)
    refused("a forced one", only_evict, "delete", "pod", "one", "--force", "--grace-period=0", **as_tamp)
    refused("a deletion of all", only_evict, "delete", "--raw", "/api/v1/namespaces/default/pods", **as_tamp)
    refused("a change of a pod", only_evict, "label", "pod", "one", "x=y", **as_tamp)
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "two", "namespace": "default"}}
    taken("an eviction", "create", "--raw", "/api/v1/namespaces/default/pods/two/eviction", "-f", "-", data=json.dumps(eviction), **as_tamp)

    refused("a node deletion", "Tamp may neither create nor delete nodes", "delete", "node", "n", **as_tamp)
    refused("a foreign annotation set", "only these annotations", "annotate", "node", "n", "else=x", **as_tamp)
    refused("a foreign annotation changed", "only these annotations", "annotate", "--overwrite", "node", "n", "other=y", **as_tamp)
    refused("a foreign annotation removed", "only these annotations", "annotate", "node", "n", "other-", **as_tamp)
    refused("the pause lifted", "only these annotations", "annotate", "node", "n", "temper.codes/pause-", **as_tamp)
    refused("a label set", "no label of a node", "label", "node", "n", "x=y", **as_tamp)
    refused("a label removed", "no label of a node", "label", "node", "n", "a-", **as_tamp)
    refused("a foreign taint set", "no taint of a node", "taint", "node", "n", "more=:NoSchedule", **as_tamp)
    refused("a foreign taint removed", "no taint of a node", "taint", "node", "n", "other-", **as_tamp)
    refused("our taint with NoExecute", "may only have the effect NoSchedule", "taint", "node", "n", "temper.codes/consolidating=:NoExecute", **as_tamp)
    refused("a provider", "nothing in a node's spec", "patch", "node", "n", "-p", '{"spec": {"providerID": "x"}}', **as_tamp)
    refused("a finalizer", "finalizers or owners", "patch", "node", "n", "-p", '{"metadata": {"finalizers": ["a.b/c"]}}', **as_tamp)
    refused("a status", "any other subresource", "patch", "node", "n", "--subresource=status", "-p", '{"status": {"phase": "Running"}}', **as_tamp)

    taken("a cordon", "cordon", "n", **as_tamp)
    check("which holds", kubectl("get", "node", "n", "-o", "jsonpath={.spec.unschedulable}") == "true")
    taken("an uncordon", "uncordon", "n", **as_tamp)
    taken("our taint", "taint", "node", "n", "temper.codes/consolidating=:NoSchedule", **as_tamp)
    taken("our taint removed", "taint", "node", "n", "temper.codes/consolidating-", **as_tamp)
    for key in ("karpenter.sh/do-not-disrupt", "cluster-autoscaler.kubernetes.io/scale-down-disabled",
                "autoscaling.cast.ai/removal-disabled", "temper.codes/run"):
        taken(f"{key} set", "annotate", "node", "n", f"{key}=true", **as_tamp)
        taken(f"{key} removed", "annotate", "node", "n", f"{key}-", **as_tamp)
    taken("others may do all this", "annotate", "node", "n", "temper.codes/pause-", "other-")


def node_claim(name, annotations):
    return json.dumps({
        "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": name, "annotations": annotations, "labels": {"a": "b"}},
        "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                 "requirements": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}})


def forbidden_claims():
    """The account gets every right on NodeClaims: a replacement is made with the note of its run, and nothing but marks is changed."""
    kubectl("create", "clusterrole", "claims", "--verb=*", "--resource=nodeclaims.karpenter.sh,nodeclaims.karpenter.sh/status")
    kubectl("create", "clusterrolebinding", "claims", "--clusterrole=claims", "--serviceaccount=tamp-system:tamp-controller")
    as_tamp = {"kubeconfig": control("kubeconfig", "tamp-system", "tamp-controller", "600")}
    wait_until("the account's rights have arrived", lambda: ask("get", "nodeclaims", **as_tamp)[0])
    note = {"temper.codes/run": '{"runs":["r"],"added":["karpenter.sh/do-not-disrupt"]}', "karpenter.sh/do-not-disrupt": "true"}
    kubectl("create", "-f", "-", data=node_claim("kept", {"karpenter.sh/do-not-disrupt": "true", "other": "x"}))
    kubectl("create", "-f", "-", data=node_claim("plain", {"other": "x"}))

    refused("a claim without a note", "carries the note of its run", "create", "-f", "-", data=node_claim("wild", {}), **as_tamp)
    taken("a replacement's claim", "create", "-f", "-", data=node_claim("ours", note), **as_tamp)
    own_marks = "nothing of a NodeClaim but its own marks"
    refused("a claim's label", own_marks, "label", "nodeclaim", "ours", "x=y", **as_tamp)
    refused("a claim's foreign annotation", own_marks, "annotate", "nodeclaim", "kept", "other-", **as_tamp)
    refused("one set", own_marks, "annotate", "nodeclaim", "ours", "else=x", **as_tamp)
    refused("a claim's finalizer", own_marks, "patch", "nodeclaim", "ours", "--type=merge", "-p", '{"metadata": {"finalizers": ["a.b/c"]}}', **as_tamp)
    refused("a claim's status", "no subresource of a NodeClaim", "patch", "nodeclaim", "ours", "--subresource=status", "--type=merge", "-p",
            '{"status": {"nodeName": "n"}}', **as_tamp)
    refused("a claim that somebody protects", "that somebody else protects", "delete", "nodeclaim", "kept", "--wait=false", **as_tamp)
    taken("the replacement is let go", "annotate", "nodeclaim", "ours", "karpenter.sh/do-not-disrupt-", **as_tamp)
    taken("an unused replacement is deleted", "delete", "nodeclaim", "ours", "--wait=false", **as_tamp)
    taken("a victim's claim is deleted, under reap.mode NodeClaim", "delete", "nodeclaim", "plain", "--wait=false", **as_tamp)
    taken("others may do all this", "label", "nodeclaim", "kept", "x=y")


AGENT_MAY = '[{"tier":"Critical","pods":2,"cpuRequestMillis":1500,"memoryRequestBytes":0}]'


def account_kubeconfig(name, token):
    """The administrator's kubeconfig with this token instead of the certificate."""
    config = json.loads(kubectl("config", "view", "--raw", "--flatten", "-o", "json"))
    config["users"] = [{"name": user["name"], "user": {"token": token}} for user in config["users"]]
    path = pathlib.Path(os.environ["TAMP_E2E_DIRECTORY"]) / f"{name}.kubeconfig"
    path.write_text(json.dumps(config))
    return str(path)


def forbidden_to_the_agent():
    """The same for the agents' account: one annotation of one node."""
    for name in ("own", "other"):
        kubectl("create", "-f", "-", data=json.dumps({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"a": "b", "kubernetes.io/os": "linux"}, "annotations": {"x": "y"}},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}))
    kubectl("create", "clusterrole", "all-of-nodes", "--verb=*", "--resource=nodes,nodes/status")
    kubectl("create", "clusterrolebinding", "all-of-nodes", "--clusterrole=all-of-nodes", "--serviceaccount=tamp-agents:tamp-agent")

    def agent_pod():
        _, text = ask("get", "pods", "-n", "tamp-agents", "--field-selector", "spec.nodeName=own", "-o", "jsonpath={.items[*].metadata.name}")
        return text.strip()

    wait_until("an agent is bound to the node", lambda: agent_pod() and " " not in agent_pod())
    check("the namespace's standard lets the agent in", agent_pod().startswith("tamp-agent-"), agent_pod())
    bound = kubectl("create", "token", "-n", "tamp-agents", "tamp-agent", "--bound-object-kind=Pod", f"--bound-object-name={agent_pod()}").strip()
    as_agent = {"kubeconfig": account_kubeconfig("agent", bound)}
    unbound = {"kubeconfig": account_kubeconfig("agent-unbound", kubectl("create", "token", "-n", "tamp-agents", "tamp-agent").strip())}
    wait_until("the account's rights have arrived", lambda: ask("get", "nodes", **as_agent)[0])

    def publish(node, value=AGENT_MAY):
        return "patch", "node", node, "--type=merge", "-p", json.dumps({"metadata": {"annotations": {"temper.codes/requests": value}}})

    taken("the agent publishes on its node", *publish("own"), **as_agent)
    check("which holds", kubectl("get", "node", "own", "-o", r"jsonpath={.metadata.annotations.temper\.codes/requests}") == AGENT_MAY)
    taken("and again", *publish("own", "[]"), **as_agent)
    taken("and removes it", "annotate", "node", "own", "temper.codes/requests-", **as_agent)
    refused("not on another", "its token is of node own", *publish("other"), **as_agent)
    refused("not without a node", "bound to none", *publish("own"), **unbound)
    refused("not without end", "at most 4096 bytes", *publish("own", "x" * 5000), **as_agent)
    no_other = "no annotation of its node but temper.codes/requests"
    refused("no other annotation", no_other, "annotate", "node", "own", "else=x", **as_agent)
    refused("none changed", no_other, "annotate", "--overwrite", "node", "own", "x=z", **as_agent)
    refused("none removed", no_other, "annotate", "node", "own", "x-", **as_agent)
    refused("no pause", no_other, "annotate", "node", "own", "temper.codes/pause=true", **as_agent)
    refused("none beside its own", no_other, "patch", "node", "own", "--type=merge", "-p",
            json.dumps({"metadata": {"annotations": {"temper.codes/requests": "[]", "karpenter.sh/do-not-disrupt": "true"}}}), **as_agent)
    nothing_else = "nothing of its node but the annotation"
    refused("no label", nothing_else, "label", "node", "own", "x=y", **as_agent)
    refused("no taint", nothing_else, "taint", "node", "own", "more=:NoSchedule", **as_agent)
    refused("no cordon", nothing_else, "patch", "node", "own", "-p", '{"spec": {"unschedulable": true}}', **as_agent)
    refused("no finalizer", nothing_else, "patch", "node", "own", "-p", '{"metadata": {"finalizers": ["a.b/c"]}}', **as_agent)
    subresource = "nor write their status or any other subresource"
    refused("no status", subresource, "patch", "node", "own", "--subresource=status", "-p", '{"status": {"phase": "Running"}}', **as_agent)
    refused("no deletion", subresource, "delete", "node", "own", **as_agent)
    refused("no creation", subresource, "create", "-f", "-", data=json.dumps({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "new"}}), **as_agent)
    taken("others may do all this", "label", "node", "own", "x=y")
    controller = {"kubeconfig": control("kubeconfig", "tamp-system", "tamp-controller", "600")}
    refused("Tamp itself does not publish", "only these annotations", *publish("own"), **controller)

    # Without the rights that this test gave.
    kubectl("delete", "clusterrolebinding", "all-of-nodes")
    agent = "system:serviceaccount:tamp-agents:tamp-agent"
    for verb, resource, allowed in (("list", "pods", True), ("watch", "pods", True), ("patch", "nodes", True), ("create", "tokenreviews", True),
                                    ("create", "subjectaccessreviews", True), ("get", "nodes", False), ("update", "nodes", False),
                                    ("delete", "pods", False), ("get", "secrets", False), ("get", "/observe", False)):
        wait_until("the rights are gone", lambda: not ask("auth", "can-i", "get", "nodes", "--as", agent)[0])
        good, text = ask("auth", "can-i", verb, resource, "-A", "--as", agent) if not resource.startswith("/") else ask("auth", "can-i", verb, resource, "--as", agent)
        check(f"the agent may {'' if allowed else 'not '}{verb} {resource}", good == allowed, text)
    good, text = ask("auth", "can-i", "get", "/observe", "--as", ACCOUNT)
    check("Tamp may get /observe", good, text)


def rights_of_people():
    for role, verb, resource, allowed in (
            ("tamp-viewer", "list", "temperpolicies", True), ("tamp-viewer", "create", "consolidationruns", False),
            ("tamp-approver", "create", "consolidationruns", True), ("tamp-approver", "delete", "consolidationruns", False),
            ("tamp-approver", "patch", "temperpolicies", False)):
        ask("create", "clusterrolebinding", role, f"--clusterrole={role}", f"--user={role}")
        wait_until(f"{role} is bound", lambda: ask("auth", "can-i", "list", "temperpolicies", f"--as={role}")[0])
        good, text = ask("auth", "can-i", verb, f"{resource}.temper.codes", f"--as={role}")
        check(f"{role} may {'' if allowed else 'not '}{verb} {resource}", good == allowed, text)
    for verb, resource in (("delete", "pods"), ("update", "nodes"), ("get", "secrets"), ("list", "secrets"), ("create", "temperpolicies"), ("patch", "temperpolicies")):
        good, _ = ask("auth", "can-i", verb, resource, "--as", ACCOUNT, "-n", "kube-system")
        check(f"Tamp's account may not {verb} {resource}", not good)


def main():
    apply_everything()
    nodepool_patch()
    webhook_is_dead()
    good_objects()
    bad_objects()
    status_and_columns()
    rights_of_people()
    forbidden_to_tamp()
    forbidden_claims()
    forbidden_to_the_agent()
    return count()


if __name__ == "__main__":
    sys.exit(main())
