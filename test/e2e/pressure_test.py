#!/usr/bin/env python3
"""Real pressure on a real control plane: `tamp controller` collects /observe over TLS from real `tamp-agent` processes, one for each KWOK node,
which measure this machine's own cgroups. memcached under a constant load is the protected pod of a survivor.

    calm       a run completes, and memcached's p99 is as flat as before
    squeezed   a hog wants memcached's core in the middle of the drain: the guard trips within 15 s, and the run rolls back

Each KWOK node's pods have cgroups here, as a kubelet would make them. Needs the right to make cgroups, memcached, and some fifteen minutes: a
plan is proven from windows of five. Run by run.py when named, with Karpenter.

    TAMP_E2E_PRESSURE=DIRECTORY    keeps the two timelines there as JSONL; draw_pressure.py draws them
"""

import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

SOURCE = pathlib.Path(os.environ["TAMP_E2E_SOURCE"])
DIRECTORY = pathlib.Path(os.environ["TAMP_E2E_DIRECTORY"])
sys.path[:0] = [str(SOURCE / path) for path in ("test/e2e", "test/agent", "test/e2e/controlplane")]
import expect  # noqa: E402
import karpenter_runs_test as runs  # noqa: E402
import load  # noqa: E402
from processes import dies_with_parent  # noqa: E402
from real_pressure_test import mounted  # noqa: E402

AGENT = os.environ.get("TAMP_E2E_AGENT", str(SOURCE / "build/bin/tamp-agent"))
TRIPS_WITHIN = 15
CORES = os.cpu_count()
TYPE = f"c-{CORES}x-amd64-linux"  # the agents see this machine's cores, and an agent that sees others than the API says is not believed
RATE = 100
# memcached and the hog are real-time processes of one priority: they wait for each other, and whoever else wants this machine does not
# matter. The hog leaves others some of the core.
HOG = "import time\nwhile True:\n end = time.monotonic() + 0.06\n while time.monotonic() < end: pass\n time.sleep(0.04)"
PRIORITY = 5
WEB = 5  # pods on each node that may go: five seconds and more between two evictions
# Asks for fifty values of a kilobyte at a constant rate, and says each second how long answers took from the moment that the
# question was due: what waits behind a slow answer counts as slow, too.
CLIENT = """
import json, socket, sys, time
rate = int(sys.argv[3])
server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
stream = server.makefile("rb")
for i in range(50):
    server.sendall(b"set k%d 0 0 1000\\r\\n" % i + b"x" * 1000 + b"\\r\\n")
    assert stream.readline() == b"STORED\\r\\n"
question = b"get " + b" ".join(b"k%d" % i for i in range(50)) + b"\\r\\n"
due, times, second = time.monotonic(), [], time.monotonic() + 1
with open(sys.argv[2], "w", buffering=1) as log:
    while True:
        due += 1 / rate
        time.sleep(max(0, due - time.monotonic()))
        server.sendall(question)
        while stream.readline() != b"END\\r\\n":
            pass
        times.append(time.monotonic() - due)
        if time.monotonic() > second:
            times.sort()
            log.write(json.dumps({"at": round(time.time(), 3), "requests": len(times), "p50ms": round(times[len(times) // 2] * 1e3, 3),
                                  "p99ms": round(times[len(times) * 99 // 100] * 1e3, 3)}) + "\\n")
            times, second = [], time.monotonic() + 1
"""


def real_time(priority, core):
    """For Popen's preexec_fn: all threads of the child."""
    dies = dies_with_parent()

    def in_child():
        dies()
        os.sched_setaffinity(0, {core})
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))

    return in_child


