#!/usr/bin/env python3
"""A real control plane on the loopback interface: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, KWOK in
place of kubelets, and Karpenter with its KWOK provider if asked for. Everything it writes is in one directory; everything it
starts dies with it.

    controlplane.py start DIRECTORY --programs BUILT   starts one and leaves it running; prints what to export
    controlplane.py COMMAND [ARGS…] DIRECTORY          asks a running one:

        status             what runs
        kill NAME          SIGKILL (etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok, karpenter)
        restart NAME       starts it, after a SIGKILL if it runs, with the same ports and data; returns when it is ready
        freeze NAME        SIGSTOP
        thaw NAME          SIGCONT
        compact            etcd forgets all history; after a restart of kube-apiserver old resourceVersions get 410
        token NAMESPACE ACCOUNT SECONDS   prints a service-account token with that lifetime
        kubeconfig NAMESPACE ACCOUNT SECONDS [NAME]   writes a kubeconfig with such a token and prints its path; the audit log
                           tells users of one account apart by NAME: their credential-id is JTI=NAME
        webhook PORT       the API server finds Tamp's webhook, installed as shipped, on this port of the loopback interface
        stop               ends it

The same words, one line each, can be written to the socket DIRECTORY/control; the answer is "ok TEXT" or "error TEXT".
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from certificates import Authority, openssl, sign_token
from processes import Process, free_port

HERE = pathlib.Path(__file__).resolve().parent
ISSUER = "https://kubernetes.default.svc"
# The API server accepts a token for a minute after it expired, and remembers a token that it accepted for ten seconds.
EXPIRY_LEEWAY = 60

AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - {level: None, users: ["system:apiserver"]}
  - {level: None, userGroups: ["system:masters"]}
  - {level: Metadata}
"""

