#!/usr/bin/env python3
"""Approved plans on a real control plane with real Karpenter: a delete run that Karpenter's emptiness reaps, a replacement, a drain that
waits for a budget, the kill switches, the controller killed in each phase, a second replica. After each, a comparison of all objects of every
kind shows only what was intended.

No story races the controller, however slow or fast the machine is: where one must happen in the middle of a drain, KWOK is frozen, so
that no pod stops or starts and the drain cannot get further than its first eviction; where one must happen in a phase that passes at once, the
controller's way to the API server is slow. And each begins when all runs are over: what one
left under way would end in the next one's comparison.

karpenter_runs_test.py [NAME…], or TAMP_E2E_STORIES="NAME…": only these stories. Run by run.py, with Karpenter.
"""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

SOURCE = pathlib.Path(os.environ["TAMP_E2E_SOURCE"])
DIRECTORY = pathlib.Path(os.environ["TAMP_E2E_DIRECTORY"])
TAMP = os.environ.get("TAMP_PROGRAM", str(SOURCE / "build/bin/tamp"))
TYPES = os.environ["TAMP_E2E_INSTANCE_TYPES"]
sys.path[:0] = [str(SOURCE / "test/e2e"), str(SOURCE / "test/e2e/controlplane")]
import expect  # noqa: E402
import load  # noqa: E402
from expect import command, control, kubectl, must, wait_until  # noqa: E402
from processes import dies_with_parent  # noqa: E402
from slow_road import SlowRoad  # noqa: E402

MARKS = ("karpenter.sh/do-not-disrupt", "cluster-autoscaler.kubernetes.io/scale-down-disabled", "autoscaling.cast.ai/removal-disabled",
         "temper.codes/run")
# A plan takes a node of each pool, and with so many pods both have some: a drain with one eviction has no middle.
NODES, PODS = 14, 40
REAPS = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "5s", "budgets": [{"nodes": "100%"}]}  # what Karpenter may do


RUNS, POLICY = "/apis/temper.codes/v1alpha1/consolidationruns", "/apis/temper.codes/v1alpha1/temperpolicies/default"
DEPLOYMENTS = "/apis/apps/v1/namespaces/load/deployments"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/tamp-system/leases"
# Read without kubectl: on a busy machine starting one takes longer than the answer.
WRITTEN = {"Node": "/api/v1/nodes", "NodePool": "/apis/karpenter.sh/v1/nodepools", "NodeClaim": "/apis/karpenter.sh/v1/nodeclaims"}
# What comes and goes with every pod, and tells nothing that its Deployment does not.
RESTLESS = {"Event", "Lease", "Pod", "Endpoints", "EndpointSlice", "ComponentStatus"}


class Controller:
    count = 0

    def __init__(self, *flags, road=None):
        Controller.count += 1
        name = f"tamp-runs-{Controller.count}"
        kubeconfig = must(sys.executable, os.environ["TAMP_E2E_CONTROLPLANE"], "kubeconfig", "tamp-system", "tamp-controller", "7200",
                          name, DIRECTORY).strip()
        if road:
            kubeconfig = road.lead(kubeconfig)
        self.path = DIRECTORY / f"{name}.log"
        self.log = open(self.path, "w")
        self.process = subprocess.Popen([TAMP, "controller", "--kubeconfig", kubeconfig, "--log-format", "json", "--pod-name", name,
                                         "--metrics-address", "127.0.0.1:0", "--instance-types", TYPES, *flags],
                                        stdout=self.log, stderr=subprocess.STDOUT, preexec_fn=dies_with_parent())

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def kill_and_forget(self, api):
        """Its Lease goes too: that the next one waits until it has expired is second_replica's."""
        self.kill()
        for lease in api.list(LEASES):
            api.call("DELETE", f"{LEASES}/{lease['metadata']['name']}")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def leads(self):
        return '"leading"' in self.path.read_text()


