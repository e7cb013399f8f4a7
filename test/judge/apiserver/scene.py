"""A scene: a sequence of calls that belong together, in a namespace of its own. It is written down before it is played, so both
servers get the same. What a server made up is named, not known: "@rv:NAME" in a target, query or body stands for what that server
answered to the call that was saved as NAME."""
import copy
import json
import urllib.parse

ADMIN, ALICE, BOB = "judge-admin-token", "judge-alice-token", "judge-bob-token"
JSON_TYPE = "application/json"
PATCHES = {"json": "application/json-patch+json", "merge": "application/merge-patch+json",
           "strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml"}
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


class Call:
    until = None  # see Scene.until

    def __init__(self, method, path, body=None, query=None, content=JSON_TYPE, accept=JSON_TYPE, user=ADMIN, save=None, agent="judge/1", extra=None):
        self.method, self.path, self.body, self.query = method, path, body, query or {}
        self.content, self.accept, self.user, self.save, self.agent, self.extra = content, accept, user, save, agent, extra or {}

    def target(self, memory):
        path = fill(self.path, memory)
        query = fill({key: str(value) for key, value in self.query.items()}, memory)
        return path + ("?" + urllib.parse.urlencode(query) if query else "")

    def text(self, memory):
        if self.body is None or isinstance(self.body, str):
            return self.body
        # Compact: the real server finds an embedded object changed when a patch only lays it out anew.
        return json.dumps(fill(self.body, memory), separators=(",", ":"))

    def headers(self, memory):
        headers = {"Accept": self.accept, "User-Agent": self.agent, **self.extra}
        if self.user:
            headers["Authorization"] = f"Bearer {fill(self.user, memory)}"
        if self.body is not None and self.content:
            headers["Content-Type"] = self.content
        return headers

    def name(self):
        """What the list of known differences is matched against."""
        query = "?" + urllib.parse.urlencode(self.query) if self.query else ""
        return f"{self.method} {self.path}{query} {self.content if self.method == 'PATCH' else ''}".strip()


class WatchCall(Call):
    """Opened when its turn comes (`live`) and read to the end of the scene, or played at the end from what was."""

    def __init__(self, path, query=None, live=True, **rest):
        super().__init__("GET", path, None, {"watch": "true", **(query or {})}, **rest)
        self.live = live


def fill(value, memory):
    if isinstance(value, dict):
        return {key: fill(part, memory) for key, part in value.items()}
    if isinstance(value, list):
        return [fill(part, memory) for part in value]
    if isinstance(value, str) and "@" in value:
        for key, known in memory.items():
            value = value.replace(f"@{key}@", known)
        return value
    return value


def set_at(tree, path, value):
    """set_at(pod, "spec.containers.0.image", "x"); what is set is a copy, so that it can be changed further."""
    value = copy.deepcopy(value)
    *parents, last = path.split(".")
    for key in parents:
        if isinstance(tree, list):
            if int(key) >= len(tree):
                return
            tree = tree[int(key)]
        else:
            tree = tree.setdefault(key, {})
    if isinstance(tree, list):
        tree[int(last)] = value
    else:
        tree[last] = value


def nested(path, value):
    """A merge patch that sets one field: nested("spec.replicas", 3)"""
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


class Scene:
    def __init__(self, name, number, dice):
        self.name, self.dice, self.number = name, dice, number
        self.ns = f"j{number}"
        self.calls = []

    def call(self, method, path, body=None, **rest):
        self.calls.append(Call(method, path, fill(body, {"ns": self.ns}), **rest))

    def namespace(self):
        self.call("POST", "/api/v1/namespaces", {"metadata": {"name": self.ns}})
        self.call("POST", f"/api/v1/namespaces/{self.ns}/serviceaccounts", {"metadata": {"name": "default"}})

    def pause(self):
        """The real server learns of rights through a watch of its own: a moment after they were written."""
        self.call("PAUSE", "")

    def until(self, code, method, path, body, **rest):
        """Again and again until it is answered so."""
        self.call(method, path, body, **rest)
        self.calls[-1].until = code

    def wait_established(self, path):
        self.call("WAIT", path)

    def wait_gone(self, path):
        self.call("GONE", path)

    def watch(self, path, query=None, **rest):
        self.calls.append(WatchCall(path, query, **rest))

    def patch(self, kind, path, body, **rest):
        query = rest.pop("query", {})
        if kind == "apply":
            query = {"fieldManager": "judge", **query}
        self.call("PATCH", path, body, content=PATCHES[kind], query=query, **rest)
