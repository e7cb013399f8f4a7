#!/usr/bin/env python3
"""load.py --nodes N --pods M: fills the cluster of KUBECONFIG with two NodePools, N nodes and Deployments of M pods in all,
and waits until the nodes are Ready and the pods run. The same arguments make the same cluster, but for what the scheduler
chooses.

Without Karpenter the nodes and their NodeClaims are made here, initialized already. With --karpenter only NodeClaims are, and
Karpenter launches them. NodePools leave Karpenter only empty nodes, after `Never`: the tests decide what happens.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import ssl
import sys
import threading
import time
import urllib.parse

POOLS = {"general": "on-demand", "spot": "spot"}
SIZES = ["c-4x", "m-4x", "s-8x", "c-8x"]  # of Karpenter's KWOK catalogue: cpu-, memory- and evenly weighted; cores
ZONES = ["test-zone-a", "test-zone-b", "test-zone-c"]
WORKERS = 16


class Api:
    """As much of a client as a loader needs. One connection for each thread."""

    def __init__(self, kubeconfig):
        with open(kubeconfig) as file:
            config = json.load(file)  # controlplane.py writes JSON
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.host = urllib.parse.urlparse(cluster["server"]).netloc
        self.context = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self.headers = {"Content-Type": "application/json"}
        if "token" in user:
            self.headers["Authorization"] = f"Bearer {user['token']}"
        else:
            self.context.load_cert_chain(user["client-certificate"], user["client-key"])
        self.local = threading.local()

    def call(self, method, path, body=None, accept=(200, 201)):
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = http.client.HTTPSConnection(self.host, context=self.context, timeout=60)
        connection.request(method, path, json.dumps(body) if body is not None else None, self.headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        if answer.status not in accept:
            raise RuntimeError(f"{method} {path}: {answer.status} {content.get('message')}")
        return content

    def list(self, path):
        items, following = [], ""
        while True:
            page = self.call("GET", f"{path}?limit=1000{following}")
            items += page["items"]
            if not page["metadata"].get("continue"):
                return items
            following = "&continue=" + urllib.parse.quote(page["metadata"]["continue"])


def catalogue():
    with open(os.environ["TAMP_E2E_INSTANCE_TYPES"]) as file:
        return {kind["name"]: kind["resources"] for kind in json.load(file)}


def requirement(key, *values):
    return {"key": key, "operator": "In", "values": list(values)}


def node_pool(name, capacity_type):
    return {
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name},
        "spec": {
            "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "Never"},
            "template": {"spec": {
                "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                "expireAfter": "Never",
                "requirements": [requirement("karpenter.sh/capacity-type", capacity_type), requirement("kubernetes.io/arch", "amd64"),
                                 requirement("kubernetes.io/os", "linux")],
            }},
        },
    }


class Machine:
    """The i-th node: its pool, size and zone follow from i."""

    def __init__(self, i, pools, types):
        self.pool = list(POOLS)[i % len(POOLS)]
        self.capacity_type = POOLS[self.pool]
        self.type = SIZES[i // len(POOLS) % len(SIZES)] + "-amd64-linux"
        self.zone = ZONES[i // 8 % len(ZONES)]
        self.name = f"{self.pool}-{i:05}"
        self.provider_id = f"kwok://{self.name}"
        self.pool_uid = pools[self.pool]["metadata"]["uid"]
        self.capacity = types[self.type]

    def labels(self):
        return {
            "karpenter.sh/nodepool": self.pool, "karpenter.sh/capacity-type": self.capacity_type,
            "node.kubernetes.io/instance-type": self.type, "topology.kubernetes.io/zone": self.zone,
            "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "karpenter.kwok.sh/kwoknodeclass": "default",
        }

    def allocatable(self):
        """Less 100m and 10Mi, as the provider has it; the catalogue's figures are whole cores and whole Gi."""
        memory = int(self.capacity["memory"].removesuffix("Gi")) * 1024 - 10
        return {**self.capacity, "cpu": f"{int(self.capacity['cpu']) * 1000 - 100}m", "memory": f"{memory}Mi"}

    def claim(self):
        return {
            "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
            "metadata": {
                "name": self.name, "labels": self.labels(),
                "ownerReferences": [{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "name": self.pool, "uid": self.pool_uid,
                                     "blockOwnerDeletion": True}],
            },
            "spec": {
                "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                "expireAfter": "Never",
                "requirements": [requirement(key, self.labels()[key]) for key in
                                 ("karpenter.sh/nodepool", "karpenter.sh/capacity-type", "node.kubernetes.io/instance-type",
                                  "topology.kubernetes.io/zone", "kubernetes.io/arch", "kubernetes.io/os")],
                "resources": {"requests": self.capacity},
            },
        }

    def claim_status(self, claim):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        conditions = [{"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": now}
                      for kind in ("Launched", "Registered", "Initialized", "Ready")]
        return {**claim, "status": {"nodeName": self.name, "providerID": self.provider_id, "imageID": "",
                                    "capacity": self.capacity, "allocatable": self.allocatable(), "conditions": conditions}}

    def node(self, claim):
        return {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {
                "name": self.name,
                "labels": {**self.labels(), "kubernetes.io/hostname": self.name, "karpenter.sh/registered": "true",
                           "karpenter.sh/initialized": "true"},
                "annotations": {"kwok.x-k8s.io/node": "fake"},
                "ownerReferences": [{"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "name": self.name,
                                     "uid": claim["metadata"]["uid"], "blockOwnerDeletion": True}],
            },
            "spec": {"providerID": self.provider_id},
            "status": {"capacity": self.capacity, "allocatable": self.allocatable()},
        }


