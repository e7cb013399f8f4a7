#!/usr/bin/env python3
"""Approved plans on a real control plane with real Karpenter: a delete run that Karpenter's emptiness reaps, a replacement, a drain that
waits for a budget, the kill switch, the controller killed in each phase, a second replica. After each, a comparison of all objects
shows only what was intended.

karpenter_runs_test.py [NAME…]: only these stories. Run by run.py, with Karpenter.
"""

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
sys.path.insert(0, str(SOURCE / "test/e2e"))
import load  # noqa: E402

MARKS = ("karpenter.sh/do-not-disrupt", "cluster-autoscaler.kubernetes.io/scale-down-disabled", "autoscaling.cast.ai/removal-disabled",
         "temper.codes/run")
passed = failed = 0


def command(*words, data=None):
    done = subprocess.run(list(map(str, words)), input=data, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def must(*words, **more):
    good, text = command(*words, **more)
    if not good:
        raise AssertionError(f"{' '.join(map(str, words))}: {text}")
    return text


def kubectl(*words, **more):
    return must("kubectl", *words, **more)


def objects(kinds, namespace=None):
    scope = ["-n", namespace] if namespace else ["-A"]
    return json.loads(kubectl("get", kinds, *scope, "-o", "json"))["items"]


def wait_until(what, condition, seconds):
    end = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"still not after {seconds} s: {what}")
        time.sleep(0.3)


class Controller:
    count = 0

    def __init__(self, *flags):
        Controller.count += 1
        name = f"tamp-runs-{Controller.count}"
        kubeconfig = must(sys.executable, os.environ["TAMP_E2E_CONTROLPLANE"], "kubeconfig", "tamp-system", "tamp-controller", "7200",
                          name, DIRECTORY).strip()
        self.path = DIRECTORY / f"{name}.log"
        self.log = open(self.path, "w")
        self.process = subprocess.Popen([TAMP, "controller", "--kubeconfig", kubeconfig, "--log-format", "json", "--pod-name", name,
                                         "--metrics-address", "127.0.0.1:0", "--instance-types", TYPES, *flags],
                                        stdout=self.log, stderr=subprocess.STDOUT)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def leads(self):
        return '"leading"' in self.path.read_text()


