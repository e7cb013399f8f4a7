#!/usr/bin/env python3
"""Writes a small random cluster that stresses every scheduling rule.

    gen.py --seed N [--nodes A..B] [--pods A..B] [--all-kinds] > cluster.json

The same seed gives the same bytes. Names, labels and values come from small
vocabularies, so that matches and mismatches are both common; pods are bound
without regard to any rule but (mostly) room, so that clusters also contain
states which the scheduler would not have made. Objects have the form in which
an API server stores them, except where a comment says otherwise.
"""
import argparse
import json
import random
import sys

import gen_pods
import gen_volumes
from gen_base import Dice, meta

ZONES = ["z1", "z2", "z3"]
RACKS = ["r1", "r2", "r3"]


def make_nodes(d: Dice, count: int):
    nodes = []
    for i in range(count):
        name = f"node-{i:02d}"
        labels = {"kubernetes.io/os": "linux", "kubernetes.io/arch": d.pick(["amd64", "arm64"])}
        if not d.chance(0.04):
            labels["kubernetes.io/hostname"] = name
        zone = d.pick(ZONES)
        if d.chance(0.9):
            labels["topology.kubernetes.io/zone"] = zone
            labels["topology.kubernetes.io/region"] = "east"
            if d.chance(0.6):
                labels["topology.ebs.csi.aws.com/zone"] = zone
        elif d.chance(0.5):
            labels["failure-domain.beta.kubernetes.io/zone"] = zone
        if d.chance(0.75):
            labels["rack"] = d.pick(RACKS + [""])  # an empty value is a domain too
        if d.chance(0.8):
            labels["disk"] = d.pick(["ssd", "ssd", "hdd"])
        if d.chance(0.7):
            labels["generation"] = d.pick(["1", "2", "3", "04", "-1", "five"])
        node = {
            "apiVersion": "v1", "kind": "Node", "metadata": meta(name, labels=labels),
            "spec": {"providerID": f"fake:///{name}"},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        }
        taints = make_taints(d)
        if d.chance(0.07):
            # kubectl cordon sets the field and a controller adds the taint; in
            # between there is a moment with only one of them.
            if not d.chance(0.2):
                node["spec"]["unschedulable"] = True
            if d.chance(0.6):
                taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
        if taints:
            node["spec"]["taints"] = taints
        allocatable = make_allocatable(d)
        capacity = dict(allocatable)
        node["status"]["capacity"] = capacity
        # The API server defaults a missing allocatable to the capacity.
        if not d.chance(0.02):
            node["status"]["allocatable"] = allocatable
        nodes.append(node)
    return nodes


def make_taints(d: Dice):
    taints = []
    while d.chance(0.12) and len(taints) < 3:
        taint = {
            "key": d.pick(["dedicated", "gpu", "level"]),
            "effect": d.weighted({"NoSchedule": 5, "NoExecute": 2, "PreferNoSchedule": 3}),
        }
        value = "5" if taint["key"] == "level" else d.pick(["", "a", "b"])
        if value:
            taint["value"] = value
        if not any(t["key"] == taint["key"] and t["effect"] == taint["effect"] for t in taints):
            taints.append(taint)
    return taints


def make_allocatable(d: Dice):
    allocatable = {
        "cpu": d.pick(["3", "3920m", "4", "8", "8", "15.9"]),
        "memory": d.pick(["6Gi", "7800000Ki", "16Gi", "16Gi", "32e9", "8000M"]),
        "pods": d.pick(["5", "10", "20", "20", "110"]),
    }
    if d.chance(0.9):
        allocatable["ephemeral-storage"] = d.pick(["10Gi", "20Gi", "95491281146"])
    if d.chance(0.5):
        allocatable["hugepages-2Mi"] = d.pick(["0", "64Mi", "512Mi"])
    if d.chance(0.5):
        allocatable["example.com/gpu"] = d.pick(["0", "1", "2", "4"])
    if d.chance(0.2):
        allocatable["example.com/license"] = d.pick(["1", "3"])
    # A node that has not reported everything yet.
    if d.chance(0.04):
        del allocatable[d.pick(sorted(allocatable))]
    return allocatable


def make_namespaces(d: Dice):
    namespaces = []
    for name, labels in [("default", {}), ("team-a", {"team": "a", "env": "prod"}), ("team-b", {"team": "b", "env": "dev"}),
                         ("team-c", {"team": "a"})]:
        # A snapshot taken without namespaces: their labels count as empty.
        if d.chance(0.04):
            continue
        labels = dict(labels)
        labels["kubernetes.io/metadata.name"] = name
        namespaces.append({"apiVersion": "v1", "kind": "Namespace", "metadata": meta(name, labels=labels),
                           "status": {"phase": "Active"}})
    return namespaces


def bystanders():
    """Objects that no filter reads."""
    return [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta("high"), "value": 1000000},
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta("web", "default"),
         "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
         "status": {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}},
    ]


def make_cluster(seed: int, node_range, pod_range, all_kinds=False):
    d = Dice(random.Random(seed))
    low, high = node_range
    # Small clusters are filled faster, and full domains make spreading bite.
    nodes = make_nodes(d, d.between(low, d.pick([high, (low + high) // 2])))
    storage = gen_volumes.Storage(d, nodes, all_kinds)
    pods = gen_pods.Pods(d, nodes, storage)
    # More than that on a node, and nothing but its room would matter.
    low, high = pod_range
    pods.fill(max(low, min(d.between(low, high), 5 * len(nodes))))
    items = nodes + make_namespaces(d) + storage.objects() + pods.objects() + bystanders()
    d.shuffle(items)
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}


def parse_range(text: str):
    low, _, high = text.partition("..")
    return int(low), int(high or low)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--nodes", type=parse_range, default=(3, 14), metavar="A..B")
    parser.add_argument("--pods", type=parse_range, default=(10, 50), metavar="A..B")
    parser.add_argument("--all-kinds", action="store_true",
                        help="also VolumeAttachment, CSIDriver and CSIStorageCapacity objects")
    args = parser.parse_args()
    json.dump(make_cluster(args.seed, args.nodes, args.pods, args.all_kinds), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
