#!/usr/bin/env python3
"""Prints what the pods of a snapshot must cost at least: no set of nodes that holds them can be cheaper.

    bound.py --types instance_types.json [--most DOLLARS] cluster.json

It solves the linear relaxation: fractions of machines, each at its cheapest offering that the pool
admits, that together have the cpu, memory and pod slots that all pods request. Constraints of pods,
overhead of nodes and whole numbers only make a real cluster dearer. Needs scipy.

With --most: how many pods must move at least until the cluster costs no more than that. Nodes may stay in
fractions, too, and every pod of a node that goes moves once.
"""
import argparse
import json

from scipy.optimize import linprog

from gen import CAPACITY_TYPE, ZONE, byte_count, millicores

MIB = 2**20


def pool_values(items):
    """What the first pool admits: key -> values."""
    pool = next(i for i in items if i["kind"] == "NodePool")
    return {r["key"]: r["values"] for r in pool["spec"]["template"]["spec"]["requirements"]}


def total_requests(items):
    """Millicores, bytes and number of all pods."""
    cpu = memory = count = 0
    for pod in (i for i in items if i["kind"] == "Pod"):
        count += 1
        for container in pod["spec"]["containers"]:
            requests = container["resources"]["requests"]
            cpu += millicores(requests["cpu"])
            memory += byte_count(requests["memory"])
    return cpu, memory, count


def admitted(machine, values):
    arches, systems = values.get("kubernetes.io/arch", ["amd64"]), values.get("kubernetes.io/os", ["linux"])
    return machine["architecture"] in arches and set(machine["operatingSystems"]) & set(systems)


def cheapest_price(machine, capacity_types):
    def capacity_type(offering):
        return next(r["values"][0] for r in offering["Requirements"] if r["key"] == CAPACITY_TYPE)
    return min(o["Price"] for o in machine["offerings"] if o["Available"] and capacity_type(o) in capacity_types)


def lower_bound(machines, prices, cpu, memory, count):
    supply = [[-millicores(m["resources"]["cpu"]) for m in machines],
              [-byte_count(m["resources"]["memory"]) / MIB for m in machines],
              [-float(m["resources"]["pods"]) for m in machines]]
    return linprog(prices, A_ub=supply, b_ub=[-cpu, -memory / MIB, -count]).fun


def fewest_moves(items, catalogue, machines, prices, most):
    """Keep as many pods where they are as the sum allows: shares of the nodes that are there, and of machines to buy."""
    types = {m["name"]: m for m in catalogue}
    pods_of = {}
    for pod in (i for i in items if i["kind"] == "Pod"):
        pods_of[pod["spec"]["nodeName"]] = pods_of.get(pod["spec"]["nodeName"], 0) + 1
    nodes = [i for i in items if i["kind"] == "Node"]
    paid = [price_of(types[n["metadata"]["labels"]["node.kubernetes.io/instance-type"]], n["metadata"]["labels"]) for n in nodes]
    rooms = [n["status"]["allocatable"] for n in nodes] + [m["resources"] for m in machines]
    cpu, memory, count = total_requests(items)
    kept = linprog([-pods_of.get(n["metadata"]["name"], 0) for n in nodes] + [0] * len(machines),
                   A_ub=[paid + prices,
                         [-millicores(r["cpu"]) for r in rooms],
                         [-byte_count(r["memory"]) / MIB for r in rooms],
                         [-float(r["pods"]) for r in rooms]],
                   b_ub=[most, -cpu, -memory / MIB, -count], bounds=[(0, 1)] * len(nodes) + [(0, None)] * len(machines))
    return count + kept.fun if kept.success else None


def price_of(machine, labels):
    for offering in machine["offerings"]:
        value = {r["key"]: r["values"][0] for r in offering["Requirements"]}
        if value[CAPACITY_TYPE] == labels[CAPACITY_TYPE] and value[ZONE] == labels[ZONE]:
            return offering["Price"]
    raise SystemExit(f"{machine['name']} is not sold in {labels[ZONE]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--types", required=True, help="machine catalogue in the KWOK provider's format")
    parser.add_argument("--most", type=float, help="dollars per hour: how many pods must move until it costs no more?")
    parser.add_argument("snapshot")
    options = parser.parse_args()
    with open(options.snapshot) as f:
        items = json.load(f)["items"]
    values = pool_values(items)
    with open(options.types) as f:
        catalogue = json.load(f)
    machines = [m for m in catalogue if admitted(m, values)]
    prices = [cheapest_price(m, values.get(CAPACITY_TYPE, ["on-demand", "spot"])) for m in machines]
    if options.most is not None:
        moves = fewest_moves(items, catalogue, machines, prices, options.most)
        print("no moves are enough" if moves is None else f"moves at least {moves:.0f}")
        return
    cpu, memory, count = total_requests(items)
    bound = lower_bound(machines, prices, cpu, memory, count)
    print(f"pods {count} cpu {cpu / 1000:.0f} mem {memory / 2**30:.0f}Gi lower bound {bound:.3f}")


if __name__ == "__main__":
    main()