class Cluster:
    """Two pools of nodes with Deployments, and a policy that acts."""

    def __init__(self):
        deploy = SOURCE / "deploy"
        kubectl("apply", "--server-side", "-k", deploy)
        kubectl("delete", "deployment", "-n", "tamp-system", "--all")
        kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        for kind in ("validatingwebhookconfiguration", "mutatingwebhookconfiguration"):
            kubectl("delete", kind, "tamp")
        load.load(load.Api(os.environ["KUBECONFIG"]), 16, 48, karpenter=True, deployments=12)
        self.policy()

    def policy(self, **more):
        disruption = {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "0s", "consolidationSavingsThreshold": 0.0001,
                      "budgets": [{"nodes": "1"}]}
        spec = {"mode": "Act", "planner": "Requests", "minNodeLifetime": "0s", "utilizationThreshold": 1.0, "disruption": disruption,
                "guards": {"run": {"settle": "5s", "afterReapWatch": "5s"}}, **more}
        kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", data=json.dumps(
            {"apiVersion": "temper.codes/v1alpha1", "kind": "TemperPolicy", "metadata": {"name": "default"}, "spec": spec}))
        for pool in load.POOLS:
            kubectl("patch", "nodepool", pool, "--type", "merge", "-p", json.dumps(
                {"spec": {"disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "5s", "budgets": [{"nodes": "100%"}]}}}))

    def stir(self, story):
        """A hash is good for one run: something is different, so that the next plan has another one."""
        kubectl("label", "nodes", "--all", f"story={story}", "--overwrite")

    def plan(self):
        return json.loads(kubectl("get", "temperpolicy", "default", "-o", "json")).get("status", {}).get("plan")

    def wait_for_plan(self, seconds=90):
        return wait_until("a plan is published", self.plan, seconds)

    def approve(self, seconds=90):
        """Through the command, as a person does. The run's name."""
        for _ in range(5):
            plan = self.wait_for_plan(seconds)
            good, text = command(TAMP, "approve", plan["shortHash"])
            if good:
                name = next(line.split()[1] for line in text.splitlines() if line.startswith("run "))
                wait_until("it was taken in", lambda: self.phase(name)[0] not in (None, "Approved"), 60)
                if self.phase(name) != ("RolledBack", "StalePlan"):
                    return name
            elif "not the plan that is published now" not in text and "no plan is published now" not in text:
                raise AssertionError(text)
        raise AssertionError("the plan changes all the time")

    def run(self, name):
        return json.loads(kubectl("get", "consolidationrun", name, "-o", "json"))

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

    def settled(self):
        """All that people and autoscalers wrote; not what changes by itself."""
        out = {}
        for item in objects("nodes,nodepools,nodeclaims,deployments,poddisruptionbudgets,namespaces,services"):
            meta = item["metadata"]
            annotations = {k: v for k, v in meta.get("annotations", {}).items()
                           if not k.startswith(("kwok.x-k8s.io", "deployment.kubernetes.io", "kubectl.kubernetes.io", "node.alpha"))}
            labels = meta.get("labels", {})
            spec = json.loads(json.dumps(item.get("spec", {})))
            if item["kind"] == "Deployment":
                spec.pop("replicas", None)
            if item["kind"] == "Node":
                spec["taints"] = [t for t in spec.get("taints", []) if not t["key"].startswith("node.kubernetes.io/")]
            out[f"{item['kind']} {meta.get('namespace', '')}/{meta['name']}"] = json.dumps(
                {"annotations": annotations, "labels": labels, "spec": spec, "finalizers": meta.get("finalizers")}, sort_keys=True)
        return out

    def compare(self, before, gone=(), new=()):
        """Only these objects went and came, and nothing else is different."""
        after = self.settled()
        differences = [key for key in before if key not in after and not any(key.endswith("/" + name) for name in gone)]
        differences += [key for key in after if key not in before and not any(key.endswith("/" + name) for name in new)]
        differences += [f"{key}: {before[key]} -> {after[key]}" for key in before if key in after and before[key] != after[key]]
        assert not differences, "\n".join(differences)
        for item in objects("nodes,nodeclaims"):
            left = [mark for mark in MARKS if mark in item["metadata"].get("annotations", {})]
            assert not left, f"{item['kind']} {item['metadata']['name']} still has {left}"

    def pods_run(self):
        wait_until("all pods run", lambda: all(
            item["status"].get("readyReplicas", 0) == item["spec"]["replicas"] for item in objects("deployments", "load")), 60)

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
        run = cluster.run(name)
        assert not run["metadata"].get("finalizers"), run["metadata"]
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
    """A pause stops evictions; a paused survivor aborts the run, and everything is as it was."""
    controller = Controller()
    try:
        cluster.wait_for_plan()
        before = cluster.settled()
        name = cluster.approve()
        wait_until("it marks nodes", lambda: cluster.phase(name)[0] not in ("Approved", "Validating", None), 60)
        status = cluster.run(name)["status"]
        survivor = (status["survivors"] or status["victims"])[0]
        must(TAMP, "pause", "--node", survivor)
        cluster.reaches(name, "RolledBack", seconds=90)
        must(TAMP, "resume", "--node", survivor)
        cluster.pods_run()
        cluster.compare(before)
    finally:
        controller.stop()


@story
def budget_waits(cluster):
    """An eviction that a budget refuses is tried again until it is allowed."""
    controller = Controller()
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "all", "namespace": "load"},
              "spec": {"maxUnavailable": 0, "selector": {}}}
    try:
        cluster.wait_for_plan()
        name = cluster.approve()
        wait_until("it marks nodes", lambda: cluster.phase(name)[0] not in ("Approved", "Validating", None), 60)
        kubectl("apply", "-f", "-", data=json.dumps(budget))
        wait_until("an eviction is refused", lambda: any(
            m.get("reason") == "Budget" for m in cluster.run(name)["status"]["journal"].get("mutations", ())) or
            cluster.phase(name)[0] in ("Settling", "AwaitingReap"), 90)
        assert cluster.phase(name)[0] == "Draining", cluster.phase(name)
        time.sleep(10)
        assert cluster.phase(name)[0] == "Draining", cluster.phase(name)
        kubectl("delete", "pdb", "-n", "load", "all")
        cluster.reaches(name, "Succeeded", seconds=300)
        cluster.pods_run()
    finally:
        command("kubectl", "delete", "pdb", "-n", "load", "all")
        controller.stop()


@story
def killed_in_each_phase(cluster):
    """SIGKILL whenever the run enters a phase; whoever comes next goes on, and in the end nothing is left over."""
    controller = Controller()
    try:
        cluster.wait_for_plan()
        before = cluster.settled()
        name = cluster.approve()
        seen = set()
        end = time.monotonic() + 420
        while time.monotonic() < end:
            phase, _ = cluster.phase(name)
            if phase in ("Succeeded", "RolledBack"):
                break
            if phase and phase not in seen:
                seen.add(phase)
                controller.kill()
                controller = Controller()
            time.sleep(0.1)
        print("killed in", sorted(seen))
        cluster.reaches(name, "Succeeded", "RolledBack", seconds=120)
        phase, reason = cluster.phase(name)
        cluster.pods_run()
        wait_until("nothing is left", lambda: not cluster.run(name)["metadata"].get("finalizers"), 60)
        cluster.compare(before, gone=cluster.victims(name) if phase == "Succeeded" else ())
        print("it ended", phase, reason)
    finally:
        controller.stop()


@story
def second_replica(cluster):
    """The leader dies in the middle of a drain; the replica that stood by completes it."""
    one = Controller()
    wait_until("the first one leads", one.leads, 60)
    two = Controller()
    try:
        cluster.wait_for_plan()
        before = cluster.settled()
        name = cluster.approve()
        wait_until("it marks nodes", lambda: cluster.phase(name)[0] not in ("Approved", "Validating", None), 60)
        one.kill()
        cluster.reaches(name, "Succeeded", "RolledBack", seconds=300)
        assert two.leads()
        phase, _ = cluster.phase(name)
        cluster.pods_run()
        wait_until("nothing is left", lambda: not cluster.run(name)["metadata"].get("finalizers"), 60)
        cluster.compare(before, gone=cluster.victims(name) if phase == "Succeeded" else ())
    finally:
        one.stop()
        two.stop()


# Only where it is asked for by name: on this cluster no plan replaces a node yet, so it ends without having shown anything.
def replacement(cluster):
    """A node that is too large for what is on it: Karpenter launches a smaller one, and the old one goes."""
    controller = Controller()
    try:
        cluster.policy(disruption={"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "0s",
                                   "consolidationSavingsThreshold": 0, "budgets": [{"nodes": "1"}]})

        def replacing():
            plan = cluster.plan()
            return plan if plan and plan["commands"][0]["decision"] == "replace" else None
        before = None
        for _ in range(10):
            plan = cluster.wait_for_plan()
            if replacing():
                before = cluster.settled()
                name = cluster.approve()
                if cluster.run(name)["spec"]["planHash"] == plan["hash"]:
                    break
            else:
                name = cluster.approve()
                cluster.reaches(name, "Succeeded", seconds=300)
        else:
            raise AssertionError("no plan replaces anything")
        cluster.reaches(name, "Succeeded", seconds=400)
        journal = cluster.run(name)["status"]["journal"]
        cluster.pods_run()
        cluster.compare(before, gone=cluster.victims(name), new=[journal["claim"], journal.get("claimNode", "")])
        print("replaced", cluster.victims(name)[0], "by", journal["claimNode"])
    finally:
        controller.stop()


def main():
    global passed, failed
    cluster = Cluster()
    for test in STORIES + [replacement]:
        if test.__name__ not in (sys.argv[1:] or [story.__name__ for story in STORIES]):
            continue
        begin = time.monotonic()
        cluster.stir(test.__name__)
        try:
            test(cluster)
            passed += 1
            print(f"ok {test.__name__} ({time.monotonic() - begin:.0f} s)", flush=True)
        except (AssertionError, KeyError, IndexError) as problem:
            failed += 1
            print(f"FAILED: {test.__name__}: {problem}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
