#!/usr/bin/env python3
"""The dashboard's server, asked as programs and attackers would: its API beside its own description, who may do what, what is
refused, and what two hundred open pages cost. No browser (test/browser has one), no control plane but the one in `tamp demo`.

    dashboard_test.py [TEXT]    with TEXT only the tests whose name contains it
"""

import gzip
import re
import socket
import sys
import threading
import time

from demo import VIEW, Demo, rule
from expect import count, story

only = sys.argv[1] if len(sys.argv) > 1 else ""
tests = []


def test(function):
    tests.append(function)
    return function


def check(good, text=""):
    if not good:
        raise AssertionError(text)


def equal(got, wanted, text=""):
    check(got == wanted, f"{text}: got {got!r}, wanted {wanted!r}")


def plan_of(demo, token, seconds=60):
    """An approvable plan."""
    def ask():
        answer = demo.ask("GET", "/api/v1/plan", token=token)
        plan = answer.status == 200 and answer.json["plan"]
        return plan if plan and plan["approvable"] else None
    return demo.wait(ask, "plan", seconds)


# ---- the description


def mismatch(schema, value, schemas, where="document"):
    """What is wrong with the value, by as much of JSON Schema as our description uses; None: nothing."""
    if "$ref" in schema:
        return mismatch(schemas[schema["$ref"].rsplit("/", 1)[1]], value, schemas, where)
    if "oneOf" in schema:
        wrong = [mismatch(one, value, schemas, where) for one in schema["oneOf"]]
        return None if None in wrong else wrong[0]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    fits = {"object": isinstance(value, dict), "array": isinstance(value, list), "string": isinstance(value, str),
            "boolean": isinstance(value, bool), "null": value is None,
            "integer": isinstance(value, int) and not isinstance(value, bool),
            "number": isinstance(value, (int, float)) and not isinstance(value, bool)}
    if kinds and not any(fits[kind] for kind in kinds):
        return f"{where}: {value!r} is no {kinds}"
    if "enum" in schema and value is not None and value not in schema["enum"]:
        return f"{where}: {value!r} is none of {schema['enum']}"
    if schema.get("format") == "date-time" and isinstance(value, str) and not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value):
        return f"{where}: {value!r} is no time"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                return f"{where}.{key} is missing"
        for key, member in value.items():
            known = schema.get("properties", {}).get(key)
            if known is None and schema.get("additionalProperties") is False:
                return f"{where}.{key} is not described"
            wrong = known and mismatch(known, member, schemas, f"{where}.{key}")
            if wrong:
                return wrong
    if isinstance(value, list):
        for i, element in enumerate(value):
            wrong = mismatch(schema.get("items", {}), element, schemas, f"{where}[{i}]")
            if wrong:
                return wrong
    return None


class Description:
    def __init__(self, demo):
        self.document = demo.ask("GET", "/api/v1/openapi.json").json
        self.seen = set()

    def fits(self, path, method, answer):
        """Is the answer one that the description has for the path?"""
        operation = self.document["paths"][path][method.lower()]
        self.seen.add((path, method.lower(), answer.status))
        told = operation["responses"].get(str(answer.status))
        check(told, f"{method} {path}: {answer.status} is not described: {answer.body[:300]}")
        if "content" not in told:
            return equal(answer.body, b"", f"{method} {path} {answer.status}")
        equal(answer.headers["Content-Type"], "application/json", path)
        wrong = mismatch(told["content"]["application/json"]["schema"], answer.json, self.document["components"]["schemas"])
        check(wrong is None, f"{method} {path} {answer.status}: {wrong}")