class Cluster:
    """Two pools of nodes with Deployments, and a policy that acts."""

    old_plans = frozenset()

    def __init__(self):
        deploy = SOURCE / "deploy"
        kubectl("apply", "--server-side", "-k", deploy)
        kubectl("delete", "deployment", "-n", "tamp-system", "--all")
        kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=120s")
        for kind in ("validatingwebhookconfiguration", "mutatingwebhookconfiguration"):
            kubectl("delete", kind, "tamp")
        self.api = load.Api(os.environ["KUBECONFIG"])
        load.load(self.api, NODES, PODS, karpenter=True, deployments=12)
        for i, name in enumerate(self.empty_nodes()):
            self.fill(name, 112 + 16 * i)  # these ask for 100m and 128Mi
        self.policy()

    def fill(self, name, number):
        """Where the scheduler left a node empty there would be nothing to drain: for a moment no other node takes pods."""
        others = [node["metadata"]["name"] for node in self.api.list(WRITTEN["Node"]) if node["metadata"]["name"] != name]
        kubectl("cordon", *others)
        self.api.call("POST", DEPLOYMENTS, load.deployment(number, 3, "load"))
        self.pods_run()
        kubectl("uncordon", *others)

    def policy(self, **more):
        disruption = {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "0s", "consolidationSavingsThreshold": 0.0001,
                      "budgets": [{"nodes": "1"}]}
        spec = {"mode": "Act", "planner": "Requests", "minNodeLifetime": "0s", "utilizationThreshold": 1.0, "disruption": disruption,
                "limits": {"maxEvictionsPerHour": 1000},  # all stories within one hour
                "guards": {"run": {"settle": "5s", "afterReapWatch": "5s"}}, **more}
        kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", data=json.dumps(
            {"apiVersion": "temper.codes/v1alpha1", "kind": "TemperPolicy", "metadata": {"name": "default"}, "spec": spec}))
        for pool in self.api.list(WRITTEN["NodePool"]):
            kubectl("patch", "nodepool", pool["metadata"]["name"], "--type", "merge", "-p", json.dumps({"spec": {"disruption": REAPS}}))

    def node_of_a_pool_of_its_own(self, pool, kind, requests, replicas):
        """And a Deployment of that name that may run on no other. The node's name."""
        made = self.api.call("POST", WRITTEN["NodePool"], load.node_pool(pool, "on-demand"))
        kubectl("patch", "nodepool", pool, "--type", "merge", "-p", json.dumps({"spec": {"disruption": REAPS}}))
        deployment = load.deployment(0, replicas, "load")
        deployment["metadata"]["name"] = pool
        template = deployment["spec"]["template"]
        deployment["spec"]["selector"]["matchLabels"] = template["metadata"]["labels"] = {"app": pool}
        template["spec"]["nodeSelector"] = {"karpenter.sh/nodepool": pool}
        template["spec"]["containers"][0]["resources"] = {"requests": requests}
        # The node first, and kept from Karpenter's emptiness until the pods are on it.
        machine = load.Machine(0, {name: made for name in load.POOLS}, load.catalogue())
        machine.pool, machine.capacity_type, machine.type, machine.name = pool, "on-demand", kind, f"{pool}-00000"
        machine.capacity = load.catalogue()[kind]
        claim = machine.claim()
        claim["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
        self.api.call("POST", WRITTEN["NodeClaim"], claim)

        def node():
            return self.api.call("GET", f"{WRITTEN['NodeClaim']}/{machine.name}").get("status", {}).get("nodeName")
        name = wait_until("the node is there", node, 60)
        self.api.call("POST", DEPLOYMENTS, deployment)
        self.pods_run()
        for kind, object_name in (("nodeclaim", machine.name), ("node", name)):
            kubectl("annotate", kind, object_name, "karpenter.sh/do-not-disrupt-")
        return name

    def stir(self, story):
        """A hash is good for one run: something is different, so that the next plan has another one; and only that one counts."""
        self.old_plans |= {plan["hash"] for plan in [self.plan()] if plan}
        kubectl("label", "nodes", "--all", f"story={story}", "--overwrite")

    def plan(self):
        return self.api.call("GET", POLICY).get("status", {}).get("plan")

    def wait_for_plan(self, seconds=90):
        def fresh():
            plan = self.plan()
            return plan if plan and plan["hash"] not in self.old_plans else None
        return wait_until("a plan is published", fresh, seconds)

    def approve(self, seconds=90):
        """Through the command, as a person does. The run's name."""
        for _ in range(5):
            plan = self.wait_for_plan(seconds)
            good, text = command(TAMP, "approve", plan["shortHash"])
            self.old_plans |= {plan["hash"]}
            if good:
                name = next(line.split()[1] for line in text.splitlines() if line.startswith("run "))
                wait_until("it was taken in", lambda: self.phase(name)[0] not in (None, "Approved"), 60)
                if self.phase(name) != ("RolledBack", "StalePlan"):
                    return name
            elif "not the plan that is published now" not in text and "no plan is published now" not in text:
                raise AssertionError(text)
        raise AssertionError("the plan changes all the time")

    def run(self, name):
        return self.api.call("GET", f"{RUNS}/{name}")

    def phases(self, seconds=420):
        """Of runs that are made from now on, as a watch tells them: (name, phase)."""
        version = self.api.call("GET", RUNS)["metadata"]["resourceVersion"]
        connection = http.client.HTTPSConnection(self.api.host, context=self.api.context, timeout=seconds)
        connection.request("GET", f"{RUNS}?watch=1&resourceVersion={version}&timeoutSeconds={seconds}", headers=self.api.headers)
        known = {item["metadata"]["name"] for item in self.api.list(RUNS)}

        def lines():
            with contextlib.closing(connection):
                for line in connection.getresponse():
                    item = json.loads(line)["object"]
                    phase = item.get("status", {}).get("phase")
                    if phase and phase != "Approved" and item["metadata"]["name"] not in known:
                        yield item["metadata"]["name"], phase
        return lines()

    def moves(self, name):
        return self.run(name)["status"].get("journal", {}).get("moves", [])

    def under_way(self):
        return [item["metadata"]["name"] for item in self.api.list(RUNS)
                if item.get("status", {}).get("phase") not in ("Succeeded", "RolledBack") or item["metadata"].get("finalizers")]

    def rest(self):
        """Whatever a story left under way is taken back, all pods run, and no node is empty: that one would be Karpenter's, at any time."""
        control("thaw", "kwok")
        if self.under_way():
            controller = Controller()
            try:
                for name in self.under_way():
                    command(TAMP, "abort", name)
                wait_until("all runs are over", lambda: not self.under_way(), 180)
            finally:
                controller.stop()
        self.pods_run()
        wait_until("Karpenter took the empty nodes", lambda: not self.empty_nodes(), 180)

    def empty_nodes(self):
        used = {pod["spec"].get("nodeName") for pod in self.api.list("/api/v1/namespaces/load/pods")}
        return [node["metadata"]["name"] for node in self.api.list(WRITTEN["Node"])
                if "karpenter.sh/nodepool" in node["metadata"].get("labels", {}) and node["metadata"]["name"] not in used]

    @contextlib.contextmanager
    def no_pod_starts_or_stops(self):
        control("freeze", "kwok")
        try:
            yield
        finally:
            control("thaw", "kwok")

    def evicts(self, name):
        """Its first eviction was accepted."""
        wait_until("a pod is being evicted", lambda: any(
            m["kind"] == "Evict" and m["state"] == "Done" for m in self.run(name)["status"].get("journal", {}).get("mutations", ())), 120)

    def phase(self, name):
        status = self.run(name).get("status", {})
        return status.get("phase"), status.get("reason", "")

    def reaches(self, name, *phases, seconds=120):
        def look():
            phase, reason = self.phase(name)
            if phase in ("Succeeded", "RolledBack") and phase not in phases:
                raise AssertionError(f"{name} is {phase} ({reason}): {must(TAMP, 'run', 'show', name)}")
            return phase in phases
        wait_until(f"{name} is {phases}: {command(TAMP, 'run', 'show', name)[1]}", look, seconds)

    def kinds(self):
        """Every kind that the API server knows and lists, and where."""
        groups = [("", "/api/v1")] + [(group["name"], f"/apis/{group['preferredVersion']['groupVersion']}")
                                      for group in self.api.call("GET", "/apis")["groups"]]
        return [(f"{resource['kind']}.{group}" if group else resource["kind"], resource["kind"], f"{path}/{resource['name']}")
                for group, path in groups for resource in self.api.call("GET", path)["resources"]
                if "list" in resource["verbs"] and "/" not in resource["name"] and resource["kind"] not in RESTLESS]

    def settled(self):
        """All that people, autoscalers and runs wrote; not what changes by itself."""
        out = {}
        for name, kind, item in ((name, kind, item) for name, kind, path in self.kinds() for item in self.api.list(path)):
            meta = item["metadata"]
            annotations = {k: v for k, v in meta.get("annotations", {}).items()
                           if not k.startswith(("kwok.x-k8s.io", "deployment.kubernetes.io", "kubectl.kubernetes.io", "node.alpha", "temper.codes/requests"))}
            labels = meta.get("labels", {})
            spec = json.loads(json.dumps({k: v for k, v in item.items() if k not in ("metadata", "status", "apiVersion", "kind")}))
            spec.update(spec.pop("spec", {}))
            if kind == "Node":
                spec["taints"] = [t for t in spec.get("taints", []) if not t["key"].startswith("node.kubernetes.io/")]
            out[f"{name} {meta.get('namespace', '')}/{meta['name']}"] = json.dumps(
                {"uid": meta.get("uid"), "annotations": annotations, "labels": labels, "spec": spec, "finalizers": meta.get("finalizers"),
                 "owners": meta.get("ownerReferences")}, sort_keys=True)
        return out

    def records(self):
        """What runs may leave behind and go on writing: themselves and their records."""
        names = [item["metadata"]["name"] for item in self.api.list(RUNS)]
        return [*names, *(f"{name}-{what}-{part}" for name in names for what in ("audit", "timeline", "snapshots") for part in range(1, 5))]

    def compare(self, before, gone=(), new=()):
        """Only these objects went and came, and nothing else is different."""
        ours = tuple(f"/{name}" for name in self.records())
        before, after = ({key: text for key, text in objects.items() if not key.endswith(ours)} for objects in (before, self.settled()))
        differences = [f"gone: {key}" for key in before if key not in after and not any(key.endswith("/" + name) for name in gone)]
        differences += [f"new: {key}" for key in after if key not in before and not any(key.endswith("/" + name) for name in new)]
        differences += [f"still there: {name}" for name in gone if any(key.endswith("/" + name) for key in after)]
        differences += [f"{key}: {before[key]} -> {after[key]}" for key in before if key in after and before[key] != after[key]]
        assert not differences, "\n".join(differences)
        for kind in ("Node", "NodeClaim"):
            for item in self.api.list(WRITTEN[kind]):
                left = [mark for mark in MARKS if mark in item["metadata"].get("annotations", {})]
                assert not left, f"{kind} {item['metadata']['name']} still has {left}"

    def ended(self, name, before):
        """The run is over, whichever way, and only what that means is different."""
        wait_until("nothing is left", lambda: not self.run(name)["metadata"].get("finalizers"), 60)
        phase, reason = self.phase(name)
        self.pods_run()
        moves = self.moves(name)
        if phase == "RolledBack" and moves and all(move.get("left") for move in moves):
            # An empty node that was given back is Karpenter's, at any time from now on.
            wait_until("Karpenter took the empty node", lambda: not set(self.victims(name)) & {
                item["metadata"]["name"] for item in self.api.list(WRITTEN["Node"])}, 120)
            return self.compare(before, gone=self.victims(name))
        print("it ended", phase, reason, flush=True)
        self.compare(before, gone=self.victims(name) if phase == "Succeeded" else ())

    def pods_run(self):
        wait_until("all pods run", lambda: all(
            item["status"].get("readyReplicas", 0) == item["spec"]["replicas"] for item in self.api.list(DEPLOYMENTS)), 120)

    def victims(self, name):
        journal = self.run(name)["status"]["journal"]
        return [v["node"] for v in journal["victims"]] + [v.get("claim", v["node"]) for v in journal["victims"]]


def story(test):
    STORIES.append(test)
    return test


STORIES = []


@story
def delete_run(cluster):
    """From an approval to a node that Karpenter's emptiness has removed."""
    controller = Controller()
    try:
        cluster.wait_for_plan()
        before = cluster.settled()
        name = cluster.approve()
        cluster.reaches(name, "Succeeded", seconds=300)
        victims = cluster.victims(name)
        replaced = cluster.run(name)["status"]["journal"].get("claim", "")
        cluster.pods_run()
        cluster.compare(before, gone=victims, new=[replaced, cluster.run(name)["status"]["journal"].get("claimNode", "")] if replaced else ())
        # It stays until the last record is written.
        wait_until("nothing is left", lambda: not cluster.run(name)["metadata"].get("finalizers"), 60)
        run = cluster.run(name)
        kinds = [m["kind"] for m in run["status"]["journal"]["mutations"]]
        assert kinds.index("Cordon") > max(i for i, kind in enumerate(kinds) if kind == "Protect"), kinds
        assert must(TAMP, "runs").count("Succeeded") == 1
        out = DIRECTORY / "export"
        must(TAMP, "export", name, out)
        assert "Succeeded" in (out / "REPORT.md").read_text()
        print(must(TAMP, "audit", "verify", name).strip())
        must(TAMP, "audit", "verify", out / "audit.jsonl")
    finally:
        controller.stop()


@story
def kill_switch(cluster):
    """In the middle of a drain one of its nodes is paused: the run aborts, and everything is as it was."""
    controller = Controller()
    try:
        cluster.wait_for_plan()
        before = cluster.settled()
        with cluster.no_pod_starts_or_stops():
            name = cluster.approve()
            cluster.evicts(name)
            status = cluster.run(name)["status"]
            survivor = (status["survivors"] or status["victims"])[0]
            must(TAMP, "pause", "--node", survivor)
        cluster.reaches(name, "RolledBack", seconds=120)
        must(TAMP, "resume", "--node", survivor)
        cluster.ended(name, before)
    finally:
        controller.stop()


@story
def budget_waits(cluster):
    """An eviction that a budget refuses is tried again until it is allowed."""
    controller = Controller()
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "all", "namespace": "load"},
              "spec": {"maxUnavailable": 0, "selector": {}}}

    def refused():
        return [m for m in cluster.run(name)["status"]["journal"]["mutations"] if m["kind"] == "Evict" and m["state"] == "Blocked"]
    try:
        with contextlib.ExitStack() as frozen:
            cluster.wait_for_plan()
            before = cluster.settled()
            frozen.enter_context(cluster.no_pod_starts_or_stops())
            name = cluster.approve()
            cluster.evicts(name)
            assert len(cluster.moves(name)) > 1, "the victim has a single pod: nothing is left to refuse"
            cluster.api.call("POST", "/apis/policy/v1/namespaces/load/poddisruptionbudgets", budget)
        wait_until("an eviction is refused", lambda: any(m["reason"] == "Budget" for m in refused()), 120)
        wait_until("and again", lambda: any(m["attempts"] > 1 for m in refused()), 60)
        assert cluster.phase(name)[0] == "Draining", cluster.phase(name)
        kubectl("delete", "pdb", "-n", "load", "all")
        cluster.reaches(name, "Succeeded", seconds=300)
        cluster.ended(name, before)
    finally:
        command("kubectl", "delete", "pdb", "-n", "load", "all", "--ignore-not-found")
        controller.stop()


