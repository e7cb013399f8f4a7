#!/usr/bin/env python3
"""People at the dashboard: a real Chromium in front of `tamp demo`, by mouse, by keyboard, and by what a screen reader would be told.

    dashboard_test.py [--screenshots DIR] [TEXT]    with TEXT only the tests whose name contains it

Playwright and axe come from PyPI into a virtual environment of their own (~/.cache/tamp/browser), once; Chromium from PATH, or else from Playwright.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import traceback

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NEEDED = ["playwright==1.65.0", "axe-playwright-python==0.1.8"]


def own_python():
    """Runs this again where Playwright is, making that place first if need be."""
    place = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "tamp/browser/venv"
    python = place / "bin/python"
    if not (place / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *NEEDED], check=True)
        if not shutil.which("chromium"):
            subprocess.run([str(python), "-m", "playwright", "install", "--with-deps", "chromium"], check=True)
        (place / "ready").touch()
    os.execv(python, [str(python), *sys.argv])


try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    own_python()

sys.path.insert(0, str(SOURCE / "test/e2e"))
from demo import TAMP, VIEW, Demo, dies_with_parent, rule  # noqa: E402

LARGE = os.environ.get("TAMP_LARGE_DASHBOARD", str(SOURCE / "build/bin/large-dashboard"))

PLACES = ("overview", "plan", "nodes", "history", "settings")
tests = []
expect.set_options(timeout=30_000)


def test(*flags):
    def register(function):
        tests.append((function, flags))
        return function
    return register


class Cut:
    """A wire between page and server that can be cut and mended."""

    def __init__(self, port):
        self.to, self.good, self.open = port, True, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            if not self.good:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.to))
            self.open += [near, far]
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(a, b), daemon=True).start()

    @staticmethod
    def carry(a, b):
        try:
            while more := a.recv(65536):
                b.sendall(more)
        except OSError:
            pass
        for one in (a, b):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.good = False
        for one in self.open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open = []

    def mend(self):
        self.good = True


def heading(page, text):
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(text))


def approve(page, why="a quiet evening"):
    page.get_by_role("button", name="Approve …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("evicted")
    dialog.get_by_label("Why").fill(why)
    dialog.get_by_role("button", name="Approve").click()


@test("--scenario", "slo-fleet", "--speed", "20")
def from_overview_to_the_finished_run(page, demo):
    page.goto(demo.url)
    heading(page, "Overview")
    expect(page.locator(".link-state")).to_have_text("live")
    expect(page.get_by_text("Identified savings", exact=True)).to_be_visible()
    page.get_by_role("button", name="Look at the plan").click()
    heading(page, "Plan")
    hash_ = page.locator(".headline code").first.inner_text()
    assert re.fullmatch("[0-9a-f]{64}", hash_), hash_
    expect(page.locator(".checks li").first).to_contain_text("✓")
    approve(page)
    heading(page, "Run run-" + hash_[:12])
    expect(page.locator(".phase")).to_have_text(re.compile("Succeeded"), timeout=150_000)
    expect(page.get_by_role("heading", name="Predicted and achieved")).to_be_visible()
    expect(page.locator(".moves li.done").first).to_contain_text("replaced")
    expect(page.get_by_text("stops at 20 %").first).to_be_visible()
    page.get_by_role("button", name="Audit").click()
    expect(page.get_by_text("The chain holds")).to_be_visible()
    page.get_by_role("link", name="History").click()
    heading(page, "History")
    expect(page.get_by_role("cell", name="run-" + hash_[:12])).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    heading(page, "Overview")
    realized = page.locator(".figure", has_text="Realized savings")
    expect(realized).not_to_contain_text("$0.00/h")


@test("--scenario", "slo-fleet", "--speed", "5")
def a_stale_plan_is_not_approved_and_the_difference_is_shown(page, demo):
    page.route("**/api/v1/events", lambda route: route.abort())  # so that the page does not hear of the new plan
    page.goto(demo.url + "/#/plan")
    old = page.locator(".headline code").first
    expect(old).to_have_text(re.compile("[0-9a-f]{64}"))
    old = old.inner_text()
    demo.kube("PATCH", "/apis/temper.codes/v1alpha1/temperpolicies/default", {"spec": {"utilizationThreshold": 0.76}},
              "application/merge-patch+json")
    published = demo.wait(lambda: (demo.ask("GET", "/api/v1/plan").json["plan"] or {}).get("hash") not in (None, old) and
                          demo.ask("GET", "/api/v1/plan").json["plan"]["hash"], "another plan", 60)
    approve(page)
    expect(page.get_by_text("The plan has changed; nothing was approved")).to_be_visible()
    expect(page.get_by_text(f"Hash: {old[:12]}, now {published[:12]}")).to_be_visible()
    expect(page.locator(".headline code").first).to_have_text(published)
    assert demo.kube("GET", "/apis/temper.codes/v1alpha1/consolidationruns").json["items"] == []


@test("--scenario", "slo-fleet", "--speed", "5")
def a_run_is_aborted(page, demo):
    page.goto(demo.url + "/#/plan")
    approve(page)
    heading(page, "Run")
    expect(page.locator(".phase")).to_have_text(re.compile("Protecting|Cordoning|Draining|Settling"))
    page.get_by_role("button", name="Abort …").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Abort …").click()
    page.get_by_role("dialog").get_by_role("button", name="Abort and roll back").click()
    expect(page.locator(".phase")).to_have_text(re.compile("Rolled back", re.I), timeout=60_000)
    nodes = demo.kube("GET", "/api/v1/nodes").json["items"]
    assert not any(node["spec"].get("unschedulable") for node in nodes), "a node stays cordoned"


@test("--scenario", "slo-fleet", "--speed", "10", "--dashboard-login")
def without_rights_there_is_nothing_to_press(page, demo):
    viewer, nobody = demo.user("viewer", VIEW), demo.user("nobody", [])
    demo.ready(demo.token)
    page.goto(demo.url)
    for token, words in (("wrong", "does not know this token"), (nobody, "may not see")):
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_text(words).first).to_be_visible()
    page.get_by_label("Token").fill(viewer)
    page.get_by_role("button", name="Log in").click()
    heading(page, "Overview")
    expect(page.locator(".who")).to_contain_text("system:serviceaccount:default:viewer")
    assert viewer not in page.content() and viewer not in page.url
    assert not page.evaluate("document.cookie")
    page.goto(demo.url + "/#/plan")
    expect(page.get_by_role("button", name="Approve …")).to_be_disabled()
    expect(page.get_by_role("button", name="Dismiss …")).to_be_disabled()
    expect(page.get_by_text("You may look, but not approve.")).to_be_visible()
    expect(page.get_by_role("button", name="Pause …")).to_be_disabled()
    page.context.clear_cookies()  # as if the session had expired, or a new leader knew nothing of it
    page.get_by_role("link", name="Nodes").click()
    expect(page.get_by_text("Your session is over")).to_be_visible()
    page.get_by_label("Token").fill(viewer)
    page.get_by_role("button", name="Log in").click()
    heading(page, "Nodes")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Token")).to_be_visible()


@test("--scenario", "slo-fleet", "--speed", "10")
def a_lost_connection_is_said_and_recovers(page, demo):
    wire = Cut(demo.port)
    page.goto(f"http://127.0.0.1:{wire.port}/")
    expect(page.locator(".link-state")).to_have_text("live")
    cost = page.locator(".figure").first.inner_text()
    wire.cut()
    expect(page.locator(".link-state")).to_have_text(re.compile("connection lost"))
    assert page.locator(".figure").first.inner_text() == cost, "what was shown is gone"
    demo.kube("PATCH", "/apis/temper.codes/v1alpha1/temperpolicies/default", {"metadata": {"annotations": {"temper.codes/pause": "true"}}},
              "application/merge-patch+json")
    time.sleep(2)
    wire.mend()
    expect(page.locator(".link-state")).to_have_text("live")
    expect(page.get_by_text("Tamp is paused.")).to_be_visible()


@test("--scenario", "slo-fleet", "--speed", "5")
def what_if_changes_nothing(page, demo):
    before = demo.kube("GET", "/apis/temper.codes/v1alpha1/temperpolicies/default").json["spec"]
    page.goto(demo.url + "/#/settings")
    expect(page.get_by_role("heading", name="In force")).to_be_visible()
    answer = page.locator(".what-if [aria-live]")
    removes = answer.locator("tr", has_text="The plan removes").locator("td")
    # Each of these keeps every node, and the YAML has it and nothing else.
    trials = [("Nodes of which more is requested", "0.1", "utilizationThreshold: 0.1"), ("Savings a move must bring", "0.1", "consolidationSavingsThreshold: 0.1"),
              ("Wait after the last pod event", "Never", 'consolidateAfter: "?Never'), ("Consolidation policy", "WhenEmpty", "consolidationPolicy: WhenEmpty"),
              ("Youngest node that may go", "24h", 'minNodeLifetime: "?24h'), ("The cluster never gets smaller than", "3", "minNodes: 3"),
              ("Highest predicted cpu", "0.05", "cpu: 0.05")]
    for label, value, line in trials:
        control = page.get_by_label(label)
        if control.evaluate("e => e.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
        expect(removes.nth(0)).to_contain_text("pool-1-")
        expect(removes.nth(1)).to_have_text("nothing")
        yaml = answer.locator("pre")
        expect(yaml).to_contain_text(re.compile(line))
        assert len(yaml.inner_text().split("spec:")[1].strip().splitlines()) <= 3, yaml.inner_text()
        page.get_by_role("button", name="As it is").click()
        expect(removes.nth(1)).to_contain_text("pool-1-")
    assert demo.kube("GET", "/apis/temper.codes/v1alpha1/temperpolicies/default").json["spec"] == before
    # What it says to do does it.
    page.get_by_label("The cluster never gets smaller than").fill("3")
    expect(answer.locator("pre")).to_contain_text("minNodes: 3")
    yaml = answer.locator("pre").inner_text()
    assert yaml.startswith("# kubectl apply --server-side")
    applied = demo.kube("PATCH", "/apis/temper.codes/v1alpha1/temperpolicies/default?fieldManager=tamp-what-if&force=true", yaml,
                        "application/apply-patch+yaml")
    assert applied.status == 200, applied.body
    demo.wait(lambda: demo.ask("GET", "/api/v1/plan").json["plan"] is None, "the plan to go", 60)


@test("--scenario", "slo-fleet", "--speed", "5")
def pause_and_resume_are_seen_on_every_page(page, demo):
    for place in PLACES:
        page.goto(f"{demo.url}/#/{place}")
        expect(page.locator("header .chip").first).to_have_text("Acts, approval by people")
        expect(page.get_by_role("button", name="Pause …")).to_be_enabled()
    page.get_by_role("button", name="Pause …").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert "annotations" not in demo.kube("GET", "/apis/temper.codes/v1alpha1/temperpolicies/default").json["metadata"]
    page.get_by_role("button", name="Pause …").click()
    page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    expect(page.locator("header .chip").first).to_have_text("Paused")
    for place in PLACES:
        page.goto(f"{demo.url}/#/{place}")
        expect(page.get_by_text("Tamp is paused.")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    expect(page.locator("header .chip").first).to_have_text("Acts, approval by people")
    expect(page.get_by_text("Tamp is paused.")).to_have_count(0)


def guard_by_latency(demo):
    """The demo's own memcached has a latency, and Prometheus of the demo knows it."""
    guard = {"url": "http://prometheus", "query": "p99_seconds", "max": 0.1}
    demo.kube("PATCH", "/apis/temper.codes/v1alpha1/temperpolicies/default", {"spec": {"guards": {"run": {"prometheus": guard}}}}, "application/merge-patch+json")


