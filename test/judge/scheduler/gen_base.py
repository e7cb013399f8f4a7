"""What the parts of the generator share: dice, metadata and selectors."""
import random


class Dice:
    """Random choices, all drawn from one seeded source."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.serial = 0

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def pick(self, options):
        return self.rng.choice(options)

    def some(self, options, low, high):
        """Between low and high different options."""
        return self.rng.sample(options, min(len(options), self.rng.randint(low, high)))

    def weighted(self, weights: dict):
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def between(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def shuffle(self, items):
        self.rng.shuffle(items)

    def next(self) -> int:
        """A number that no object of this cluster had before."""
        self.serial += 1
        return self.serial


def meta(name, namespace=None, labels=None, annotations=None, uid=None):
    m = {"name": name, "creationTimestamp": "2026-01-01T00:00:00Z"}
    m["uid"] = uid or f"uid-{namespace or 'cluster'}-{name}"
    if namespace:
        m["namespace"] = namespace
    if labels:
        m["labels"] = dict(labels)
    if annotations:
        m["annotations"] = dict(annotations)
    return m


# What pods are labelled with, and so what selectors ask for.
POD_LABELS = {
    "app": ["web", "db", "cache"],
    "version": ["v1", "v2"],
    "tenant": ["blue", "green"],
}


def label_selector(d: Dice, own_labels: dict):
    """A selector that matches the pod itself more often than not; None is a
    selector that is absent, {} one that is empty."""
    kind = d.weighted({"own": 60, "other": 15, "expression": 15, "empty": 4, "absent": 4, "several": 8})
    if kind == "absent":
        return None
    if kind == "empty":
        return {}
    if kind == "own" and own_labels.get("app"):
        return {"matchLabels": {"app": own_labels["app"]}}
    if kind == "several":
        return {"matchLabels": {"app": d.pick(POD_LABELS["app"])}, "matchExpressions": [label_expression(d)]}
    if kind == "expression":
        return {"matchExpressions": [label_expression(d)]}
    return {"matchLabels": {"app": d.pick(POD_LABELS["app"])}}


def label_expression(d: Dice, vocabulary=None):
    vocabulary = vocabulary or POD_LABELS
    key = d.pick(sorted(vocabulary))
    operator = d.pick(["In", "In", "NotIn", "Exists", "DoesNotExist"])
    expression = {"key": key, "operator": operator}
    if operator in ("In", "NotIn"):
        expression["values"] = d.some(vocabulary[key], 1, 2)
    return expression


def merge_label_keys(d: Dice, selector, keys, operator, own_labels):
    """What the API server does with matchLabelKeys (In) and mismatchLabelKeys
    (NotIn) when it stores a pod. Sometimes left out: a pod stored by an older
    server."""
    if selector is None or d.chance(0.2):
        return
    for key in keys:
        if key in own_labels:
            selector.setdefault("matchExpressions", []).append(
                {"key": key, "operator": operator, "values": [own_labels[key]]})