@story
def paused_policy(cluster):
    """In the middle of a drain the policy is paused: nothing more is evicted, until somebody gives the run up."""
    controller = Controller()

    def evictions():
        return [m["name"] for m in cluster.run(name)["status"]["journal"]["mutations"] if m["kind"] == "Evict" and m["state"] != "Intended"]
    try:
        cluster.wait_for_plan()
        before = cluster.settled()
        with cluster.no_pod_starts_or_stops():
            name = cluster.approve()
            cluster.evicts(name)
            assert len(cluster.moves(name)) > 1, "the victim has a single pod: nothing is left to hold back"
            must(TAMP, "pause")
            assert "PAUSED" in must(TAMP, "status")
            asked = evictions()
        cluster.pods_run()
        time.sleep(12)  # twice the time between two evictions
        assert evictions() == asked, (asked, evictions())
        assert cluster.phase(name)[0] == "Draining", cluster.phase(name)
        must(TAMP, "abort", name)
        cluster.reaches(name, "RolledBack", seconds=120)
        assert cluster.phase(name)[1] == "AbortRequested", cluster.phase(name)
        must(TAMP, "resume")
        cluster.ended(name, before)
    finally:
        command(TAMP, "resume")
        controller.stop()


class Killer:
    """Kills the controller in the moment in which a run enters a phase, and starts the next one. `died` is what the stored run said then."""

    def __init__(self, cluster, wanted):
        self.cluster, self.wanted, self.died = cluster, set(wanted), []
        self.road = SlowRoad(0.6)
        self.controller = Controller(road=self.road)

    def missing(self):
        return self.wanted - set(self.died)

    def follow(self, news, wanted=None, then=lambda phase: None):
        """To the end of the run of that name, or of the next one. Its name and the phase it ended in."""
        for name, phase in news:
            if wanted not in (None, name):
                continue
            if phase in ("Succeeded", "RolledBack"):
                return name, phase
            if phase in self.missing():
                self.controller.kill_and_forget(self.cluster.api)
                self.died.append(self.cluster.phase(name)[0])
                self.controller = Controller(road=self.road)
            then(phase)
        raise AssertionError("the watch ended before the run")

    def stop(self):
        self.controller.stop()
        self.road.close()