@test("--scenario", "slo-fleet", "--speed", "20")
def the_latency_of_the_application_is_drawn_and_the_audit_tells_all(page, demo):
    guard_by_latency(demo)
    page.goto(demo.url + "/#/plan")
    approve(page, "to see its latency")
    heading(page, "Run")
    run = page.url.rsplit("/", 1)[1]
    shown = page.locator(".application")
    expect(shown).to_contain_text("p99_seconds", timeout=60_000)
    expect(shown.get_by_text("stops at 0.1")).to_be_visible()
    demo.wait(lambda: len([s for s in (demo.ask("GET", f"/api/v1/runs/{run}").json["application"] or {"samples": []})["samples"] if s["value"]]) > 3, "readings", 60)
    page.reload()
    expect(shown.locator("path.line")).to_have_attribute("d", re.compile("M.*L.*L"))
    page.goto(demo.url + "/#/audit")
    expect(page.get_by_text("1 chain verified just now")).to_be_visible()
    page.get_by_role("searchbox", name="Filter").fill("approval of plan")
    expect(page.locator(".row")).to_have_count(1)
    expect(page.locator(".row")).to_contain_text("kubernetes-admin")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    records = json.loads(pathlib.Path(download.value.path()).read_text())["records"]
    assert any(run == record["run"] and "approval" in record["what"] for record in records), records