SCHEDULER_CONFIG = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {{kubeconfig: {kubeconfig}, qps: 500, burst: 1000}}
leaderElection: {{leaderElect: false}}
"""


class ControlPlane:
    """Starts in __enter__, ends in __exit__. `apiserver_flags` come last and so override."""

    def __init__(self, programs, directory=None, karpenter=False, apiserver_flags=()):
        self.programs = pathlib.Path(programs)
        self.directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="tamp-e2e-")).resolve()
        self.karpenter = karpenter
        self.apiserver_flags = list(apiserver_flags)
        self.processes = {}
        self.lock = threading.RLock()
        self.ended = threading.Event()

    # --- life ---------------------------------------------------------------------------------------------------------

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for name in ("logs", "etcd", "pki"):
            (self.directory / name).mkdir(parents=True, exist_ok=True)
        self.prepare_files()
        self.add_processes()
        self.up("etcd")
        self.up("kube-apiserver")
        rest = [name for name in self.processes if name not in ("etcd", "kube-apiserver", "karpenter")]
        for name in rest:
            self.processes[name].start()
        for name in rest:
            self.processes[name].wait_ready()
        if self.karpenter:
            self.kubectl("apply", "--server-side", "-f", self.programs / "share/karpenter-crds")
            self.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=120s")
            self.up("karpenter")
        threading.Thread(target=self.serve, daemon=True).start()

    def stop(self):
        self.ended.set()
        # The store last and without ceremony: nobody needs what they would still write.
        for process in reversed(list(self.processes.values())):
            process.kill()

    def up(self, name):
        self.processes[name].start()
        self.processes[name].wait_ready()

    # --- files --------------------------------------------------------------------------------------------------------

    def prepare_files(self):
        self.port = {name: free_port() for name in ("etcd", "peer", "apiserver", "manager", "scheduler", "kwok", "metrics", "health")}
        self.server = f"https://127.0.0.1:{self.port['apiserver']}"
        pki = self.directory / "pki"
        self.authority = Authority(pki)
        self.signing_key = pki / "service-accounts.key"
        users = ("admin", "kube-controller-manager", "kube-scheduler", "kwok", "karpenter")
        with concurrent.futures.ThreadPoolExecutor() as workers:
            serving = workers.submit(self.authority.issue, "apiserver", "/CN=kube-apiserver", [
                "IP:127.0.0.1", "IP:10.96.0.1", "DNS:localhost", "DNS:kubernetes", "DNS:kubernetes.default", "DNS:kubernetes.default.svc"])
            signing = workers.submit(openssl, "genrsa", "-out", self.signing_key, "2048")
            issued = {name: workers.submit(self.authority.issue, name, f"/O=system:masters/CN={name}") for name in users}
            self.serving, _ = serving.result(), signing.result()
        self.kubeconfigs = {}
        for name, pair in issued.items():
            certificate, key = map(str, pair.result())
            self.kubeconfigs[name] = self.write_kubeconfig(name, {"client-certificate": certificate, "client-key": key})
        (self.directory / "audit-policy.yaml").write_text(AUDIT_POLICY)
        (self.directory / "scheduler.yaml").write_text(SCHEDULER_CONFIG.format(kubeconfig=self.kubeconfigs["kube-scheduler"]))

    def write_kubeconfig(self, name, user):
        path = self.directory / f"{name}.kubeconfig"
        path.write_text(json.dumps({  # JSON is YAML
            "apiVersion": "v1", "kind": "Config", "current-context": "e2e",
            "clusters": [{"name": "e2e", "cluster": {"server": self.server, "certificate-authority": str(self.authority.certificate)}}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": name}}],
        }, indent=1) + "\n")
        return path

    # --- processes ----------------------------------------------------------------------------------------------------

    def add(self, name, command, ready, environment=None):
        self.processes[name] = Process(
            name, [self.programs / "bin" / name, *command], self.directory / "logs" / f"{name}.log", ready, environment)

    def add_processes(self):
        port, certificate, key = self.port, *self.serving
        etcd = f"http://127.0.0.1:{port['etcd']}"
        peer = f"http://127.0.0.1:{port['peer']}"
        self.add("etcd", [
            f"--data-dir={self.directory / 'etcd'}", "--unsafe-no-fsync", f"--listen-client-urls={etcd}",
            f"--advertise-client-urls={etcd}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}", "--quota-backend-bytes=4294967296", "--log-level=warn",
        ], lambda: self.answers(f"{etcd}/health"))
        self.add("kube-apiserver", [
            f"--etcd-servers={etcd}", "--bind-address=127.0.0.1", f"--secure-port={port['apiserver']}",
            # An address that is never used: the API server insists on one that is not the loopback's.
            "--advertise-address=10.255.255.1", "--endpoint-reconciler-type=none",
            f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}", f"--client-ca-file={self.authority.certificate}",
            "--authorization-mode=Node,RBAC", "--service-cluster-ip-range=10.96.0.0/16",
            f"--service-account-issuer={ISSUER}", f"--service-account-key-file={self.signing_key}",
            f"--service-account-signing-key-file={self.signing_key}",
            f"--audit-policy-file={self.directory / 'audit-policy.yaml'}", f"--audit-log-path={self.directory / 'audit.log'}",
            "--allow-privileged=true", "--profiling=false", "--max-requests-inflight=1000", "--max-mutating-requests-inflight=500",
            *self.apiserver_flags,
        ], lambda: self.answers(f"{self.server}/readyz"))
        self.add("kube-controller-manager", [
            f"--kubeconfig={self.kubeconfigs['kube-controller-manager']}", "--leader-elect=false", "--bind-address=127.0.0.1",
            f"--secure-port={port['manager']}", f"--service-account-private-key-file={self.signing_key}",
            f"--root-ca-file={self.authority.certificate}", "--kube-api-qps=500", "--kube-api-burst=1000",
            # Longer than the outages that tests make: nodes must not fail because the store slept.
            "--node-monitor-grace-period=3m",
            "--controllers=*,-bootstrap-signer-controller,-token-cleaner-controller,-node-ipam-controller",
        ], lambda: self.answers(f"https://127.0.0.1:{port['manager']}/healthz", verify=False))
        self.add("kube-scheduler", [
            f"--config={self.directory / 'scheduler.yaml'}", "--bind-address=127.0.0.1", f"--secure-port={port['scheduler']}",
        ], lambda: self.answers(f"https://127.0.0.1:{port['scheduler']}/healthz", verify=False))
        self.add("kwok", [
            f"--kubeconfig={self.kubeconfigs['kwok']}", f"--config={HERE / 'kwok.yaml'}", "--manage-all-nodes=true",
            "--node-lease-duration-seconds=40", "--node-ip=10.0.0.1", "--cidr=10.128.0.1/9",
            f"--server-address=127.0.0.1:{port['kwok']}",
        ], lambda: self.answers(f"http://127.0.0.1:{port['kwok']}/healthz"))
        if not self.karpenter:
            return
        self.add("karpenter", [], lambda: self.answers(f"http://127.0.0.1:{port['health']}/readyz"), {
            "KUBECONFIG": str(self.kubeconfigs["karpenter"]), "SYSTEM_NAMESPACE": "kube-system",
            "METRICS_PORT": str(port["metrics"]), "HEALTH_PROBE_PORT": str(port["health"]), "DISABLE_LEADER_ELECTION": "true",
            "LOG_LEVEL": "info", "BATCH_IDLE_DURATION": "200ms", "BATCH_MAX_DURATION": "2s",
        })

    def answers(self, url, verify=True):
        context = None
        if url.startswith("https"):
            context = ssl.create_default_context(cafile=self.authority.certificate)
            if verify:
                context.load_cert_chain(self.authority.directory / "admin.crt", self.authority.directory / "admin.key")
            else:
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            with urllib.request.urlopen(url, timeout=2, context=context) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    # --- what tests ask for -------------------------------------------------------------------------------------------

    def environment(self):
        return {
            "KUBECONFIG": str(self.kubeconfigs["admin"]),
            "TAMP_E2E_DIRECTORY": str(self.directory),
            "TAMP_E2E_CONTROL": str(self.directory / "control"),
            "TAMP_E2E_PROGRAMS": str(self.programs / "bin"),
            "TAMP_E2E_AUDIT_LOG": str(self.directory / "audit.log"),
            "TAMP_E2E_INSTANCE_TYPES": str(self.programs / "share/instance_types.json"),
            "TAMP_E2E_NODEPOOL_CRDS": str(self.programs / "share/karpenter-crds"),
            "PATH": f"{self.programs / 'bin'}:{os.environ['PATH']}",
        }

    def kubectl(self, *args, data=None):
        command = [str(self.programs / "bin/kubectl"), "--kubeconfig", str(self.kubeconfigs["admin"]), *map(str, args)]
        done = subprocess.run(command, input=data, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"kubectl {' '.join(map(str, args))}: {done.stderr.strip()}")
        return done.stdout

    def compact(self):
        def ask(path, body):
            request = urllib.request.Request(f"http://127.0.0.1:{self.port['etcd']}{path}", json.dumps(body).encode(),
                                             {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)

        revision = ask("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        ask("/v3/kv/compaction", {"revision": revision, "physical": True})
        return revision

    def token(self, namespace, account, seconds, name="e2e"):
        """Valid for `seconds` (up to ten more if used just before). Less than the API server would ever issue, if wanted."""
        uid = self.kubectl("get", "serviceaccount", "-n", namespace, account, "-o", "jsonpath={.metadata.uid}")
        return sign_token(self.signing_key, ISSUER, namespace, account, uid, float(seconds) - EXPIRY_LEEWAY, name)

    def token_kubeconfig(self, namespace, account, seconds, name=None):
        """The token is in a file of its own, which may be written anew: clients are to read it again."""
        name = name or f"{namespace}-{account}"
        path = self.directory / f"{name}.token"
        fresh = path.with_suffix(".new")
        fresh.write_text(self.token(namespace, account, seconds, name))
        fresh.replace(path)
        return self.write_kubeconfig(name, {"tokenFile": str(path)})

    def webhook(self, port):
        """There is no network of Services here. One that is only a name leads the API server out of it, and it still expects the
        certificate of tamp-webhook.tamp-system.svc. Only the port is not the Service's own then."""
        self.kubectl("delete", "service", "-n", "tamp-system", "tamp-webhook", "--ignore-not-found")
        self.kubectl("create", "service", "externalname", "-n", "tamp-system", "tamp-webhook", "--external-name=localhost")
        for kind in ("mutatingwebhookconfiguration", "validatingwebhookconfiguration"):
            hooks = json.loads(self.kubectl("get", kind, "tamp", "-o", "json"))["webhooks"]
            patch = [{"op": "replace", "path": f"/webhooks/{i}/clientConfig/service/port", "value": int(port)} for i in range(len(hooks))]
            self.kubectl("patch", kind, "tamp", "--type=json", "-p", json.dumps(patch))
        return f"localhost:{port}"

    def fault(self, command, name):
        if name not in self.processes:
            raise RuntimeError(f"there is no {name}; there are {', '.join(self.processes)}")
        process = self.processes[name]
        if command == "restart":
            process.kill()
            self.up(name)
        else:
            getattr(process, command)()
        return process.state()

    # --- control ------------------------------------------------------------------------------------------------------

    def obey(self, words):
        command, *args = words
        if command == "status":
            return "; ".join(f"{name}: {process.state()}" for name, process in self.processes.items())
        if command in ("kill", "restart", "freeze", "thaw"):
            return self.fault(command, *args)
        if command == "compact":
            return str(self.compact())
        if command == "token":
            return self.token(*args)
        if command == "kubeconfig":
            return str(self.token_kubeconfig(*args))
        if command == "webhook":
            return self.webhook(*args)
        if command == "stop":
            self.ended.set()
            return "stopping"
        raise RuntimeError(f"unknown command {command}")

    def serve(self):
        """One caller at a time, on one thread for good: what it starts lives only as long as this thread."""
        path = self.directory / "control"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            while not self.ended.is_set():
                connection, _ = listener.accept()
                with connection, connection.makefile("rw") as stream:
                    try:
                        words = shlex.split(stream.readline())
                        with self.lock:
                            answer = f"ok {self.obey(words)}"
                    except Exception as problem:  # whatever it is, the caller is to hear of it
                        answer = f"error {problem}"
                    try:
                        stream.write(answer.replace("\n", " ") + "\n")
                        stream.flush()
                    except OSError:
                        pass