class Cgroups:
    """What kubelets would make: kubepods/pod<uid> for every pod that is bound, with a process that pauses: an empty cgroup is no pod. On a
    hybrid machine in the hierarchy of memory too, but not in that of cpu, which takes no real-time process without a share of its own."""

    def __init__(self, api):
        self.api, self.name, self.processes, self.pauses = api, f"tamp-pressure-{os.getpid()}", [], {}
        unified, memory = mounted("cgroup2"), mounted("cgroup", "memory")
        self.hybrid = bool(memory and unified.name == "unified")
        self.roots = [unified / self.name] + ([memory / self.name] if self.hybrid else [])
        self.agent_root = unified.parent if self.hybrid else unified / self.name
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.follow, daemon=True)

    def __enter__(self):
        for root in self.roots:
            (root / "kubepods").mkdir(parents=True)
        if not self.hybrid:
            for directory in (self.roots[0].parent, self.roots[0], self.roots[0] / "kubepods"):
                (directory / "cgroup.subtree_control").write_text("+memory")
        self.follow_once()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        for process in [*self.processes, *self.pauses.values()]:
            process.kill()
            process.wait()
        time.sleep(0.2)
        for root in self.roots:
            for directory, _, _ in os.walk(root, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(directory)

    def follow(self):
        while not self.ended.wait(0.5):
            with contextlib.suppress(Exception):  # the next look will do
                self.follow_once()

    def follow_once(self):
        bound = {f"pod{pod['metadata']['uid']}" for pod in self.api.list("/api/v1/pods") if pod["spec"].get("nodeName")}
        for name in bound - self.pauses.keys():
            process = self.pauses[name] = subprocess.Popen(["sleep", "infinity"], preexec_fn=dies_with_parent())
            for root in self.roots:
                (root / "kubepods" / name).mkdir()
                (root / "kubepods" / name / "cgroup.procs").write_text(str(process.pid))
        for name in self.pauses.keys() - bound:
            process = self.pauses.pop(name)
            process.kill()
            process.wait()
            for root in self.roots:
                with contextlib.suppress(OSError):
                    (root / "kubepods" / name).rmdir()

    def start(self, uid, *command, core):
        paths = [root / "kubepods" / f"pod{uid}" for root in self.roots]
        runs.wait_until("the pod has cgroups", lambda: all(path.is_dir() for path in paths), 30)
        process = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL, preexec_fn=real_time(PRIORITY, core))
        self.processes.append(process)
        for path in paths:
            (path / "cgroup.procs").write_text(str(process.pid))
        return process