@test
def the_description_is_what_the_server_does(demo):
    description = Description(demo)
    admin = demo.token
    viewer = demo.user("described-viewer", VIEW)
    plan = plan_of(demo, admin)
    nodes = demo.ask("GET", "/api/v1/nodes", token=admin).json["names"]
    paths = description.document["paths"]
    for path in ("status", "overview", "nodes", "plan", "runs", "audit", "policy", "session"):
        full = f"/api/v1/{path}"
        answer = demo.ask("GET", full, token=admin)
        description.fits(full, "GET", answer)
        equal(answer.status, 200, full)
        description.fits(full, "GET", demo.ask("GET", full))
        if path != "session":
            again = demo.ask("GET", full, token=admin, headers={"If-None-Match": demo.ask("GET", full, token=admin).headers["ETag"]})
            description.fits(full, "GET", again)
    for node in nodes:
        answer = demo.ask("GET", f"/api/v1/nodes/{node}", token=admin)
        equal(answer.status, 200, node)
        description.fits("/api/v1/nodes/{name}", "GET", answer)
        equal(answer.json["name"], node)
    description.fits("/api/v1/nodes/{name}", "GET", demo.ask("GET", "/api/v1/nodes/nobody", token=admin))
    for path, method, body in (("/api/v1/runs", "POST", {"planHash": plan["hash"]}), ("/api/v1/pause", "PUT", {"paused": True}),
                               ("/api/v1/plan/dismissal", "POST", {"planHash": plan["hash"]})):
        description.fits(path, method, demo.ask(method, path, body))
        refused = demo.ask(method, path, body, token=viewer)
        equal(refused.status, 403, path)
        description.fits(path, method, refused)
    for body in ({}, {"utilizationThreshold": 0.5}, {"consolidationSavingsThreshold": 0.02, "consolidationPolicy": "WhenEmpty"},
                 {"consolidateAfter": "10m"}, {"consolidationGracePeriod": "Never"}, {"minNodeLifetime": "1h", "minNodes": 2},
                 {"protectSingleReplica": True, "allowUnownedPods": True}, {"cpuHeadroom": 0.5, "memoryPressure": 0.01},
                 demo.ask("GET", "/api/v1/policy", token=viewer).json["whatIf"]):
        answer = demo.ask("POST", "/api/v1/what-if", body, token=viewer)
        equal(answer.status, 200, body)
        description.fits("/api/v1/what-if", "POST", answer)
    for body in ({"utilizationThreshold": 7}, {"consolidateAfter": "soon"}, {"consolidationPolicy": "Never"}, {"nodes": 1}, {"minNodes": 1.5}, {"allowUnownedPods": "yes"}, []):
        answer = demo.ask("POST", "/api/v1/what-if", body, token=viewer)
        equal(answer.status, 422, body)
        description.fits("/api/v1/what-if", "POST", answer)
    for dismissed in (demo.ask("POST", "/api/v1/plan/dismissal", {"planHash": plan["hash"], "reason": "not on Fridays"}, token=admin),):
        equal(dismissed.status, 200, dismissed.body)
        description.fits("/api/v1/plan/dismissal", "POST", dismissed)
    demo.wait(lambda: (demo.ask("GET", "/api/v1/plan", token=admin).json["plan"] or {}).get("dismissed"), "dismissal", 10)
    description.fits("/api/v1/plan", "GET", demo.ask("GET", "/api/v1/plan", token=admin))
    plan = plan_of(demo, admin)
    approved = demo.ask("POST", "/api/v1/runs", {"planHash": plan["hash"], "reason": "described"}, token=admin)
    equal(approved.status, 201, approved.body)
    description.fits("/api/v1/runs", "POST", approved)
    run = approved.json["name"]
    demo.wait(lambda: demo.ask("GET", f"/api/v1/runs/{run}", token=admin).status == 200, "run", 20)
    for end in ("", "/audit", "/export"):
        answer = demo.ask("GET", f"/api/v1/runs/{run}{end}", token=admin)
        equal(answer.status, 200, end)
        description.fits("/api/v1/runs/{name}" + end, "GET", answer)
        description.fits("/api/v1/runs/{name}" + end, "GET", demo.ask("GET", f"/api/v1/runs/nobody{end}", token=admin))
    refused = demo.ask("POST", f"/api/v1/runs/{run}/abort", {}, token=viewer)
    equal(refused.status, 403, "abort by a viewer")
    description.fits("/api/v1/runs/{name}/abort", "POST", refused)
    aborted = demo.ask("POST", f"/api/v1/runs/{run}/abort", {}, token=admin)
    equal(aborted.status, 200, aborted.body)
    description.fits("/api/v1/runs/{name}/abort", "POST", aborted)

    def over():
        answer = demo.ask("GET", f"/api/v1/runs/{run}", token=admin)
        description.fits("/api/v1/runs/{name}", "GET", answer)
        return answer.json["phase"] in ("RolledBack", "Succeeded") and answer.json
    ended = demo.wait(over, "end of the run", 60)
    equal(ended["phase"], "RolledBack")
    audit = demo.ask("GET", f"/api/v1/runs/{run}/audit", token=admin).json
    check(audit["valid"], audit["problem"])
    description.fits("/api/v1/runs/{name}/abort", "POST", demo.ask("POST", f"/api/v1/runs/{run}/abort", {}, token=admin))
    trail = demo.ask("GET", "/api/v1/audit", token=viewer)
    description.fits("/api/v1/audit", "GET", trail)
    equal([(chain["run"], chain["valid"]) for chain in trail.json["chains"]], [(run, True)])
    equal(len(trail.json["records"]), len(audit["records"]), "the same records")
    check(any("approval" in record["what"] and record["actor"] == "kubernetes-admin" for record in trail.json["records"]), trail.json["records"][-1])
    for path, methods in paths.items():
        for method in methods:
            check(path == "/api/v1/events" or any(p == path and m == method for p, m, _ in description.seen) or path == "/api/v1/session",
                  f"{method} {path} was never tried")