# --- command line -----------------------------------------------------------------------------------------------------


def ask(directory, words):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(pathlib.Path(directory) / "control"))
        with connection.makefile("rw") as stream:
            stream.write(shlex.join(words) + "\n")
            stream.flush()
            kind, _, text = stream.readline().rstrip("\n").partition(" ")
    return kind == "ok", text


def start_in_background(plane):
    """The control plane belongs to a process of its own, which ends on `stop` or on a signal."""
    read_end, write_end = os.pipe()
    if os.fork():
        os.close(write_end)
        with os.fdopen(read_end) as reader:
            message = reader.read()
        print(message, end="")
        return 0 if message.startswith("export") else 1
    os.close(read_end)
    os.setsid()
    signal.signal(signal.SIGTERM, lambda *_: plane.ended.set())
    with os.fdopen(write_end, "w") as writer:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        try:
            plane.start()
        except Exception as problem:
            plane.stop()
            writer.write(f"{problem}\n")
            writer.flush()
            os._exit(1)
        for key, value in plane.environment().items():
            writer.write(f"export {key}={shlex.quote(value)}\n")
    while not plane.ended.wait(1):
        pass
    time.sleep(0.1)  # lets the answer to `stop` out
    plane.stop()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("rest", nargs="*", metavar="ARGS… DIRECTORY")
    parser.add_argument("--programs", help="where build.sh put them")
    parser.add_argument("--karpenter", action="store_true")
    parser.add_argument("--apiserver-flag", action="append", default=[], metavar="--NAME=VALUE")
    args = parser.parse_args()
    if not args.rest:
        parser.error("which directory?")
    *words, directory = args.rest
    if args.command == "start":
        if not args.programs:
            parser.error("start needs --programs")
        return start_in_background(ControlPlane(args.programs, directory, args.karpenter, args.apiserver_flag))
    good, text = ask(directory, [args.command, *words])
    print(text.replace("; ", "\n") if args.command == "status" else text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