@test("--scenario", "slo-fleet", "--speed", "5")
def a_follower_says_who_leads(page, demo):
    """Another controller on the demo's cluster, which the demo's own leads already."""
    log = pathlib.Path(demo.directory) / "follower.log"
    with open(log, "w") as output:
        follower = subprocess.Popen([TAMP, "controller", f"--kubeconfig={demo.kubeconfig}", "--metrics-address=127.0.0.1:0", "--log-format=json",
                                     "--dashboard-address=127.0.0.1:0"], stdout=output, stderr=subprocess.STDOUT, preexec_fn=dies_with_parent())
    try:
        found = demo.wait(lambda: re.search(r'serving the dashboard","port":(\d+)', log.read_text()), "the follower's port", 30)
        page.goto(f"http://127.0.0.1:{found[1]}/")
        expect(page.get_by_text("Another replica leads")).to_be_visible()
        expect(page.get_by_text("port-forward pod/tamp-demo")).to_be_visible()
        serious(page, "a follower")
    finally:
        follower.terminate()
        follower.wait(30)


@test("--scenario", "slo-fleet", "--speed", "5")
def what_is_missing_is_said(page, demo):
    def answer(path, body, status=200):
        page.route(f"**/api/v1/{path}", lambda route: route.fulfill(status=status, json=body))
    overview = demo.ask("GET", "/api/v1/overview").json
    nodes = demo.ask("GET", "/api/v1/nodes").json
    answer("overview", {**overview, "agents": {"answering": 0, "nodes": 3}, "plan": None, "history": []})
    page.goto(demo.url)
    expect(page.get_by_text("No node agent answers")).to_be_visible()
    expect(page.get_by_text("Nothing to do")).to_be_visible()
    expect(page.get_by_text("nothing to draw yet")).to_be_visible()
    answer("nodes", {key: [] for key in nodes})
    page.reload()
    expect(page.get_by_text("The cluster has no nodes yet.")).to_be_visible()
    page.goto(demo.url + "/#/history")
    expect(page.get_by_text("No runs yet")).to_be_visible()
    page.goto(demo.url + "/#/audit")
    expect(page.get_by_text("No runs yet")).to_be_visible()
    page.goto(demo.url + "/#/run/nobody")
    expect(page.get_by_text("there is no such run")).to_be_visible()
    page.goto(demo.url + "/#/node/nobody")
    expect(page.get_by_text("there is no such node")).to_be_visible()
    answer("plan", {"reason": "Forbidden", "message": "mia has not the right to get temperpolicies", "detail": None}, 403)
    page.goto(demo.url + "/#/plan")
    expect(page.get_by_text("You may not see this")).to_be_visible()
    page.unroute("**/api/v1/plan")
    answer("plan", {"reason": "NotReady", "message": "not yet", "detail": None}, 503)
    page.reload()
    expect(page.get_by_text("This page tries again by itself.")).to_be_visible()
    page.unroute("**/api/v1/plan")
    expect(page.get_by_role("button", name="Approve …")).to_be_visible()


