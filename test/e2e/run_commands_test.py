#!/usr/bin/env python3
"""The commands about approvals and runs, as a new user of `tamp demo` types them: status, approve, abort, pause, resume, runs, run show, export and
audit verify. Each works with the rights of whoever runs it, says what came of it, and ends with a status that a script can use. Needs no
control plane."""

import json
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from demo import TAMP, VIEW, Demo  # noqa: E402
from expect import count, story  # noqa: E402

MARKS = ("karpenter.sh/do-not-disrupt", "cluster-autoscaler.kubernetes.io/scale-down-disabled", "autoscaling.cast.ai/removal-disabled",
         "temper.codes/run")
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Said:
    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __repr__(self):
        return f"status {self.status}\n{self.out}{self.err}"


def tamp(demo, *words, kubeconfig=None, seconds=240):
    return Said(subprocess.run([TAMP, *map(str, words), "--kubeconfig", kubeconfig or demo.kubeconfig], capture_output=True, text=True,
                               timeout=seconds))


def good(said, *texts):
    assert said.status == 0 and not said.err, said
    for text in texts:
        assert text in said.out, f"no {text!r} in {said}"
    return said.out


def bad(said, status, *texts):
    assert said.status == status and not said.out, said
    for text in texts:
        assert text in said.err, f"no {text!r} in {said}"


def plan(demo):
    """The hash that is on the page now."""
    return demo.wait(lambda: demo.kube("GET", "/apis/temper.codes/v1alpha1/temperpolicies/default").json.get("status", {}).get(
        "plan", {}).get("hash"), "plan", 90)


def approve(demo, *flags):
    """The command that the status shows; the plan may have changed since somebody read it."""
    for _ in range(5):
        plan(demo)
        shown = re.search(r"to approve it: tamp (approve [0-9a-f]{12})", tamp(demo, "status").out)
        if shown:
            said = tamp(demo, *shown[1].split(), *flags)
            stale = "published now" in said.err or "StalePlan" in said.out or "Drifted" in said.out
            if not stale:
                return said, re.search(r"^run (\S+)$", said.out, re.MULTILINE)[1]
    raise AssertionError("the plan changes all the time")


def marked(demo):
    nodes = demo.kube("GET", "/api/v1/nodes").json["items"]
    return [node["metadata"]["name"] for node in nodes
            if node["spec"].get("unschedulable") or any(t["key"].startswith("temper.codes") for t in node["spec"].get("taints", []))
            or any(mark in node["metadata"].get("annotations", {}) for mark in MARKS)]


@test
def status_shows_the_plan_and_how_to_approve_it(demo):
    plan(demo)
    out = good(tamp(demo, "status"), "Mode Act, planner SLO, approval Manual", "delete ", "pods move", "No run is at work")
    full = re.search(r"^Plan ([0-9a-f]{64})$", out, re.MULTILINE)
    assert full and f"tamp approve {full[1][:12]}\n" in out, out
    document = json.loads(good(tamp(demo, "status", "-o", "json")))
    assert (document["mode"], document["paused"], document["runs"]) == ("Act", False, []), document
    assert re.fullmatch("[0-9a-f]{64}", document["plan"]["hash"])
    assert re.search(r'^mode: "?Act"?$', good(tamp(demo, "status", "-o", "yaml")), re.MULTILINE)
    good(tamp(demo, "runs"), "No runs")


@test
def what_is_no_plan_is_not_approved(demo):
    plan(demo)
    bad(tamp(demo, "approve", "abc"), 2, "is not the hash of a plan")
    bad(tamp(demo, "approve", "g" * 64), 2, "is not the hash of a plan")
    bad(tamp(demo, "approve", "0" * 12), 2, "is not the plan that is published now")
    good(tamp(demo, "runs"), "No runs")


@test
def everybody_has_their_own_rights(demo):
    token = demo.user("looks-only", VIEW)
    kubeconfig = pathlib.Path(demo.directory) / "viewer"
    kubeconfig.write_text(pathlib.Path(demo.kubeconfig).read_text().replace(demo.token, token))
    good(tamp(demo, "status", kubeconfig=kubeconfig))
    good(tamp(demo, "runs", kubeconfig=kubeconfig))
    bad(tamp(demo, "approve", plan(demo), kubeconfig=kubeconfig), 1, "cannot create")
    bad(tamp(demo, "pause", kubeconfig=kubeconfig), 1, "cannot patch")
    bad(tamp(demo, "pause", "--node", "pool-1-1", kubeconfig=kubeconfig), 1, "cannot patch")
    good(tamp(demo, "runs"), "No runs")