@story
def killed_in_each_phase(cluster):
    """SIGKILL as soon as a run enters a phase; whoever comes next goes on, and in the end nothing is left over."""
    killer, ends = Killer(cluster, ["Validating", "Protecting", "Cordoning", "Draining", "Settling", "AwaitingReap"]), []
    try:
        # Before the first mutation a run may also be given up: then the next one shows the rest.
        for _ in range(6):
            plan = cluster.wait_for_plan()
            before, news = cluster.settled(), cluster.phases()
            good, _ = command(TAMP, "approve", plan["shortHash"])
            cluster.old_plans |= {plan["hash"]}
            if not good:  # another plan was published meanwhile
                continue
            name, phase = killer.follow(news)
            ends.append(phase)
            cluster.ended(name, before)
            if not killer.missing() and "Succeeded" in ends:
                break
            cluster.stir(f"after-{name}")
        print("killed in", ", ".join(killer.died), "- runs ended", ", ".join(ends))
        assert not killer.missing(), f"not killed in {killer.missing()}"
        assert "Succeeded" in ends, ends
    finally:
        killer.stop()


@story
def killed_while_escalated_and_aborting(cluster):
    """Karpenter hangs, so that the run escalates: it dies there, and the next one sees it through. And one that dies while it takes back."""
    cluster.policy(reap={"mode": "Autoscaler", "escalateAfter": "3s", "giveUpAfter": "5m"})
    killer = Killer(cluster, ["Escalated"])
    try:
        cluster.wait_for_plan()
        before, news = cluster.settled(), cluster.phases()

        def hang(phase):
            if phase == "Settling":
                control("freeze", "karpenter")
            if phase == "Escalated":
                control("thaw", "karpenter")
        name, phase = killer.follow(news, cluster.approve(), hang)
        assert phase == "Succeeded" and killer.died == ["Escalated"], (phase, killer.died)
        cluster.ended(name, before)

        cluster.stir("killed_while_aborting")
        killer.wanted |= {"Aborting"}
        cluster.wait_for_plan()
        before, news = cluster.settled(), cluster.phases()
        with cluster.no_pod_starts_or_stops():
            name = cluster.approve()
            cluster.evicts(name)
            must(TAMP, "abort", name)
            name, phase = killer.follow(news, name)
        assert phase == "RolledBack" and killer.died == ["Escalated", "Aborting"], (phase, killer.died)
        assert cluster.phase(name)[1] == "AbortRequested", cluster.phase(name)
        cluster.ended(name, before)
    finally:
        control("thaw", "karpenter")
        killer.stop()
        cluster.policy()