@test("--scenario", "slo-fleet", "--speed", "10")
def by_keyboard_alone(page, demo):
    def tab_to(name):
        for _ in range(60):
            page.keyboard.press("Tab")
            here = page.evaluate("document.activeElement.textContent.trim()")
            if here == name:
                outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", f"nobody sees that {name} has the focus"
                return
        raise AssertionError(f"no way to {name} by Tab")
    page.goto(demo.url)
    heading(page, "Overview")
    tab_to("To the content")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.reload()
    tab_to("Plan")
    page.keyboard.press("Enter")
    heading(page, "Plan")
    expect(page.get_by_role("button", name="Approve …")).to_be_enabled()
    tab_to("Approve …")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    tab_to("Approve …")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    tab_to("Approve")
    page.keyboard.press("Enter")
    heading(page, "Run")


@test("--scenario", "off-peak", "--speed", "10")
def nodes_are_found_sorted_and_explained(page, demo):
    page.goto(demo.url + "/#/nodes")
    rows = page.locator("[role=row]")
    expect(rows.nth(1)).to_be_visible()
    page.get_by_role("searchbox", name="Filter").fill("node-12")
    expect(rows).to_have_count(2)
    page.get_by_text("node-12", exact=True).click()
    heading(page, "node-12")
    expect(page.get_by_role("heading", name="Gates")).to_be_visible()
    page.go_back()
    requested = page.get_by_role("columnheader", name="Requested")
    requested.click()
    expect(requested).to_have_attribute("aria-sort", "descending")
    shares = [float(text.removesuffix(" %")) for text in page.locator(".row span:nth-child(5)").all_inner_texts()]
    assert len(shares) > 5 and shares == sorted(shares, reverse=True), shares


