"""The differences from Karpenter that are accepted, each as a predicate on the cluster.

known_differences.md says why. Each predicate names the nodes that Tamp may leave alone where Karpenter
would not; the judge then protects exactly these nodes and demands the same answer again.
"""
from gen_base import CAPACITY, POOL, TYPE, satisfies


def exempt(cluster, catalogue):
    """Reason -> nodes, for the reasons that occur in the cluster."""
    pods = [i for i in cluster["items"] if i["kind"] == "Pod" and i["spec"].get("nodeName")]
    reasons = {"all pods cost 0 or less": free_of_cost(pods), "a PDB's spec blocks, its status allows": pdb_in_doubt(cluster, pods),
               "spread ignores node affinity": spread_ignores_affinity(pods), "spread constraints confused": spread_confused(pods),
               "spread counted anew": spread_counted_anew(cluster, pods), "a label that is not there": label_invented(cluster, pods),
               "price unknown": price_unknown(cluster, catalogue)}
    found = {reason: nodes for reason, nodes in reasons.items() if nodes}
    if len(found) > 1:
        found["several of these"] = set().union(*found.values())
    return found


def owner(pod):
    return {o["kind"] for o in pod["metadata"].get("ownerReferences", [])}


def reschedulable(pod):
    if owner(pod) & {"DaemonSet", "Node"} or pod["status"].get("phase") in ("Succeeded", "Failed"):
        return False
    return "deletionTimestamp" not in pod["metadata"] or "StatefulSet" in owner(pod)


def eviction_cost(pod):
    cost = 1.0
    try:
        cost += float(pod["metadata"].get("annotations", {}).get("controller.kubernetes.io/pod-deletion-cost", 0)) / 2**27
    except ValueError:
        pass  # a value that is no number counts for nothing
    cost += pod["spec"].get("priority", 0) / 2**25
    return max(-10.0, min(10.0, cost))


def free_of_cost(pods):
    """Nodes with pods that must move, none of which costs anything: Karpenter calls them empty."""
    costs = {}
    for pod in filter(reschedulable, pods):
        costs.setdefault(pod["spec"]["nodeName"], []).append(eviction_cost(pod))
    return {node for node, c in costs.items() if max(c) <= 0}


def selects(selector, labels):
    if any(labels.get(k) != v for k, v in selector.get("matchLabels", {}).items()):
        return False
    return satisfies(labels, selector.get("matchExpressions", []))


def pdb_in_doubt(cluster, pods):
    """Nodes with a pod under a budget that allows nothing by its spec but something by its status."""
    nodes = set()
    for pdb in (i for i in cluster["items"] if i["kind"] == "PodDisruptionBudget"):
        spec = pdb["spec"]
        blocks = spec.get("maxUnavailable") in (0, "0%") or spec.get("minAvailable") == "100%"
        if not blocks or pdb.get("status", {}).get("disruptionsAllowed", 0) == 0:
            continue
        for pod in pods:
            if pod["metadata"].get("namespace") == pdb["metadata"].get("namespace") and selects(spec.get("selector", {}), pod["metadata"].get("labels", {})):
                nodes.add(pod["spec"]["nodeName"])
    return nodes


def spread_ignores_affinity(pods):
    """Nodes with a pod that restricts its nodes while a spread constraint of its own counts all nodes."""
    nodes = set()
    for pod in pods:
        spec = pod["spec"]
        restricted = spec.get("nodeSelector") or spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution")
        if restricted and any(c.get("nodeAffinityPolicy") == "Ignore" for c in spec.get("topologySpreadConstraints", [])):
            nodes.add(spec["nodeName"])
    return nodes


def node_terms(pod):
    """The pod's required node affinity with its node selector, term by term."""
    spec = pod["spec"]
    picked = [{"key": k, "operator": "In", "values": [v]} for k, v in sorted(spec.get("nodeSelector", {}).items())]
    required = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    terms = [t.get("matchExpressions", []) for t in required.get("nodeSelectorTerms", [])] or [[]]
    return [sorted(picked + t, key=lambda r: (r["key"], r["operator"])) for t in terms]


def spread_confused(pods):
    """Nodes with pods whose spread constraints Karpenter takes for one: alike but for minDomains, or for the
    operators and values (not the keys) of the nodes that the pods want."""
    alike = {}
    for pod in filter(reschedulable, pods):
        for c in pod["spec"].get("topologySpreadConstraints", []):
            terms = node_terms(pod)
            identity = (pod["metadata"].get("namespace"), c["topologyKey"], c["maxSkew"], str(c.get("labelSelector")), str(c.get("matchLabelKeys")), c.get("nodeTaintsPolicy", "Ignore"),
                        c.get("nodeAffinityPolicy", "Honor"), str(sorted(sorted({r["key"] for r in t}) for t in terms)))
            alike.setdefault(identity, []).append((str(terms), c.get("minDomains"), pod["spec"]["nodeName"]))
    return {node for members in alike.values() if len({m[:2] for m in members}) > 1 for _, _, node in members}


def spread_counted_anew(cluster, pods):
    """Nodes with a pod that spreads and that Karpenter relaxes so that its constraint becomes another (where a pool has soft taints it comes to tolerate
    them all, or it loses one of several node affinity terms): that one is counted without the pods that were placed before."""
    soft = any(t["effect"] == "PreferNoSchedule" for i in cluster["items"] if i["kind"] == "NodePool" for t in i["spec"]["template"]["spec"].get("taints", []))
    everyone = [i for i in cluster["items"] if i["kind"] == "Pod"]

    def company(pod, constraint):
        return any(other is not pod and other["metadata"].get("namespace") == pod["metadata"].get("namespace")
                   and selects(constraint.get("labelSelector", {}), other["metadata"].get("labels", {})) for other in everyone if reschedulable(other))
    return {pod["spec"]["nodeName"] for pod in filter(reschedulable, pods)
            if soft or len(node_terms(pod)) > 1
            if any(company(pod, c) for c in pod["spec"].get("topologySpreadConstraints", []))}


def label_invented(cluster, pods):
    """Nodes with a pod that wants a label which another pod refuses with NotIn: once Karpenter has placed the
    latter on a node without the label, it believes that the label may have any other value there."""
    everyone = [i for i in cluster["items"] if i["kind"] == "Pod"]
    refused = {r["key"] for p in everyone for t in node_terms(p) for r in t if r["operator"] == "NotIn"}
    return {p["spec"]["nodeName"] for p in pods for t in node_terms(p) for r in t if r["key"] in refused and r["operator"] not in ("NotIn", "DoesNotExist")}


def price_unknown(cluster, catalogue):
    """Managed nodes whose offering the catalogue does not have."""
    nodes = set()
    for node in (i for i in cluster["items"] if i["kind"] == "Node"):
        labels = node["metadata"].get("labels", {})
        if POOL in labels and (labels.get(TYPE), labels.get(CAPACITY)) not in catalogue.prices:
            nodes.add(node["metadata"]["name"])
    return nodes
