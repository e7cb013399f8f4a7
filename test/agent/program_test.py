#!/usr/bin/env python3
"""tamp-agent as a user runs it, on a copy of a node's cgroups whose counters move: exit status, standard output and error.

usage: program_test.py TAMP_AGENT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

AGENT = sys.argv.pop(1)
UID = "0c8e4d1a-7f3b-4b7e-9f00-5d2b6a1c9e42"
HASH = "3b9ac9ff0d0f4a1b8c7d6e5f4a3b2c1d"
WINDOWS = {"10s", "60s", "300s"}


def run(*arguments, **options):
    return subprocess.run([AGENT, *map(str, arguments)], capture_output=True, text=True, timeout=60, **options)


def pressure(us):
    return "".join(f"{kind} avg10=0.00 avg60=0.00 avg300=0.00 total={us}\n" for kind in ("some", "full"))


class Node:
    """A node's cgroups as files: one pod that uses half a core and stalls a quarter of the time, one static pod without pressure."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.pod = self.root / f"cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice"
        self.static = self.root / f"cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{HASH}.slice"
        for directory in (self.pod, self.static):
            directory.mkdir(parents=True)
        self.start = time.monotonic()
        self.write()
        (self.pod / "memory.current").write_text("1000\n")
        (self.pod / "memory.stat").write_text("anon 5\ninactive_file 400\n")
        (self.pod / "memory.max").write_text("4096\n")
        (self.static / "cpu.stat").write_text("usage_usec 7\nuser_usec 7\nsystem_usec 0\n")
        self.pods = self.root / "pods.json"
        self.pods.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "cart", "uid": UID},
             "spec": {"nodeName": "node-1", "priority": 1000000, "priorityClassName": "top", "containers": [
                 {"name": "c", "resources": {"requests": {"cpu": "1500m", "memory": "1Gi"}}}]},
             "status": {"phase": "Running"}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "kube-system", "name": "etcd", "uid": "mirror",
                                                             "annotations": {"kubernetes.io/config.hash": HASH}},
             "spec": {"nodeName": "node-1", "priority": 0, "containers": [{"name": "c"}]}, "status": {"phase": "Running"}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "gone", "uid": "u-3"},
             "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}]}))

    def replace(self, name, text):
        fresh = self.pod / f".{name}"
        fresh.write_text(text)
        fresh.rename(self.pod / name)

    def write(self):
        us = int((time.monotonic() - self.start) * 1e6)
        self.replace("cpu.stat", f"usage_usec {us // 2}\nuser_usec 0\nsystem_usec 0\nnr_periods 0\nnr_throttled 0\n"
                                 f"throttled_usec {us // 10}\n")
        for resource in ("cpu", "memory", "io"):
            self.replace(f"{resource}.pressure", pressure(us // 4))

    def move(self, until):
        while not until.wait(0.02):
            self.write()


class Program(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.node = Node(temporary.name)

    def observe(self, seconds, *more):
        return run("observe", "--cgroup-root", self.node.root / "cgroup", "--pods", self.node.pods, "--seconds", seconds, *more)

    def test_the_document(self):
        stop = threading.Event()
        writer = threading.Thread(target=self.node.move, args=(stop,))
        writer.start()
        result = self.observe(11)
        stop.set()
        writer.join()
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertLessEqual({"node", "at", "bootId", "machine", "agent", "tiers", "pods"}, set(document))
        self.assertEqual(document["node"], "node-1")
        self.assertLessEqual({"cores", "memoryBytes"}, set(document["machine"]))
        self.assertLessEqual({"version", "cpuSeconds", "rssBytes"}, set(document["agent"]))
        self.assertEqual([t["tier"] for t in document["tiers"]], ["Critical", "High", "Normal", "Low", "Background"])
        self.assertEqual((document["tiers"][0]["pods"], document["tiers"][0]["cpuRequestMillis"]), (1, 1500))
        self.assertEqual(document["tiers"][0]["memoryRequestBytes"], 1 << 30)
        etcd, cart, gone = document["pods"]
        self.assertEqual((cart["tier"], etcd["tier"], gone["tier"]), ("Critical", "Background", "Background"))
        self.assertGreaterEqual(cart["samples"], 8)
        for windows in (cart["cpu"]["usageCores"], cart["cpu"]["throttledShare"], *cart["cpu"]["pressure"].values(),
                        *cart["memory"]["pressure"].values(), *cart["io"]["pressure"].values()):
            self.assertEqual(set(windows), WINDOWS)
            self.assertIsNone(windows["60s"])
            self.assertIsNone(windows["300s"])
        self.assertAlmostEqual(cart["cpu"]["usageCores"]["10s"], 0.5, delta=0.1)
        self.assertAlmostEqual(cart["cpu"]["throttledShare"]["10s"], 0.1, delta=0.03)
        self.assertAlmostEqual(cart["cpu"]["pressure"]["some"]["10s"], 0.25, delta=0.05)
        self.assertAlmostEqual(cart["cpu"]["pressure"]["corrected"]["10s"], 0.15, delta=0.05)
        self.assertAlmostEqual(cart["io"]["pressure"]["full"]["10s"], 0.25, delta=0.05)
        self.assertEqual(cart["memory"]["workingSetBytes"], 600)
        self.assertEqual(cart["memory"]["limitBytes"], 4096)
        self.assertEqual(cart["cpu"]["usageCoresMax"], {"5m": None, "1h": None, "24h": None})
        self.assertEqual(etcd["uid"], "mirror")
        self.assertEqual(etcd["cpu"]["usageCores"]["10s"], 0)
        self.assertIsNone(etcd["cpu"]["pressure"]["some"]["10s"])
        self.assertIsNone(etcd["memory"]["workingSetBytes"])
        self.assertEqual(gone["samples"], 0)
        self.assertIsNone(gone["ageSeconds"])
        self.assertIsNone(gone["cpu"]["usageCores"]["10s"])

    def test_bad_input_ends_with_2_and_names_it(self):
        for arguments, message in (
                (["observe"], "--pods: is missing"),
                (["observe", "--pods", "nowhere.json"], "nowhere.json: cannot be opened"),
                (["observe", "--pods", self.node.pods, "--cgroup-root", "/nowhere"], "/nowhere: No such file"),
                (["observe", "--pods", self.node.pods, "--seconds", "soon"], "--seconds: is \"soon\""),
                (["fly"], "unknown command")):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(message, result.stderr)
            self.assertEqual(result.stdout, "")

    def test_pods_may_come_from_standard_input(self):
        result = run("observe", "--cgroup-root", self.node.root, "--pods", "-", "--seconds", 0, "--node-name", "me",
                     input=json.dumps({"kind": "PodList", "items": []}))
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual((document["node"], document["pods"]), ("me", []))

    def test_help_and_version(self):
        self.assertIn("--cgroup-root DIR", run("help").stdout)
        self.assertRegex(run("version").stdout, r"^tamp-agent \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
