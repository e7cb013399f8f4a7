#!/usr/bin/env python3
"""Prints what the pods of a snapshot must cost at least: no set of nodes that holds them can be cheaper.

    bound.py --types instance_types.json cluster.json

It solves the linear relaxation: fractions of machines, each at its cheapest offering that the pool
admits, that together have the cpu, memory and pod slots that all pods request. Constraints of pods,
overhead of nodes and whole numbers only make a real cluster dearer. Needs scipy.
"""
import argparse
import json

from scipy.optimize import linprog

from gen import CAPACITY_TYPE, byte_count, millicores

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--types", required=True, help="machine catalogue in the KWOK provider's format")
    parser.add_argument("snapshot")
    options = parser.parse_args()
    with open(options.snapshot) as f:
        items = json.load(f)["items"]
    values = pool_values(items)
    with open(options.types) as f:
        machines = [m for m in json.load(f) if admitted(m, values)]
    prices = [cheapest_price(m, values.get(CAPACITY_TYPE, ["on-demand", "spot"])) for m in machines]
    cpu, memory, count = total_requests(items)
    bound = lower_bound(machines, prices, cpu, memory, count)
    print(f"pods {count} cpu {cpu / 1000:.0f} mem {memory / 2**30:.0f}Gi lower bound {bound:.3f}")


if __name__ == "__main__":
    main()
