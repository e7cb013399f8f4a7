"""Node affinity, inter-pod affinity and topology spread."""
from gen_base import Dice, label_expression, label_selector, merge_label_keys

TOPOLOGY_KEYS = ["kubernetes.io/hostname", "kubernetes.io/hostname", "topology.kubernetes.io/zone",
                 "topology.kubernetes.io/zone", "rack"]
NODE_LABELS = {
    "disk": ["ssd", "hdd"],
    "rack": ["r1", "r2", "r3", ""],
    "topology.kubernetes.io/zone": ["z1", "z2", "z3"],
    "kubernetes.io/arch": ["amd64", "arm64"],
}
NAMESPACE_LABELS = {"team": ["a", "b"], "env": ["prod", "dev"]}


# -- nodes -----------------------------------------------------------------

def node_affinity(d: Dice, node_names):
    result = {}
    if d.chance(0.9):
        terms = [node_term(d, node_names) for _ in range(d.weighted({1: 60, 2: 30, 3: 10}))]
        # Validation wants a term; an empty list matches no node.
        result["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": [] if d.chance(0.01) else terms}
    if d.chance(0.3):
        result["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": d.between(1, 100), "preference": node_term(d, node_names)}]
    return result


def node_term(d: Dice, node_names):
    kind = d.weighted({"labels": 70, "fields": 12, "both": 10, "empty": 4, "nothing": 3})
    if kind == "empty":
        return {}
    if kind == "nothing":
        return {"matchExpressions": [], "matchFields": []}
    term = {}
    if kind in ("labels", "both"):
        term["matchExpressions"] = [node_expression(d) for _ in range(d.weighted({1: 70, 2: 30}))]
    if kind in ("fields", "both"):
        term["matchFields"] = [
            {"key": "metadata.name", "operator": d.weighted({"In": 2, "NotIn": 3}), "values": [d.pick(node_names + ["elsewhere"])]}
            for _ in range(d.weighted({1: 85, 2: 15}))]
    return term


def node_expression(d: Dice):
    if d.chance(0.3):
        # A value that is no number is stored, but its term matches no node.
        return {"key": d.pick(["generation", "generation", "generation", "disk"]), "operator": d.pick(["Gt", "Lt"]),
                "values": [d.pick(["0", "1", "2", "3", "4", "-2", "two"])]}
    return label_expression(d, NODE_LABELS)


# -- pods ------------------------------------------------------------------

def pod_affinity(d: Dice, labels):
    result = {}
    if d.chance(0.85):
        result["requiredDuringSchedulingIgnoredDuringExecution"] = [
            pod_term(d, labels) for _ in range(d.weighted({1: 75, 2: 25}))]
    if d.chance(0.3):
        result["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": d.between(1, 100), "podAffinityTerm": pod_term(d, labels)}]
    return result


def pod_term(d: Dice, labels):
    term = {"topologyKey": d.pick(TOPOLOGY_KEYS)}
    selector = label_selector(d, labels)
    if selector is not None:
        term["labelSelector"] = selector
    where = d.weighted({"own": 60, "names": 15, "selector": 12, "all": 8, "both": 5})
    if where in ("names", "both"):
        term["namespaces"] = d.some(["default", "team-a", "team-b"], 1, 2)
    if where in ("selector", "both"):
        term["namespaceSelector"] = {"matchExpressions": [label_expression(d, NAMESPACE_LABELS)]}
    if where == "all":
        term["namespaceSelector"] = {}
    if selector is not None and d.chance(0.15):
        term["matchLabelKeys"] = ["version"]
        merge_label_keys(d, selector, term["matchLabelKeys"], "In", labels)
    if selector is not None and d.chance(0.15):
        term["mismatchLabelKeys"] = ["tenant"]
        merge_label_keys(d, selector, term["mismatchLabelKeys"], "NotIn", labels)
    return term


# -- spread ----------------------------------------------------------------

def spread_constraints(d: Dice, labels):
    constraints, seen = [], set()
    for _ in range(d.weighted({1: 65, 2: 28, 3: 7})):
        constraint = {
            "maxSkew": d.weighted({1: 7, 2: 2, 3: 1}),
            "topologyKey": d.pick(TOPOLOGY_KEYS),
            "whenUnsatisfiable": d.weighted({"DoNotSchedule": 5, "ScheduleAnyway": 1}),
        }
        # The pair is a key in the API.
        pair = constraint["topologyKey"], constraint["whenUnsatisfiable"]
        if pair in seen:
            continue
        seen.add(pair)
        selector = label_selector(d, labels)
        if selector is not None:
            constraint["labelSelector"] = selector
        if constraint["whenUnsatisfiable"] == "DoNotSchedule" and d.chance(0.35):
            constraint["minDomains"] = d.between(1, 5)
        if d.chance(0.5):
            constraint["nodeAffinityPolicy"] = d.pick(["Honor", "Ignore", "Ignore"])
        if d.chance(0.5):
            constraint["nodeTaintsPolicy"] = d.pick(["Honor", "Ignore"])
        if selector is not None and d.chance(0.25):
            constraint["matchLabelKeys"] = d.some(["version", "tenant"], 1, 2)
            merge_label_keys(d, selector, constraint["matchLabelKeys"], "In", labels)
        constraints.append(constraint)
    return constraints
