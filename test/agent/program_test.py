#!/usr/bin/env python3
"""tamp-agent as a user runs it, on a copy of a node's cgroups whose counters move: exit status, standard output and error.

usage: program_test.py TAMP_AGENT
"""
import http.server
import json
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

AGENT = sys.argv.pop(1)
UID = "0c8e4d1a-7f3b-4b7e-9f00-5d2b6a1c9e42"
HASH = "3b9ac9ff0d0f4a1b8c7d6e5f4a3b2c1d"
BOXED = "5d2b6a1c-7f3b-4b7e-9f00-0c8e4d1a9e42"
# A process that spins under a quota of a twentieth of a core, read once a second on Linux 6.18: the kernel calls it pressure.
TRACE = json.loads((pathlib.Path(__file__).parent / "quota_trace.json").read_text())
WINDOWS = {"10s", "60s", "300s"}


def run(*arguments, **options):
    return subprocess.run([AGENT, *map(str, arguments)], capture_output=True, text=True, timeout=60, **options)


def pressure(us):
    return "".join(f"{kind} avg10=0.00 avg60=0.00 avg300=0.00 total={us}\n" for kind in ("some", "full"))


def traced(seconds, value):
    """What the trace would have read then."""
    at = max(i for i, reading in enumerate(TRACE[:-1]) if i == 0 or reading["seconds"] <= seconds)
    before, after = TRACE[at], TRACE[at + 1]
    part = (seconds - before["seconds"]) / (after["seconds"] - before["seconds"])
    return int(value(before) + part * (value(after) - value(before)))


def total(kind):
    return lambda reading: int(re.search(rf"{kind} .*total=(\d+)", reading["cpu.pressure"])[1])