@story
def second_replica(cluster):
    """The leader dies in the middle of a drain; the replica that stood by completes it when the Lease has expired."""
    one = Controller()
    wait_until("the first one leads", one.leads, 60)
    two = Controller()
    try:
        cluster.wait_for_plan()
        before = cluster.settled()
        with cluster.no_pod_starts_or_stops():
            name = cluster.approve()
            cluster.evicts(name)
            one.kill()
        cluster.reaches(name, "Succeeded", seconds=300)
        assert two.leads()
        cluster.ended(name, before)
    finally:
        one.stop()
        two.stop()


def replaces(cluster, pool, controller, see_through):
    """A node that is too large for what is on it: Karpenter launches a smaller one, and the old one goes. `see_through` gets the news of runs,
    and comes back when this one has succeeded."""
    large = cluster.node_of_a_pool_of_its_own(pool, "m-32x-amd64-linux", {"cpu": "500m", "memory": "1Gi"}, replicas=3)
    nobody = {"disruption": {"budgets": [{"nodes": "0"}]}}
    others = [item["metadata"]["name"] for item in cluster.api.list(WRITTEN["NodePool"]) if item["metadata"]["name"] != pool]
    cluster.policy(nodePools=[{"name": other, **nobody} for other in others])
    try:
        plan = wait_until("a plan replaces the large node", lambda: next(
            (plan for plan in [cluster.plan()] if plan and plan["commands"][0]["nodes"] == [large]), None), 120)
        assert plan["commands"][0]["decision"] == "replace", plan
        before, news = cluster.settled(), cluster.phases()
        name = cluster.approve()
        see_through(name, news)
        journal = cluster.run(name)["status"]["journal"]
        cluster.pods_run()
        wait_until("nothing is left", lambda: not cluster.run(name)["metadata"].get("finalizers"), 60)
        cluster.compare(before, gone=cluster.victims(name), new=[journal["claim"], journal["claimNode"]])
        claim = cluster.api.call("GET", f"{WRITTEN['NodeClaim']}/{journal['claim']}")
        labels = claim["metadata"]["labels"]
        assert labels["node.kubernetes.io/instance-type"] in plan["commands"][0]["replacement"]["instanceTypes"], labels
        assert {c["type"]: c["status"] for c in claim["status"]["conditions"]}["Initialized"] == "True", claim["status"]
        wait_until("all of them are on it", lambda: {pod["spec"].get("nodeName") for pod in cluster.api.list("/api/v1/namespaces/load/pods")
                                                     if pod["metadata"]["labels"]["app"] == pool} == {journal["claimNode"]}, 60)
        phases = [p["phase"] for p in journal["phases"]]
        assert phases.index("Launching") < phases.index("Protecting") < phases.index("Draining"), phases
        print("replaced", large, "by", journal["claimNode"], "of type", labels["node.kubernetes.io/instance-type"])
    finally:
        controller.stop()
        cluster.policy()


@story
def replacement(cluster):
    """The whole of it, undisturbed."""
    def see_through(name, _):
        cluster.reaches(name, "Succeeded", seconds=400)
    replaces(cluster, "roomy", Controller(), see_through)


@story
def killed_while_launching(cluster):
    """The controller dies when the replacement is intended: the next one finds or makes it, never two."""
    killer = Killer(cluster, ["Launching"])

    def see_through(name, news):
        _, phase = killer.follow(news, name)
        assert phase == "Succeeded" and killer.died == ["Launching"], (phase, killer.died, cluster.phase(name))
    replaces(cluster, "spacious", killer, see_through)


def main():
    cluster = Cluster()
    wanted = sys.argv[1:] or os.environ.get("TAMP_E2E_STORIES", "").split()

    def tell(test):
        cluster.rest()
        cluster.stir(test.__name__)
        test(cluster)
    for test in STORIES:
        if not wanted or test.__name__ in wanted:
            expect.story(test.__name__, lambda: tell(test))
    return expect.count()


if __name__ == "__main__":
    sys.exit(main())