@test("--scenario", "anti-affinity", "--speed", "10")
def what_blocks_savings_is_told_in_dollars(page, demo):
    """From the overview to the nodes that a reason keeps, and from the picture of the fleet to a node, by keyboard."""
    def blocked():
        return demo.ask("GET", "/api/v1/overview").json["blocked"]
    demo.wait(blocked, "something that blocks", 60)
    page.goto(demo.url)
    first = page.locator(".blocked li").first
    expect(first).to_contain_text(re.compile(r"\$[\d,]+/month"))
    first.get_by_role("button").click()
    heading(page, "Nodes")
    chosen = page.locator(".pinned button[aria-pressed=true]")
    expect(chosen).to_contain_text(re.compile(r"nodes?, \$[\d.,]+/h"))
    wanted = int(re.search(r"([\d,]+) nodes?, ", chosen.inner_text())[1])
    expect(page.locator(".row")).to_have_count(wanted)
    page.goto(demo.url)
    fleet = page.locator("canvas.fleet")
    expect(fleet).to_have_attribute("aria-label", re.compile("nodes as tiles"))
    fleet.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".hint")).to_contain_text("requested")
    name = page.locator(".hint").inner_text().split(" ")[0]
    page.keyboard.press("Enter")
    heading(page, name)


@test("--scenario", "slo-fleet", "--speed", "5")
def a_plan_is_dismissed_with_a_reason(page, demo):
    page.goto(demo.url + "/#/plan")
    page.get_by_role("button", name="Dismiss …").click()
    page.get_by_role("dialog").get_by_label("Why").fill("not on Fridays")
    page.get_by_role("dialog").get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("not on Fridays")).to_be_visible()
    kept = json.loads(demo.kube("GET", "/apis/temper.codes/v1alpha1/temperpolicies/default").json["metadata"]["annotations"]["temper.codes/dismissed"])
    assert kept["by"] == "kubernetes-admin" and kept["planHash"] == page.locator(".headline code").first.inner_text(), kept


def serious(page, where):
    found = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    assert not found, f"{where}: " + "; ".join(f"{v['id']}: {v['nodes'][0]['html'][:200]} {v['nodes'][0].get('failureSummary', '')}" for v in found)


LOOKS = {"light": ("light", 1200), "dark": ("dark", 1200), "phone": ("light", 375), "dark phone": ("dark", 375)}


@test("--scenario", "slo-fleet", "--speed", "10")
def axe_finds_nothing_serious(page, demo):
    page.goto(demo.url + "/#/plan")
    expect(page.get_by_role("button", name="Approve …")).to_be_enabled()
    for look, (scheme, width) in LOOKS.items():
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        page.get_by_role("button", name="Approve …").click()
        serious(page, f"{look}, the question before an approval")
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        serious(page, f"{look}, plan")
    approve(page)
    heading(page, "Run")
    run = page.url.rsplit("/", 1)[1]
    node = demo.ask("GET", "/api/v1/nodes").json["names"][0]
    for look, (scheme, width) in LOOKS.items():
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        for place in (*PLACES, f"run/{run}", f"node/{node}", "audit", f"audit/{run}"):
            page.goto(f"{demo.url}/#/{place}")
            expect(page.locator("main [aria-busy=false]").first).to_be_visible()
            serious(page, f"{look}, {place}")


