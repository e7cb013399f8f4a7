"""What containers request, and how much of a node is taken."""
import re

from gen_base import Dice

CPU = ["0", "10m", "100m", "100m", "250m", "0.25", "500m"]
# Quantities as an API server stores them. A fraction with a binary suffix ("0.5Gi") is stored as "512Mi"; given to the
# scheduler as written, Go's shared big decimals make it add a pod's overhead again at every look.
MEMORY = ["0", "64Mi", "128Mi", "200M", "512Mi", "384Mi"]
BIG_CPU = ["2", "3", "6500m"]
BIG_MEMORY = ["3Gi", "5e9", "7680Mi"]


def make_containers(d: Dice, big, odd):
    spec = {"containers": [make_container(d, f"c{i}", big and i == 0, odd) for i in range(d.weighted({1: 70, 2: 25, 3: 5}))]}
    if odd or d.chance(0.15):
        inits = []
        for i in range(d.between(1, 3)):
            init = make_container(d, f"i{i}", big and d.chance(0.3), False)
            if d.chance(0.5):
                init["restartPolicy"] = "Always"  # a sidecar
            inits.append(init)
        spec["initContainers"] = inits
    if odd and d.chance(0.3):
        spec["overhead"] = {"cpu": "250m", "memory": "120Mi"}
    if odd and d.chance(0.5):
        spec["resources"] = make_pod_level(d, big)
    return spec


def make_container(d: Dice, name, big, odd):
    requests = {}
    if d.chance(0.85):
        requests["cpu"] = d.pick(BIG_CPU if big else CPU)
    if d.chance(0.85):
        requests["memory"] = d.pick(BIG_MEMORY if big else MEMORY)
    if odd and d.chance(0.3):
        requests["ephemeral-storage"] = d.pick(["0", "1Gi", "8Gi"])
    if odd and d.chance(0.1):
        requests["example.com/gpu"] = d.pick(["0", "1", "1", "2"])
    if odd and d.chance(0.05):
        requests["example.com/license"] = "1"
    if odd and d.chance(0.07):
        requests["hugepages-2Mi"] = d.pick(["0", "32Mi", "100Mi"])
    if odd and d.chance(0.03):
        requests["cpu"] = "100500u"  # the API server rounds up to whole milli
    resources = {"requests": requests} if requests else {}
    # Extended resources and huge pages have limits equal to requests.
    limits = {k: v for k, v in requests.items() if "/" in k or k.startswith("hugepages")}
    if limits:
        resources["limits"] = limits
    if odd and d.chance(0.1):
        # Limits alone: the API server would have copied them to the requests.
        resources = {"limits": requests}
    return {"name": name, "image": "app", "resources": resources}


def make_pod_level(d: Dice, big):
    quantities = {}
    if d.chance(0.8):
        quantities["cpu"] = d.pick(BIG_CPU if big else ["0", "300m", "1", "1500m"])
    if d.chance(0.8):
        quantities["memory"] = d.pick(BIG_MEMORY if big else ["0", "256Mi", "1Gi", "2Gi"])
    if d.chance(0.1):
        quantities["hugepages-2Mi"] = "64Mi"
    which = d.weighted({"requests": 6, "both": 3, "limits": 2})
    if which == "requests":
        return {"requests": quantities}
    if which == "limits":
        return {"limits": quantities}
    return {"requests": quantities, "limits": quantities}


# -- in-place resize -------------------------------------------------------

def resize(d: Dice, pod):
    """Statuses of a bound pod whose resources were, or are being, changed."""
    status = pod["status"]
    conditions = []
    pending = d.weighted({"Deferred": 3, "Infeasible": 4, "": 5})
    if pending:
        conditions.append({"type": "PodResizePending", "status": "True", "reason": pending})
    elif d.chance(0.5):
        conditions.append({"type": "PodResizeInProgress", "status": "True"})
    status["conditions"] = conditions
    spec = pod["spec"]
    for field, containers in (("containerStatuses", spec["containers"]), ("initContainerStatuses", spec.get("initContainers", []))):
        statuses = []
        for container in containers:
            if d.chance(0.15):
                continue
            entry = {"name": container["name"], "image": "app", "imageID": "", "ready": True, "restartCount": 0}
            if d.chance(0.85):
                entry["resources"] = {"requests": other_requests(d, container)} if d.chance(0.9) else {}
            if d.chance(0.85):
                entry["allocatedResources"] = other_requests(d, container)
            statuses.append(entry)
        if statuses:
            status[field] = statuses
    if "resources" in spec:
        if d.chance(0.8):
            status["resources"] = {"requests": {"cpu": d.pick(CPU + BIG_CPU), "memory": d.pick(MEMORY)}}
        if d.chance(0.8):
            status["allocatedResources"] = {"cpu": d.pick(CPU + BIG_CPU)}


def other_requests(d: Dice, container):
    current = container["resources"].get("requests", {})
    result = {}
    if d.chance(0.9):
        result["cpu"] = current["cpu"] if "cpu" in current and d.chance(0.4) else d.pick(CPU + BIG_CPU)
    if d.chance(0.9):
        result["memory"] = current["memory"] if "memory" in current and d.chance(0.4) else d.pick(MEMORY + BIG_MEMORY)
    return result


# -- room ------------------------------------------------------------------

SUFFIXES = {"": 1, "u": 1e-6, "m": 1e-3, "M": 1e6, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def parse_quantity(text):
    number, suffix = re.fullmatch(r"([0-9.]+(?:e[0-9]+)?)([a-zA-Z]*)", text).groups()
    return float(number) * SUFFIXES[suffix]


class Room:
    """Roughly what is left on each node: enough to bind most pods where they
    fit. It must not be exact, and is not: the judge decides what fits."""

    def __init__(self, nodes):
        self.left = {}
        for node in nodes:
            total = node["status"]["capacity"]
            self.left[node["metadata"]["name"]] = {k: parse_quantity(total.get(k, "0")) for k in ("cpu", "memory", "pods")}

    def wants(self, pod):
        total = {"cpu": 0.0, "memory": 0.0, "pods": 1.0}
        for container in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
            for name, quantity in container["resources"].get("requests", {}).items():
                if name in total:
                    total[name] += parse_quantity(quantity)
        return total

    def fits(self, node_name, pod):
        left = self.left[node_name]
        return all(left[k] >= v for k, v in self.wants(pod).items())

    def take(self, node_name, pod):
        for k, v in self.wants(pod).items():
            self.left[node_name][k] -= v