class Node:
    """A node's cgroups as files: one pod that uses half a core and stalls a quarter of the time, one static pod without pressure, one
    that its own quota holds back."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.pod = self.root / f"cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice"
        self.static = self.root / f"cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{HASH}.slice"
        self.boxed = self.root / f"cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{BOXED.replace('-', '_')}.slice"
        for directory in (self.pod, self.static, self.boxed):
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
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "boxed", "uid": BOXED},
             "spec": {"nodeName": "node-1", "priority": 100000, "priorityClassName": "high", "containers": [{"name": "c"}]}, "status": {"phase": "Running"}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "gone", "uid": "u-3"},
             "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}]}))

    def replace(self, name, text, pod=None):
        fresh = (pod or self.pod) / f".{name}"
        fresh.write_text(text)
        fresh.rename((pod or self.pod) / name)

    def write(self):
        us = int((time.monotonic() - self.start) * 1e6)
        self.replace("cpu.stat", f"usage_usec {us // 2}\nuser_usec 0\nsystem_usec 0\nnr_periods 0\nnr_throttled 0\n"
                                 f"throttled_usec {us // 10}\n")
        for resource in ("cpu", "memory", "io"):
            self.replace(f"{resource}.pressure", pressure(us // 4))
        now = us / 1e6
        stat = {key: traced(now, lambda reading, key=key: reading[key]) for key in ("usage_usec", "nr_periods", "nr_throttled", "throttled_usec")}
        self.replace("cpu.stat", "".join(f"{key} {value}\n" for key, value in stat.items()), self.boxed)
        self.replace("cpu.pressure", "".join(f"{kind} avg10=90.00 avg60=90.00 avg300=90.00 total={traced(now, total(kind))}\n"
                                             for kind in ("some", "full")), self.boxed)

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
        etcd, boxed, cart, gone = document["pods"]
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
        self.assertGreater(boxed["cpu"]["pressure"]["some"]["10s"], 0.85)
        self.assertGreater(boxed["cpu"]["throttledShare"]["10s"], 0.85)
        self.assertLess(boxed["cpu"]["pressure"]["corrected"]["10s"], 0.1)
        self.assertEqual(gone["samples"], 0)
        self.assertIsNone(gone["ageSeconds"])
        self.assertIsNone(gone["cpu"]["usageCores"]["10s"])

    def test_bad_input_ends_with_2_and_names_it(self):
        for arguments, message in (
                (["observe", "--kubeconfig", "/nowhere"], "the API server cannot be asked"),
                (["serve", "--pods", self.node.pods, "--listen", "0.0.0.0:0"], "without --authenticate=tokens or --client-ca-file"),
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

    def serve(self, *flags, environment=None):
        process = subprocess.Popen([AGENT, "serve", "--cgroup-root", self.node.root / "cgroup", "--listen", "127.0.0.1:0", *map(str, flags)],
                                   stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        found = re.search(r"serves (https?://127\.0\.0\.1:\d+)", process.stderr.readline())
        self.assertTrue(found)
        return process, found[1]

    @staticmethod
    def get(url, certificate=None):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate:
            context.load_cert_chain(*map(str, certificate))
        try:
            with urllib.request.urlopen(url, timeout=10, context=context) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def test_serves_on_loopback_and_ends_when_told(self):
        process, url = self.serve("--pods", self.node.pods)
        self.assertTrue(url.startswith("http://"))
        status, text = self.get(url + "/observe")
        self.assertEqual((status, len(json.loads(text)["pods"])), (200, 4))
        self.assertEqual(self.get(url + "/else")[0], 404)
        self.assertIn("tamp_agent_info", self.get(url + "/metrics")[1])
        with socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), timeout=10) as flood:
            flood.sendall(b"GET /observe HTTP/1.1\r\nHost: a\r\n\r\n" * 200 + b"GET /else HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            answers = b"".join(iter(lambda: flood.recv(65536), b""))
        self.assertIn(b"HTTP/1.1 429", answers, "the rate is bounded")
        self.assertEqual(self.get(url + "/healthz")[0], 200, "which leaves probes alone")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=10), 0)

    def test_the_kubelets_list(self):
        pods = self.node.pods.read_bytes()

        class Kubelet(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == "/pods" else 404)
                self.end_headers()
                self.wfile.write(pods)

            def log_message(self, *_):
                pass

        kubelet = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Kubelet)
        threading.Thread(target=kubelet.serve_forever, daemon=True).start()
        self.addCleanup(kubelet.server_close)
        self.addCleanup(kubelet.shutdown)
        address = f"http://127.0.0.1:{kubelet.server_port}/pods"
        result = run("observe", "--cgroup-root", self.node.root / "cgroup", "--kubelet-url", address, "--seconds", 0, "--node-name", "node-1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(json.loads(result.stdout)["pods"]), 4)
        _, url = self.serve("--kubelet-url", address, "--node-name", "node-1")
        for _ in range(50):
            if self.get(url + "/readyz")[0] == 200:
                break
            time.sleep(0.1)
        self.assertEqual(len(json.loads(self.get(url + "/observe")[1])["pods"]), 4)

    def test_nothing_is_said_before_the_pods_are_known(self):
        _, url = self.serve("--kubelet-url", "http://127.0.0.1:9/pods", "--node-name", "node-1")
        self.assertEqual((self.get(url + "/observe")[0], self.get(url + "/readyz")[0], self.get(url + "/healthz")[0]), (503, 503, 200))

    @unittest.skipUnless(shutil.which("openssl"), "openssl makes the certificates, and is not here")
    def test_mutual_tls(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

        def certificate(name, authority=None):
            path = self.node.root / (name + ("" if not authority else f"-{authority.name}"))
            key, crt = path.with_suffix(".key"), path.with_suffix(".crt")
            signed = ["-CA", authority.with_suffix(".crt"), "-CAkey", authority.with_suffix(".key")] if authority else []
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 1, "-subj", f"/CN={name}",
                    "-keyout", key, "-out", crt, *signed)
            return crt, key

        certificate("ca")
        certificate("other")
        _, url = self.serve("--pods", self.node.pods, "--client-ca-file", self.node.root / "ca.crt", "--client-name", "controller")
        self.assertTrue(url.startswith("https://"))
        self.assertEqual(self.get(url + "/observe")[0], 401)
        self.assertEqual(self.get(url + "/observe", certificate("controller", self.node.root / "ca"))[0], 200)
        self.assertEqual(self.get(url + "/observe", certificate("somebody", self.node.root / "ca"))[0], 403)
        with self.assertRaises((urllib.error.URLError, ConnectionError, ssl.SSLError)):
            self.get(url + "/observe", certificate("controller", self.node.root / "other"))

    def test_help_and_version(self):
        self.assertIn("--cgroup-root DIR", run("help").stdout)
        self.assertRegex(run("version").stdout, r"^tamp-agent \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
