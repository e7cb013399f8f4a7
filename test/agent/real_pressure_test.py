#!/usr/bin/env python3
"""The agent measures the kernel's own pressure: a protected pod suffers while a Background pod wants the same core, and recovers
when that is gone. Makes cgroups in the hierarchy of version 2, wherever it is mounted; needs the right to do so.

usage: real_pressure_test.py TAMP_AGENT     exit status 77: skipped
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROTECTED = "0c8e4d1a-7f3b-4b7e-9f00-5d2b6a1c9e42"
HOG = "1d9f5e2b-7f3b-4b7e-9f00-5d2b6a1c9e42"
SILENT = "2eaf6f3c-7f3b-4b7e-9f00-5d2b6a1c9e42"  # its pressure is switched off

# Wants a fifth of a core, in short pieces, as a server does.
SERVER = "import time\nwhile True:\n end = time.monotonic() + 0.002\n while time.monotonic() < end: pass\n time.sleep(0.008)"
SPIN = "while True: pass"
HOGS = 4
MARGIN = 0.15


class Skip(Exception):
    pass


def unified():
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, where, kind, *_ = line.split()
        if kind == "cgroup2":
            return pathlib.Path(where)
    raise Skip("cgroup2 is not mounted")


class Cgroups:
    """kubepods/…/pod<uid> below a directory of our own, and the processes that we put there."""

    def __init__(self):
        self.root = unified() / f"tamp-agent-test-{os.getpid()}"
        self.pods = {
            PROTECTED: self.root / "kubepods/burstable" / f"pod{PROTECTED}",
            HOG: self.root / "kubepods.slice" / f"kubepods-besteffort-pod{HOG.replace('-', '_')}.slice",
            SILENT: self.root / "kubepods" / f"pod{SILENT}",
        }
        self.processes = []

    def __enter__(self):
        try:
            for path in self.pods.values():
                path.mkdir(parents=True)
            if not (self.pods[PROTECTED] / "cpu.pressure").exists():
                raise Skip("the kernel counts no pressure")
            switch = self.pods[SILENT] / "cgroup.pressure"
            if switch.exists():
                switch.write_text("0")
        except OSError as error:
            self.__exit__()
            raise Skip(f"no cgroup can be made: {error}") from error
        return self

    def __exit__(self, *_):
        self.stop(self.processes)
        for directory, _, _ in os.walk(self.root, topdown=False):
            for _ in range(100):
                try:
                    os.rmdir(directory)
                    break
                except OSError:
                    time.sleep(0.05)

    def start(self, uid, program):
        # All on one core, so that they are in each other's way.
        core = min(os.sched_getaffinity(0))
        process = subprocess.Popen([sys.executable, "-c", program], preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        (self.pods[uid] / "cgroup.procs").write_text(str(process.pid))
        self.processes.append(process)
        return process

    @staticmethod
    def stop(processes):
        for process in processes:
            process.kill()
            process.wait()


def pods_file(directory):
    def pod(name, uid, **spec):
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "test", "name": name, "uid": uid},
                "spec": {"nodeName": "node", **spec}, "status": {"phase": "Running"}}

    request = [{"name": "c", "resources": {"requests": {"cpu": "200m"}}}]
    items = [pod("server", PROTECTED, priority=1000000, priorityClassName="top", containers=request),
             pod("hog", HOG, priority=0, containers=[{"name": "c"}]),
             pod("silent", SILENT, priority=100000, priorityClassName="high", containers=request)]
    path = pathlib.Path(directory) / "pods.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return path


def observe(agent, root, pods, seconds):
    out = subprocess.run([agent, "observe", "--cgroup-root", root, "--pods", pods, "--seconds", str(seconds)],
                         check=True, capture_output=True, text=True, timeout=120).stdout
    document = json.loads(out)
    return document, {pod["name"]: pod for pod in document["pods"]}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def some(pod, window="10s"):
    return pod["cpu"]["pressure"]["some"][window]


def rise_and_fall(agent, cgroups, pods):
    def measure(seconds=11):
        document, by_name = observe(agent, cgroups.root, pods, seconds)
        server = by_name["server"]
        check(server["tier"] == "Critical" and by_name["hog"]["tier"] == "Background", "tiers follow priorities")
        check(server["samples"] >= seconds - 3, f"{server['samples']} samples in {seconds} s")
        check(server["cpu"]["usageCores"]["10s"] > 0.01, "the server runs")
        check(server["cpu"]["pressure"]["corrected"]["10s"] is not None, "corrected pressure is known")
        check(some(server, "60s") is None and some(server, "300s") is None, "windows that are not full are unknown")
        check(some(by_name["silent"]) is None, "pressure that is switched off is unknown, not 0")
        check(by_name["silent"]["cpu"]["usageCores"]["10s"] is not None, "its usage is known all the same")
        return document, some(server)

    _, before = measure()
    hogs = [cgroups.start(HOG, SPIN) for _ in range(HOGS)]
    document, during = measure()
    cgroups.stop(hogs)
    _, after = measure()
    print(f"cpu pressure of the protected pod: {before:.3f} before, {during:.3f} beside the hog, {after:.3f} after; "
          f"the agent took {document['agent']['cpuSeconds']:.3f} s of cpu for 11 s")
    return during > before + MARGIN and during > after + MARGIN


def main():
    agent = sys.argv[1]
    try:
        with tempfile.TemporaryDirectory() as directory, Cgroups() as cgroups:
            pods = pods_file(directory)
            for uid in (PROTECTED, SILENT):
                cgroups.start(uid, SERVER)
            # Others may want this machine too: a second look before it is called wrong.
            check(rise_and_fall(agent, cgroups, pods) or rise_and_fall(agent, cgroups, pods),
                  "the protected pod's pressure rises beside the hog and falls without it")
            _, again = observe(agent, cgroups.root, pods, 2)
            check(some(again["server"]) is None, "an agent that has just started knows nothing yet")
    except Skip as reason:
        print(f"skipped: {reason}")
        return 77
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