@test
def what_is_not_described_is_not_there(demo):
    for path in ("/api/v1/", "/api/v1/secrets", "/api/v1/overview/", "/api/v1/nodes/a/b", "/api/v2/overview", "/metrics", "/healthz", "/app.ts"):
        equal(demo.ask("GET", path, token=demo.token).status, 404, path)
    for method, path in (("POST", "/api/v1/overview"), ("DELETE", "/api/v1/runs"), ("PUT", "/api/v1/plan"), ("POST", "/"), ("PATCH", "/api/v1/pause")):
        answer = demo.ask(method, path, {}, token=demo.token)
        equal(answer.status, 405, path)
        check(answer.headers["Allow"], path)


# ---- pages


@test
def pages_come_from_the_program_small_and_strict(demo):
    total = 0
    for path in ("/", "/app.js", "/app.css", "/icon.svg"):
        answer = demo.ask("GET", path, headers={"Accept-Encoding": "gzip"})
        equal(answer.status, 200, path)
        equal(answer.headers["Content-Encoding"], "gzip", path)
        total += len(answer.body)
        plain = demo.ask("GET", path)
        equal(gzip.decompress(answer.body), plain.body, path)
        equal(demo.ask("GET", path, headers={"If-None-Match": plain.headers["ETag"]}).status, 304, path)
        policy = plain.headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
            check(part in policy, f"{path}: {policy}")
        check("unsafe" not in policy and "*" not in policy, policy)
        equal(plain.headers["X-Content-Type-Options"], "nosniff")
        outside = re.findall(rb"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", plain.body)
        check(all(b"w3.org" in one for one in outside), f"{path} speaks of {outside}")
    print(f"    the page is {total} bytes, compressed")
    check(total < 300_000, total)


@test
def paths_lead_nowhere_else(demo):
    for path in ("/../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/etc/passwd", "/app.js/../../etc/passwd", "/api/v1/nodes/..%2f..%2fsecrets",
                 "/api/v1/runs/../../../etc/passwd", "//etc/passwd", "/api/v1/nodes/%00", "/index.html%00.js", "/\\..\\etc"):
        with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as raw:
            raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {demo.token}\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while more := raw.recv(65536):
                answer += more
        check(answer.split()[1] in (b"404", b"400"), f"{path}: {answer[:100]}")
        check(b"root:" not in answer, path)


# ---- who


@test
def nothing_without_a_login(demo):
    for path in ("status", "overview", "nodes", "nodes/pool-1-1", "plan", "runs", "audit", "policy", "events", "session", "runs/x", "runs/x/audit"):
        equal(demo.ask("GET", f"/api/v1/{path}").status, 401, path)
    for method, path in (("POST", "runs"), ("POST", "plan/dismissal"), ("POST", "runs/x/abort"), ("PUT", "pause"), ("POST", "what-if")):
        equal(demo.ask(method, f"/api/v1/{path}", {}).status, 401, path)
    for wrong in ("", "x", demo.token[:-1], demo.token + "x", "a b", "é".encode().decode("latin-1")):
        equal(demo.ask("GET", "/api/v1/overview", headers={"Authorization": f"Bearer {wrong}"}).status, 401, repr(wrong))
        equal(demo.ask("GET", "/api/v1/overview", headers={"Cookie": f"tamp_session={wrong}"}).status, 401, repr(wrong))