@test("--scenario", "slo-fleet", "--speed", "10", "--dashboard-login")
def axe_finds_nothing_serious_before_the_login(page, demo):
    demo.ready(demo.token)
    for look, (scheme, width) in LOOKS.items():
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(demo.url)
        expect(page.get_by_label("Token")).to_be_visible()
        serious(page, f"{look}, login")


@test("--scenario", "off-peak", "--speed", "10")
def nothing_is_loaded_from_elsewhere_and_a_phone_needs_no_sideways_scrolling(page, demo):
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_viewport_size({"width": 375, "height": 700})
    for place in PLACES:
        page.goto(f"{demo.url}/#/{place}")
        expect(page.locator("main [aria-busy=false]").first).to_be_visible()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 375, f"{place} is {wide} pixels wide"
    assert all(url.startswith(demo.url) for url in asked), asked
    assert not complaints, complaints


class Large:
    """The dashboard's server in front of ten thousand nodes (large_dashboard.cc), as `demo` where a test only looks."""

    def __enter__(self):
        self.process = subprocess.Popen([LARGE, "10000"], stdout=subprocess.PIPE, text=True, preexec_fn=dies_with_parent())
        self.url = re.search(r"Dashboard: (http://\S+)/", self.process.stdout.readline())[1]
        self.process.stdout.readline()  # the first pass
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)


def drawn_after(page, url):
    """Seconds from the start of the navigation until the figures are there and the fleet is drawn."""
    page.goto("about:blank")
    page.goto(url)
    return page.evaluate("""async () => {
        while (!document.querySelector('.figure b') || (document.querySelector('canvas.fleet')?.height ?? 0) < 500)
            await new Promise((done) => setTimeout(done, 5));
        return performance.now() / 1000;
    }""")


def scroll_frames(page):
    """Times of 120 frames while the table scrolls, in milliseconds, sorted; and how far it came."""
    return page.evaluate("""async () => {
        const body = document.querySelector('.rows');
        const times = [];
        let last = await new Promise(requestAnimationFrame);
        for (let i = 0; i < 120; ++i) {
            body.scrollTop += 1500;
            const now = await new Promise(requestAnimationFrame);
            times.push(now - last);
            last = now;
        }
        return [times.sort((a, b) => a - b), body.scrollTop];
    }""")


def ten_thousand_nodes_are_usable(page, large):
    usable = min(drawn_after(page, large.url) for _ in range(3))  # the best counts: others may use this machine, too
    print(f"    overview of 10,000 nodes drawn after {usable:.2f} s")
    assert usable < 2, usable
    page.locator("canvas.fleet").click(position={"x": 4, "y": 4})
    heading(page, "ip-10-0-")
    expect(page.get_by_role("heading", name="Gates")).to_be_visible()

    page.goto(large.url + "/#/nodes")
    rows = page.locator("[role=row]")
    expect(rows.nth(1)).to_be_visible()
    assert page.locator("[role=table]").get_attribute("aria-rowcount") == "10000"
    assert rows.count() < 200, "the table is not virtual"
    times, far = min((scroll_frames(page) for _ in range(3)), key=lambda run: run[0][113])
    print(f"    scrolling: half of the frames within {times[60]:.0f} ms, 19 of 20 within {times[113]:.0f} ms")
    assert far > 150_000 and times[113] < 50, (far, times[113])
    begin = time.monotonic()
    page.get_by_role("searchbox", name="Filter").fill("ip-10-0-39-15")
    expect(rows).to_have_count(2)
    print(f"    filtered after {time.monotonic() - begin:.2f} s")
    assert time.monotonic() - begin < 2

    page.goto(large.url + "/#/settings")
    begin = time.monotonic()
    page.get_by_label("Nodes of which more is requested").fill("0.3")
    page.wait_for_timeout(500)
    other = page.context.new_page()
    meanwhile = min(drawn_after(other, large.url) for _ in range(2))
    expect(page.locator(".what-if tr", has_text="The plan removes")).to_be_visible(timeout=60_000)
    print(f"    what-if after {time.monotonic() - begin:.1f} s; an overview meanwhile after {meanwhile:.2f} s")
    assert meanwhile < 2, meanwhile