@test
def a_pause_lasts_until_resumed(demo):
    shown = plan(demo)
    good(tamp(demo, "pause"), "no run starts")
    good(tamp(demo, "status"), "PAUSED")
    assert json.loads(good(tamp(demo, "status", "-o", "json")))["paused"] is True
    bad(tamp(demo, "approve", shown), 2, "tamp resume")
    good(tamp(demo, "resume"), "resumed")
    assert "PAUSED" not in good(tamp(demo, "status"))
    good(tamp(demo, "pause", "--node", "pool-1-1"), "pool-1-1 is neither victim nor survivor")
    node = demo.kube("GET", "/api/v1/nodes/pool-1-1").json
    assert node["metadata"]["annotations"]["temper.codes/pause"] == "true", node["metadata"]
    good(tamp(demo, "resume", "--node", "pool-1-1"), "takes part again")
    assert "temper.codes/pause" not in demo.kube("GET", "/api/v1/nodes/pool-1-1").json["metadata"].get("annotations", {})
    bad(tamp(demo, "pause", "--node", "nobody"), 1, "nobody")


def run_at_work(demo):
    """An approved run that has begun. What no pass has seen yet (a pause that was just taken back) makes the plan stale that the status
    still shows, or is still in force; then the run is refused, and the next plan is approved."""
    for _ in range(5):
        said, name = approve(demo)
        good(said, "Approved plan", f"watch it: tamp run show {name} --watch", f"stop it:  tamp abort {name}")
        status = {}

        def begun_or_over():
            status.update(json.loads(good(tamp(demo, "run", "show", name, "-o", "json"))).get("status", {}))
            return marked(demo) or status.get("phase") == "RolledBack"
        demo.wait(begun_or_over, "mark on a node", 60)
        if status.get("phase") != "RolledBack":
            return name
        assert status["reason"] in ("StalePlan", "Drifted", "Paused"), status
    raise AssertionError("the plan changes all the time")


@test
def an_abort_takes_everything_back(demo):
    name = run_at_work(demo)
    good(tamp(demo, "status"), "Runs\n", name)
    out = good(tamp(demo, "abort", name, "--watch"), "RolledBack (AbortRequested)")
    assert marked(demo) == [], out
    assert len(demo.kube("GET", "/api/v1/nodes").json["items"]) == 3
    good(tamp(demo, "abort", name), "is over: RolledBack")
    bad(tamp(demo, "abort", "nobody"), 1, "nobody")
    good(tamp(demo, "runs"), name, "RolledBack", "AbortRequested")


@test
def three_nodes_become_two(demo):
    begin = time.monotonic()
    said, name = approve(demo, "--watch")
    took = time.monotonic() - begin
    out = good(said, "Succeeded (Completed)")
    order = [out.find(f"{name}: {phase}") for phase in ("Settling", "AwaitingReap", "Escalated", "Succeeded")]
    assert -1 not in order and order == sorted(order), out
    assert len(demo.kube("GET", "/api/v1/nodes").json["items"]) == 2
    assert marked(demo) == []
    print(f"three nodes became two in {took:.0f} s")

    good(tamp(demo, "run", "show", name), "Succeeded", "Victims", "Evict", "Cordon", "achieved $0.134")
    assert json.loads(good(tamp(demo, "run", "show", name, "-o", "json")))["status"]["phase"] == "Succeeded"
    bad(tamp(demo, "run", "show", "nobody"), 1, "nobody")
    assert len(json.loads(good(tamp(demo, "runs", "-o", "json")))["items"]) >= 2

    folder = pathlib.Path(demo.directory) / "artifact"
    good(tamp(demo, "export", name, folder))
    files = {path.name for path in folder.iterdir()}
    assert files == {"REPORT.md", "plan.json", "final-status.json", "phases.log", "timeline.jsonl", "audit.jsonl", "snapshot-before.json",
                     "snapshot-after.json"}, files
    assert "| nodes | 2 | 2 |" in (folder / "REPORT.md").read_text()
    lines = [json.loads(line) for line in (folder / "timeline.jsonl").read_text().splitlines()]
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines) and any("survivors" in line for line in lines)
    bad(tamp(demo, "export", "nobody", folder), 1, "nobody")

    good(tamp(demo, "audit", "verify", name), "each follows the one before it")
    audit = folder / "audit.jsonl"
    good(tamp(demo, "audit", "verify", audit), "each follows the one before it")
    records = audit.read_text().splitlines(keepends=True)
    audit.write_text("".join(records[:3] + records[4:]))
    bad(tamp(demo, "audit", "verify", audit), 1, "line 4")
    audit.write_text("".join(records).replace("Cordon", "Condor", 1))
    bad(tamp(demo, "audit", "verify", audit), 1, "was changed")
    # Somebody cuts off its end in the cluster: the chain holds, and the run's status knows better.
    maps = "/api/v1/namespaces/tamp-system/configmaps"
    demo.kube("PATCH", f"{maps}/{name}-audit-1", {"data": {"audit.jsonl": "".join(records[:3])}}, content_type="application/merge-patch+json")
    bad(tamp(demo, "audit", "verify", name), 1, "is missing")


def main():
    with Demo("--scenario", "slo-fleet", "--speed", "30") as demo:
        for function in TESTS:
            story(function.__name__, lambda: function(demo))
    return count()


if __name__ == "__main__":
    sys.exit(main())