@test
def view_is_not_approve_is_not_abort_is_not_pause(demo):
    plan = plan_of(demo, demo.token)
    users = {
        "nobody": demo.user("nobody", []),
        "viewer": demo.user("viewer", VIEW),
        "approver": demo.user("approver", [*VIEW, rule("consolidationruns", "create")]),
        "aborter": demo.user("aborter", [*VIEW, rule("consolidationruns", "patch")]),
        "pauser": demo.user("pauser", [*VIEW, rule("temperpolicies", "patch")]),
    }
    rights = {name: demo.ask("GET", "/api/v1/session", token=token).json["rights"] for name, token in users.items()}
    equal(rights["nobody"], {"view": False, "approve": False, "abort": False, "pause": False})
    equal(rights["viewer"], {"view": True, "approve": False, "abort": False, "pause": False})
    equal(rights["approver"]["approve"], True)
    equal(rights["aborter"], {"view": True, "approve": False, "abort": True, "pause": False})
    equal(rights["pauser"], {"view": True, "approve": False, "abort": False, "pause": True})
    for path in ("status", "overview", "nodes", "plan", "runs", "audit", "policy", "events"):
        equal(demo.ask("GET", f"/api/v1/{path}", token=users["nobody"]).status, 403, path)
    equal(demo.ask("POST", "/api/v1/session", {"token": users["nobody"]}).status, 403, "a login that may see nothing")
    actions = {"approver": ("POST", "/api/v1/runs", {"planHash": plan["hash"]}), "pauser": ("PUT", "/api/v1/pause", {"paused": False}),
               "aborter": ("POST", "/api/v1/runs/run-x/abort", {})}
    for who, token in users.items():
        for owner, (method, path, body) in actions.items():
            if owner != who:
                equal(demo.ask(method, path, body, token=token).status, 403, f"{who} at {path}")
    equal(demo.kube("GET", "/apis/temper.codes/v1alpha1/consolidationruns").json["items"], [], "runs")
    equal(demo.ask("PUT", "/api/v1/pause", {"paused": True}, token=users["pauser"]).status, 200)
    policy = demo.kube("GET", "/apis/temper.codes/v1alpha1/temperpolicies/default").json
    equal(policy["metadata"]["annotations"]["temper.codes/pause"], "true")
    equal(demo.ask("PUT", "/api/v1/pause", {"paused": False}, token=users["pauser"]).status, 200)
    # A right that is taken away is gone at once for actions.
    demo.kube("DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/approver")
    equal(demo.ask("POST", "/api/v1/runs", {"planHash": plan["hash"]}, token=users["approver"]).status, 403, "without its binding")


@test
def a_session_is_a_cookie_that_no_script_and_no_other_site_can_use(demo):
    page = {"Origin": demo.url, "Host": f"127.0.0.1:{demo.port}"}
    login = demo.ask("POST", "/api/v1/session", {"token": demo.token}, headers=page)
    equal(login.status, 201, login.body)
    cookie = login.headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
        check(part in cookie, cookie)
    check(demo.token not in cookie and demo.token not in login.body.decode(), "the token is told")
    with_cookie = {**page, "Cookie": cookie.split(";")[0]}
    csrf = login.json["csrf"]
    equal(demo.ask("GET", "/api/v1/overview", headers=with_cookie).status, 200)
    attempts = {
        "no csrf token": with_cookie,
        "a wrong one": {**with_cookie, "X-Tamp-Csrf": "0" * 64},
        "another origin": {**with_cookie, "X-Tamp-Csrf": csrf, "Origin": "https://evil.example"},
        "no origin": {k: v for k, v in {**with_cookie, "X-Tamp-Csrf": csrf}.items() if k != "Origin"},
        "a null origin": {**with_cookie, "X-Tamp-Csrf": csrf, "Origin": "null"},
    }
    for what, headers in attempts.items():
        equal(demo.ask("PUT", "/api/v1/pause", {"paused": True}, headers=headers).status, 403, what)
    equal(demo.ask("PUT", "/api/v1/pause", '{"paused": true}', headers={**with_cookie, "X-Tamp-Csrf": csrf, "Content-Type": "text/plain"}).status, 415)
    equal(demo.ask("POST", "/api/v1/session", {"token": demo.token}, headers={"Origin": "https://evil.example"}).status, 403, "login from elsewhere")
    good = {**with_cookie, "X-Tamp-Csrf": csrf}
    equal(demo.ask("PUT", "/api/v1/pause", {"paused": False}, headers=good).status, 200)
    equal(demo.ask("DELETE", "/api/v1/session", headers=good).status, 200)
    equal(demo.ask("GET", "/api/v1/overview", headers=with_cookie).status, 401, "after logging out")