def ten_thousand_nodes_make_bounded_traffic(page, large):
    """Every pass measures every node anew; a page that is open must not have to fetch them all the time."""
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    kinds, sizes = {}, {}
    wire.on("Network.requestWillBeSent", lambda event: kinds.update({event["requestId"]: event["request"]["url"].rsplit("/", 1)[1]}))

    def count(event):
        what = kinds.get(event["requestId"], "")
        sizes[what] = sizes.get(what, 0) + event["encodedDataLength"]
    wire.on("Network.dataReceived", count)
    drawn_after(page, large.url)
    first = dict(sizes)
    sizes.clear()
    page.wait_for_timeout(60_000)
    total = sum(sizes.values())
    print(f"    10,000 nodes: {sum(first.values()) / 1000:.0f} kB to begin with, then {total / 1000:.0f} kB a minute: {sizes}")
    assert 0 < sizes.get("events", 0) < 20_000, sizes
    assert sum(first.values()) < 1_500_000 and total < 4_000_000, (first, sizes)


def take_screenshots(browser, directory):
    directory.mkdir(parents=True, exist_ok=True)
    with Demo("--scenario", "off-peak", "--speed", "20") as demo:
        demo.ready()
        time.sleep(30)
        shoot(browser, demo, directory, "overview", "overview")
        shoot(browser, demo, directory, "nodes", "nodes")
    with Demo("--scenario", "slo-fleet", "--speed", "20") as demo:
        guard_by_latency(demo)
        page = browser.new_page()
        page.goto(demo.url + "/#/plan")
        expect(page.get_by_role("button", name="Approve …")).to_be_enabled()
        shoot(browser, demo, directory, "plan", "plan")
        shoot(browser, demo, directory, "settings", "settings", lambda shown: shown.get_by_label("Highest predicted cpu").fill("0.4"))
        approve(page)
        heading(page, "Run")
        run = page.url.rsplit("/", 1)[1]
        expect(page.locator(".phase")).to_have_text(re.compile("Succeeded", re.I), timeout=120_000)
        shoot(browser, demo, directory, f"run/{run}", "run")
        page.close()


def shoot(browser, demo, directory, place, name, act=lambda page: None):
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1200, "height": 860})
        page.goto(f"{demo.url}/#/{place}")
        expect(page.locator("main [aria-busy=false]").first).to_be_visible()
        expect(page.locator(".link-state")).to_have_text("live")
        act(page)
        page.wait_for_timeout(1500)
        page.screenshot(path=str(directory / f"dashboard-{name}-{scheme}.png"))
        page.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("text", nargs="?", default="")
    args = parser.parse_args()
    passed = failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        if args.screenshots:
            take_screenshots(browser, args.screenshots)
            return 0
        def on_a_demo(function, flags):
            with Demo(*flags) as demo:
                if "--dashboard-login" not in flags:
                    demo.ready()
                look(function, demo)

        def look(function, server):
            page = browser.new_context().new_page()
            page.set_default_timeout(30_000)
            function(page, server)
            page.context.close()

        def on_a_large_fleet(function):
            with Large() as large:
                look(function, large)
        chosen = [(function, lambda f=function, w=flags: on_a_demo(f, w)) for function, flags in tests]
        chosen += [(function, lambda f=function: on_a_large_fleet(f)) for function in (ten_thousand_nodes_are_usable, ten_thousand_nodes_make_bounded_traffic)]
        for function, run in chosen:
            if args.text not in function.__name__:
                continue
            begin = time.monotonic()
            try:
                run()
                passed += 1
                print(f"ok {function.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
            except Exception:  # whatever it is, the others are still to be run
                failed += 1
                print(f"FAILED: {function.__name__}\n{traceback.format_exc()}", flush=True)
        browser.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
