#!/usr/bin/env python3
"""People at the dashboard: a real Chromium in front of `tamp demo`, by mouse, by keyboard, and by what a screen reader would be told.

    dashboard_test.py [--screenshots DIR] [TEXT]    with TEXT only the tests whose name contains it

Playwright and axe come from PyPI into a virtual environment of their own (~/.cache/tamp/browser), once; Chromium from PATH, or else from Playwright.
"""

import argparse
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
from demo import VIEW, Demo, rule  # noqa: E402

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
    expect(page.get_by_text("Identified savings")).to_be_visible()
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
    expect(page.get_by_text("run-" + hash_[:12])).to_be_visible()
    page.get_by_role("link", name="Overview").click()
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
    expect(page.get_by_text("No run starts", exact=False)).to_be_visible()


@test("--scenario", "off-peak", "--speed", "10")
def what_if_changes_nothing(page, demo):
    before = demo.kube("GET", "/apis/temper.codes/v1alpha1/temperpolicies/default").json["spec"]
    page.goto(demo.url + "/#/settings")
    expect(page.get_by_role("heading", name="In force")).to_be_visible()
    slider = page.get_by_label("Utilization threshold")
    slider.fill("0.1")
    answer = page.locator(".what-if [aria-live]")
    expect(answer).to_contain_text("0 nodes would go")
    expect(answer.locator("pre")).to_contain_text("utilizationThreshold: 0.1")
    slider.fill("1")
    expect(answer).not_to_contain_text("0 nodes would go")
    assert demo.kube("GET", "/apis/temper.codes/v1alpha1/temperpolicies/default").json["spec"] == before


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


@test("--scenario", "slo-fleet", "--speed", "10")
def axe_finds_nothing_serious(page, demo):
    run = None
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        if run is None:
            page.goto(demo.url + "/#/plan")
            approve(page)
            heading(page, "Run")
            run = page.url.rsplit("/", 1)[1]
        node = demo.ask("GET", "/api/v1/nodes").json["names"][0]
        for place in (*PLACES, f"run/{run}", f"node/{node}", f"audit/{run}"):
            page.goto(f"{demo.url}/#/{place}")
            expect(page.locator("main [aria-busy=false]").first).to_be_visible()
            found = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
            assert not found, f"{scheme} {place}: " + "; ".join(f"{v['id']}: {v['nodes'][0]['html'][:200]} {v['nodes'][0].get('failureSummary', '')}" for v in found)


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


def ten_thousand(document):
    """The same document with ten thousand nodes."""
    count = len(document["names"])
    many = {key: [value[i % count] for i in range(10_000)] if key not in ("pools", "types", "reasons") else value
            for key, value in document.items()}
    many["names"] = [f"node-{i:05d}" for i in range(10_000)]
    return many


@test("--scenario", "off-peak", "--speed", "10")
def ten_thousand_nodes_are_usable(page, demo):
    many = ten_thousand(demo.ask("GET", "/api/v1/nodes").json)
    page.route("**/api/v1/nodes", lambda route: route.fulfill(json=many))
    times = []
    for _ in range(3):  # the best counts: others may use this machine, too
        begin = time.monotonic()
        page.goto("about:blank")
        page.goto(demo.url)
        expect(page.get_by_text("Identified savings")).to_be_visible()
        expect(page.locator("main [aria-busy=false]")).to_have_count(2)
        times.append(time.monotonic() - begin)
    usable = min(times)
    print(f"    overview of 10,000 nodes usable after {usable:.2f} s")
    assert usable < 2, usable
    page.goto(demo.url + "/#/nodes")
    expect(page.locator("[role=row]").nth(1)).to_be_visible()
    assert page.locator("[role=row]").count() < 200, "the table is not virtual"
    frames = page.evaluate("""async () => {
        const body = [...document.querySelectorAll('*')].find((e) => e.scrollHeight > 100000 && getComputedStyle(e).overflowY !== 'visible') ?? document.scrollingElement;
        const times = [];
        let last = performance.now();
        for (let i = 0; i < 60; ++i) {
            body.scrollTop += 2000;
            await new Promise(requestAnimationFrame);
            const now = performance.now();
            times.push(now - last);
            last = now;
        }
        return [times.sort((a, b) => a - b)[54], body.scrollTop];
    }""")
    print(f"    scrolling: nine of ten frames within {frames[0]:.0f} ms")
    assert frames[1] > 50_000 and frames[0] < 100, frames


def take_screenshots(browser, directory):
    directory.mkdir(parents=True, exist_ok=True)
    with Demo("--scenario", "off-peak", "--speed", "20") as demo:
        demo.ready()
        time.sleep(30)
        shoot(browser, demo, directory, "overview", "overview")
    with Demo("--scenario", "slo-fleet", "--speed", "10") as demo:
        page = browser.new_page()
        page.goto(demo.url + "/#/plan")
        expect(page.get_by_role("button", name="Approve …")).to_be_enabled()
        shoot(browser, demo, directory, "plan", "plan")
        approve(page)
        heading(page, "Run")
        run = page.url.rsplit("/", 1)[1]
        expect(page.locator(".phase")).to_have_text(re.compile("Settling|Awaiting|Succeeded", re.I), timeout=60_000)
        shoot(browser, demo, directory, f"run/{run}", "run")
        page.close()


def shoot(browser, demo, directory, place, name):
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1200, "height": 860})
        page.goto(f"{demo.url}/#/{place}")
        expect(page.locator("main [aria-busy=false]").first).to_be_visible()
        expect(page.locator(".link-state")).to_have_text("live")
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
        for function, flags in tests:
            if args.text not in function.__name__:
                continue
            begin = time.monotonic()
            try:
                with Demo(*flags) as demo:
                    if "--dashboard-login" not in flags:
                        demo.ready()
                    page = browser.new_context().new_page()
                    page.set_default_timeout(30_000)
                    function(page, demo)
                    page.context.close()
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