# ---- hashes


@test
def only_the_published_plan_can_be_approved(demo):
    plan = plan_of(demo, demo.token)
    forged = ["", "0" * 64, plan["hash"][:12], plan["hash"].upper(), plan["hash"] + "0", "../" + plan["hash"]]
    for hash_ in forged:
        answer = demo.ask("POST", "/api/v1/runs", {"planHash": hash_}, token=demo.token)
        equal(answer.status, 409, hash_)
        equal(answer.json["reason"], "StalePlan", hash_)
        equal(answer.json["detail"]["published"]["hash"], plan["hash"], hash_)
    for body in ("", "[]", "null", "{", '{"planHash": 7}', '{"planHash": null}'):
        check(demo.ask("POST", "/api/v1/runs", body, token=demo.token).status in (400, 409), body)
    equal(demo.kube("GET", "/apis/temper.codes/v1alpha1/consolidationruns").json["items"], [], "runs")


@test
def an_approval_is_carried_out_once(demo):
    plan = plan_of(demo, demo.token)
    approved = demo.ask("POST", "/api/v1/runs", {"planHash": plan["hash"], "reason": "quiet evening"}, token=demo.token)
    equal(approved.status, 201, approved.body)
    equal(demo.ask("POST", "/api/v1/runs", {"planHash": plan["hash"]}, token=demo.token).status, 409, "pressed twice")
    name = approved.json["name"]
    run = demo.kube("GET", f"/apis/temper.codes/v1alpha1/consolidationruns/{name}").json
    equal(run["spec"]["planHash"], plan["hash"])
    equal(run["spec"]["approvedBy"], "kubernetes-admin")
    equal(run["spec"]["source"], "dashboard")
    equal(run["spec"]["reason"], "quiet evening")
    demo.wait(lambda: demo.ask("GET", f"/api/v1/runs/{name}", token=demo.token).status == 200, "run in the dashboard", 20)
    for _ in range(3):
        equal(demo.ask("POST", "/api/v1/runs", {"planHash": plan["hash"]}, token=demo.token).status, 409, "the same hash again")

    def over():
        answer = demo.ask("GET", f"/api/v1/runs/{name}", token=demo.token).json
        return answer["phase"] in ("Succeeded", "RolledBack") and answer
    ended = demo.wait(over, "end of the run", 150)
    equal(ended["phase"], "Succeeded", ended["message"])
    check(ended["achieved"]["hourlySavings"] > 0, ended["achieved"])
    overview = demo.ask("GET", "/api/v1/overview", token=demo.token).json
    check(overview["realizedHourly"] > 0, "realized savings")
    equal(demo.ask("POST", "/api/v1/runs", {"planHash": plan["hash"]}, token=demo.token).status, 409, "a used hash")
    names = [r["metadata"]["name"] for r in demo.kube("GET", "/apis/temper.codes/v1alpha1/consolidationruns").json["items"]]
    equal(names, [name])
    check(ended["guards"]["samples"], "no pressure was recorded")


# ---- floods