class Fleet(runs.Cluster):
    """Two nodes with a protected pod each that must not move, and two with pods that may."""

    def __init__(self):
        deploy = SOURCE / "deploy"
        runs.kubectl("apply", "--server-side", "-k", deploy)
        runs.kubectl("delete", "deployment", "-n", "tamp-system", "--all")
        runs.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=120s")
        for kind in ("validatingwebhookconfiguration", "mutatingwebhookconfiguration"):
            runs.kubectl("delete", kind, "tamp")
        self.api = load.Api(os.environ["KUBECONFIG"])
        self.api.call("POST", "/api/v1/namespaces", {"metadata": {"name": "load"}})
        self.api.call("POST", "/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses",
                      {"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": "default"}})
        for name, value in (("critical", 1000000), ("background", -1000)):
            self.api.call("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})
        pool = self.api.call("POST", runs.WRITTEN["NodePool"], load.node_pool("general", "on-demand"))
        self.nodes = []
        for i in range(4):
            machine = load.Machine(0, {name: pool for name in load.POOLS}, load.catalogue())
            machine.type, machine.name, machine.capacity = TYPE, f"general-{i}", load.catalogue()[TYPE]
            self.api.call("POST", runs.WRITTEN["NodeClaim"], machine.claim())
        load.wait("nodes are Ready", 120, lambda: (load.nodes_ready(self.api), 4))
        self.nodes = sorted(node["metadata"]["name"] for node in self.api.list("/api/v1/nodes"))
        # Whoever comes first to its node: each in turn while the others are closed.
        self.deploy("cache-0", [0], 1, "critical", "500m", keep=True)
        self.deploy("cache-1", [1], 1, "critical", "500m", keep=True)
        self.deploy("hog", [0], 1, "background", None, keep=True)
        self.deploy("web-2", [2], WEB, None, "50m")
        self.deploy("web-3", [3], WEB, None, "50m")
        self.policy()

    def policy(self, **more):
        super().policy(planner="SLO", guards={"run": {"settle": "20s", "afterReapWatch": "20s"}}, **more)

    def deploy(self, name, nodes, replicas, priority, cpu, keep=False):
        for i, node in enumerate(self.nodes):
            runs.kubectl("uncordon" if i in nodes else "cordon", node)
        body = load.deployment(0, replicas, "load")
        body["metadata"]["name"] = name
        template = body["spec"]["template"]
        body["spec"]["selector"]["matchLabels"] = template["metadata"]["labels"] = {"app": name}
        template["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"} if keep else {}
        template["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu, "memory": "64Mi"}} if cpu else {}
        if priority:
            template["spec"]["priorityClassName"] = priority
        self.api.call("POST", runs.DEPLOYMENTS, body)
        self.pods_run()
        for node in self.nodes:
            runs.kubectl("uncordon", node)

    def uid(self, app):
        return next(pod["metadata"]["uid"] for pod in self.api.list("/api/v1/namespaces/load/pods") if pod["metadata"]["labels"]["app"] == app)

    @contextlib.contextmanager
    def agents(self, cgroups):
        """A process for each pod of the DaemonSet, with that pod's own rights, and at its address."""
        def pods():
            found = [pod for pod in self.api.list("/api/v1/namespaces/tamp-agents/pods") if pod["status"].get("phase") == "Running"]
            return found if len(found) == len(self.nodes) else None
        processes = []
        try:
            for i, pod in enumerate(sorted(runs.wait_until("an agent for each node", pods, 60), key=lambda pod: pod["spec"]["nodeName"])):
                name, node, address = pod["metadata"]["name"], pod["spec"]["nodeName"], f"127.0.9.{i + 1}"
                runs.kubectl("patch", "pod", "-n", "tamp-agents", name, "--subresource=status", "--type=merge", "-p",
                             json.dumps({"status": {"podIP": address, "podIPs": [{"ip": address}]}}))
                token = runs.kubectl("create", "token", "-n", "tamp-agents", "tamp-agent", "--duration=2h", "--bound-object-kind=Pod",
                                     f"--bound-object-name={name}").strip()
                config = json.loads(runs.kubectl("config", "view", "--raw", "--flatten", "-o", "json"))
                config["users"] = [{"name": user["name"], "user": {"token": token}} for user in config["users"]]
                path = DIRECTORY / f"agent-{i}.kubeconfig"
                path.write_text(json.dumps(config))
                processes.append(subprocess.Popen(
                    [AGENT, "serve", f"--node-name={node}", f"--cgroup-root={cgroups.agent_root}", f"--kubeconfig={path}",
                     f"--listen={address}:9470", "--authenticate=tokens", "--token-audience=tamp-agent", "--publish-requests=true"],
                    stderr=open(DIRECTORY / f"agent-{i}.log", "w"), preexec_fn=dies_with_parent()))
                os.setpriority(os.PRIO_PROCESS, processes[-1].pid, -10)
            yield
        finally:
            for process in processes:
                process.terminate()
                process.wait(10)


class Memcached:
    def __init__(self, cgroups, uid):
        socket, self.log = DIRECTORY / "memcached", DIRECTORY / "memcached.jsonl"
        cgroups.start(uid, "memcached", "-s", socket, "-t", "1", "-m", "64", "-u", "root", core=0)
        runs.wait_until("memcached listens", socket.exists, 20)
        client = subprocess.Popen([sys.executable, "-c", CLIENT, socket, self.log, str(RATE)], preexec_fn=real_time(2 * PRIORITY, CORES - 1))
        cgroups.processes.append(client)

    def seconds(self, begin, end):
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.endswith("}")]
        return [line for line in lines if begin <= line["at"] < end]


def p99(seconds):
    return statistics.median(line["p99ms"] for line in seconds)


def moment(text):
    return time.mktime(time.strptime(re.sub(r"(\.\d+)?Z$", "", text), "%Y-%m-%dT%H:%M:%S")) - time.timezone


def keep_timeline(fleet, name, memcached, begin, marks):
    """What the run saw and what memcached's clients did, second by second."""
    out = DIRECTORY / f"export-{name}"
    runs.must(runs.TAMP, "export", name, out)
    lines = [json.loads(line) for line in (out / "timeline.jsonl").read_text().splitlines()]
    seen = {f"general-{i}": node for i, node in enumerate(fleet.nodes)}
    short = {node: label for label, node in seen.items()}
    merged = [{"seconds": round(moment(line["at"]) - begin, 1), "phase": line["phase"], "left": line["left"], "of": line["of"],
               **({"tripped": line["tripped"]} if "tripped" in line else {}),
               "survivors": {short.get(node, node): {k: v for k, v in pressure.items() if k != "at"}
                             for node, pressure in line.get("survivors", {}).items()}} for line in lines]
    merged += [{"seconds": round(line["at"] - begin, 1), "memcached": {k: line[k] for k in ("requests", "p50ms", "p99ms")}}
               for line in memcached.seconds(begin, time.time())]
    merged += [{"seconds": round(at - begin, 1), "mark": text} for at, text in marks]
    merged.sort(key=lambda line: line["seconds"])
    text = "".join(json.dumps(line) + "\n" for line in merged)
    if "TAMP_E2E_PRESSURE" in os.environ:
        kept = pathlib.Path(os.environ["TAMP_E2E_PRESSURE"])
        kept.mkdir(parents=True, exist_ok=True)
        (kept / f"{'squeezed' if marks else 'calm'}.jsonl").write_text(text)
    return merged


def protected_pressure(merged):
    return [pressure["cpu60"] for line in merged for pressure in line.get("survivors", {}).values() if "cpu60" in pressure]


def calm(fleet, memcached, cgroups):
    begin = time.time()
    time.sleep(20)
    approved = time.time()
    name = fleet.approve(seconds=120)
    fleet.reaches(name, "Succeeded", seconds=300)
    ended = time.time()
    time.sleep(10)
    merged = keep_timeline(fleet, name, memcached, begin, [])
    before, during = memcached.seconds(begin, approved), memcached.seconds(approved, ended)
    highest = max(protected_pressure(merged))
    print(f"calm: {len(before)} s before, {len(during)} s of run; memcached p99 {p99(before):.2f} ms before, {p99(during):.2f} ms during; "
          f"highest protected pressure {highest:.3f}")
    assert during and sum(line["requests"] for line in during) > 0.9 * RATE * len(during), "the load was constant"
    assert p99(during) < 2 * p99(before) + 0.5, "p99 is flat"
    wait = runs.wait_until
    wait("its node is gone", lambda: len(fleet.api.list("/api/v1/nodes")) == 3, 60)


def squeezed(fleet, memcached, cgroups):
    before = fleet.settled()
    begin = time.time()
    time.sleep(20)
    name = fleet.approve(seconds=480)  # the pods that moved are new: their windows of five minutes, too
    begin = max(begin, time.time() - 20)  # nothing happened while it waited for them
    fleet.evicts(name)
    uid = fleet.uid("hog")
    squeeze = time.time()
    hog = cgroups.start(uid, sys.executable, "-c", HOG, core=0)
    try:
        fleet.reaches(name, "Aborting", "RolledBack", seconds=60)
        reason = fleet.phase(name)[1]
        fleet.reaches(name, "RolledBack", seconds=120)
    finally:
        hog.kill()
    journal = fleet.run(name)["status"]["journal"]
    tripped = next(moment(p["at"]) for p in journal["phases"] if p["phase"] == "Aborting")
    time.sleep(10)
    keep_timeline(fleet, name, memcached, begin, [(squeeze, "a hog begins"), (tripped, "the guard trips")])
    left = sum(1 for move in journal["moves"] if move.get("left"))
    print(f"squeezed: {reason or fleet.phase(name)[1]} {tripped - squeeze:.1f} s after the hog began; {left} of {len(journal['moves'])} pods had left; "
          f"memcached p99 {p99(memcached.seconds(begin, squeeze)):.2f} ms before, {p99(memcached.seconds(squeeze, tripped + 1)):.2f} ms beside the hog")
    assert fleet.phase(name) == ("RolledBack", "PressureHigh"), fleet.phase(name)
    assert tripped - squeeze <= TRIPS_WITHIN, tripped - squeeze
    assert left < len(journal["moves"]), "it was in the middle of the drain"
    fleet.ended(name, before)


def main():
    fleet = Fleet()
    token = DIRECTORY / "agents.token"
    token.write_text(runs.kubectl("create", "token", "-n", "tamp-system", "tamp-controller", "--audience=tamp-agent", "--duration=2h").strip())
    with Cgroups(fleet.api) as cgroups, fleet.agents(cgroups):
        memcached = Memcached(cgroups, fleet.uid("cache-0"))
        controller = runs.Controller("--agent-token-file", str(token))
        try:
            plan = fleet.wait_for_plan(600)
            print("proven:", ", ".join(check["name"] for check in plan.get("checks", ())), flush=True)
            wanted = os.environ.get("TAMP_E2E_STORIES", "calm squeezed").split()
            for one in (calm, squeezed):
                if one.__name__ in wanted:
                    expect.story(one.__name__, lambda: one(fleet, memcached, cgroups))
        except AssertionError as problem:
            expect.check("a proven plan", False, problem)
            print(json.dumps(fleet.api.call("GET", runs.POLICY).get("status", {}), indent=1)[:4000])
        finally:
            controller.stop()
    return expect.count()


if __name__ == "__main__":
    sys.exit(main())