def deployment(i, replicas, namespace):
    """Requests differ, so that nodes fill unevenly."""
    cpu, memory = [100, 250, 500, 150][i % 4], [128, 256, 512, 1024][i // 4 % 4]
    labels = {"app": f"app-{i:03}"}
    container = {"name": "main", "image": "app", "resources": {"requests": {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}}}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": f"app-{i:03}", "namespace": namespace},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                 "template": {"metadata": {"labels": labels}, "spec": {"containers": [container], "terminationGracePeriodSeconds": 1}}},
    }


def wait(what, seconds, count):
    """count() gives (done, wanted)."""
    end = time.monotonic() + seconds
    while True:
        done, wanted = count()
        if done >= wanted:
            return
        if time.monotonic() > end:
            raise RuntimeError(f"only {done} of {wanted} {what} after {seconds} s")
        time.sleep(0.5)


def nodes_ready(api):
    return sum(1 for node in api.list("/api/v1/nodes") for condition in node["status"].get("conditions", ())
               if condition["type"] == "Ready" and condition["status"] == "True")


def load(api, nodes, pods, karpenter=False, namespace="load", deployments=40, say=lambda text: None):
    begin = time.monotonic()
    claims_path = "/apis/karpenter.sh/v1/nodeclaims"
    api.call("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}, accept=(201, 409))
    api.call("POST", "/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses",
             {"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": "default"}}, accept=(201, 409))
    pools = {name: api.call("POST", "/apis/karpenter.sh/v1/nodepools", node_pool(name, kind)) for name, kind in POOLS.items()}
    types = catalogue()

    def make(i):
        machine = Machine(i, pools, types)
        claim = api.call("POST", claims_path, machine.claim())
        if not karpenter:
            api.call("PUT", f"{claims_path}/{machine.name}/status", machine.claim_status(claim))
            api.call("POST", "/api/v1/nodes", machine.node(claim))

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(make, range(nodes)))
        wait("nodes are Ready", 120, lambda: (nodes_ready(api), nodes))
        say(f"{nodes} nodes after {time.monotonic() - begin:.1f} s")
        shares = [pods // deployments + (1 if i < pods % deployments else 0) for i in range(deployments)]
        list(workers.map(lambda i: api.call("POST", f"/apis/apps/v1/namespaces/{namespace}/deployments",
                                            deployment(i, shares[i], namespace)), range(deployments)))

    def running():
        items = api.list(f"/apis/apps/v1/namespaces/{namespace}/deployments")
        return sum(item["status"].get("readyReplicas", 0) for item in items), pods

    wait("pods run", 300, running)
    say(f"{pods} pods after {time.monotonic() - begin:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--pods", type=int, default=2000)
    parser.add_argument("--karpenter", action="store_true")
    args = parser.parse_args()
    load(Api(os.environ["KUBECONFIG"]), args.nodes, args.pods, args.karpenter, say=lambda text: print(text, flush=True))


if __name__ == "__main__":
    sys.exit(main())