@test
def what_is_too_large_too_slow_or_too_much_is_refused(demo):
    equal(demo.ask("POST", "/api/v1/what-if", b"x" * (70 << 10), token=demo.token).status, 413)
    with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 20000 + b"\r\n\r\n")
        check(b" 431 " in raw.recv(1000), "a header that is too large")
    slow = [socket.create_connection(("127.0.0.1", demo.port), timeout=30) for _ in range(40)]
    for one in slow:
        one.sendall(b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{")
    begin = time.monotonic()
    equal(demo.ask("GET", "/api/v1/overview", token=demo.token).status, 200)
    check(time.monotonic() - begin < 2, "others wait for slow clients")
    for one in slow:
        try:
            while one.recv(1000):
                pass
        except ConnectionError:
            pass
    check(time.monotonic() - begin < 25, "slow clients are not cut off")
    statuses = [demo.ask("POST", "/api/v1/session", {"token": "guess"}).status for _ in range(60)]
    check(429 in statuses and 401 in statuses, f"guessing: {statuses}")
    statuses = [demo.ask("GET", "/api/v1/session", token=demo.token).status for _ in range(300)]
    check(set(statuses) <= {200, 429}, f"asking: {set(statuses)}")


class Stream(threading.Thread):
    """An event stream as text."""

    def __init__(self, demo, last_id=""):
        super().__init__(daemon=True)
        self.text, self.ended = "", False
        self.raw = socket.create_connection(("127.0.0.1", demo.port), timeout=60)
        last = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
        self.raw.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {demo.token}\r\n{last}\r\n".encode())
        self.start()

    def run(self):
        try:
            while more := self.raw.recv(65536):
                self.text += more.decode()
        except OSError:
            pass
        self.ended = True

    def close(self):
        self.raw.shutdown(socket.SHUT_RDWR)


@test
def events_resume_where_they_ended(demo):
    first = Stream(demo)
    demo.wait(lambda: "event: nodes" in first.text, "event", 60)
    first.close()
    ids = re.findall(r"id: (\S+)", first.text)
    boot, newest = ids[-1].rsplit("-", 1)
    back = Stream(demo, f"{boot}-{int(newest)}")
    elsewhere = Stream(demo, "0000-5")
    demo.wait(lambda: ": hello" in back.text and elsewhere.text.count("event: ") >= 4, "answers", 10)
    told = re.findall(r"id: \S+-(\d+)", back.text)
    check(all(int(one) > int(newest) for one in told), f"{told} after {newest}")
    for one in (back, elsewhere):
        one.close()


@test
def two_hundred_open_pages_disturb_nobody(demo):
    def latency():
        begin = time.monotonic()
        equal(demo.ask("GET", "/api/v1/overview", token=demo.token).status, 200)
        return time.monotonic() - begin

    def decided():
        return demo.ask("GET", "/api/v1/nodes/pool-1-1", token=demo.token).json["decidedAt"]
    before = sorted(latency() for _ in range(5))[2]

    def open_streams(count):
        for _ in range(count):
            time.sleep(0.06)  # one session may ask 20 times a second
            yield Stream(demo)
    streams = list(open_streams(200))
    demo.wait(lambda: all(": hello" in one.text for one in streams), "200 streams", 30)
    then = decided()
    demo.wait(lambda: decided() != then, "another pass", 60)
    demo.wait(lambda: all("event: " in one.text for one in streams), "events for all", 60)
    during = sorted(latency() for _ in range(5))[2]
    print(f"    overview: {before * 1000:.0f} ms before, {during * 1000:.0f} ms with 200 streams")
    check(during < 0.5, during)
    check(not any(one.ended for one in streams), "streams ended")
    more = list(open_streams(80))
    demo.wait(lambda: any(" 503 " in one.text for one in more), "a refusal", 30)
    for one in streams + more:
        one.close()


# ---- without login


def without_login():
    with Demo("--scenario", "slo-fleet", "--speed", "10") as demo:
        demo.ready()
        session = demo.ask("GET", "/api/v1/session").json
        equal(session["login"], False)
        for host in ("evil.example", f"evil.example:{demo.port}", "127.0.0.1.evil.example", ""):
            equal(demo.ask("GET", "/api/v1/overview", headers={"Host": host}).status, 421, host)
        for headers in ({}, {"X-Tamp-Csrf": "guess"}, {"X-Tamp-Csrf": session["csrf"], "Origin": "https://evil.example"}):
            equal(demo.ask("PUT", "/api/v1/pause", {"paused": True}, headers=headers).status, 403, headers)
        equal(demo.ask("PUT", "/api/v1/pause", {"paused": True}, headers={"X-Tamp-Csrf": session["csrf"], "Origin": demo.url}).status, 200)


def main():
    def on_its_own(function):
        with Demo("--scenario", "slo-fleet", "--speed", "20", "--dashboard-login") as demo:
            demo.ready(demo.token)
            function(demo)
    for function in tests:
        if only in function.__name__:
            story(function.__name__, lambda: on_its_own(function))
    if only in "without_login":
        story("without_login", without_login)
    return count()


if __name__ == "__main__":
    sys.exit(main())
