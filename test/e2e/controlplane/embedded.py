"""The embedded cluster in the place of the real control plane: the same files, environment and commands for a test, so that the test
cannot tell which of the two it runs on. build/bin/embedded-cluster is API server, store, scheduler, controllers and kubelets in
one; faults of "kube-apiserver" are those of its port, faults of "etcd" those of the whole process. There is no Karpenter in it.
"""

import base64
import re
import signal
import subprocess
import threading
import types

from controlplane import ControlPlane
from processes import dies_with_parent


class Program:
    """build/bin/embedded-cluster, spoken to a line at a time."""

    name = "embedded-cluster"

    def __init__(self, path, directory):
        self.path, self.directory = path, directory
        self.child = None

    def start(self):
        with open(self.directory / "logs" / "embedded-cluster.log", "ab") as log:
            self.child = subprocess.Popen([str(self.path), str(self.directory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          stderr=log, text=True, preexec_fn=dies_with_parent())
        self.answer()

    def ask(self, *words):
        self.child.stdin.write(" ".join(map(str, words)) + "\n")
        self.child.stdin.flush()
        return self.answer()

    def answer(self):
        kind, _, text = self.child.stdout.readline().rstrip("\n").partition(" ")
        if kind != "ok":
            raise RuntimeError(text or "embedded-cluster has ended")
        return text

    def running(self):
        return self.child is not None and self.child.poll() is None

    def send(self, number):
        self.child.send_signal(number)

    def kill(self):
        if self.running():
            self.child.kill()
            self.child.wait()


class EmbeddedPlane(ControlPlane):
    """`programs` is still where kubectl and the machine catalogue are."""

    def __init__(self, programs, directory, program):
        super().__init__(programs, directory)
        self.program = Program(program, self.directory)

    def start(self):
        (self.directory / "logs").mkdir(parents=True, exist_ok=True)
        self.processes["embedded-cluster"] = self.program
        self.program.start()
        text = (self.directory / "embedded.kubeconfig").read_text()
        certificate = self.directory / "ca.crt"
        certificate.write_bytes(base64.b64decode(re.search(r"certificate-authority-data: (\S+)", text)[1]))
        self.authority = types.SimpleNamespace(certificate=certificate)
        self.server = re.search(r"server: (\S+)", text)[1]
        self.kubeconfigs = {"admin": self.write_kubeconfig("admin", {"token": re.search(r"token: (\S+)", text)[1]})}
        threading.Thread(target=self.serve, daemon=True).start()

    def compact(self):
        return self.program.ask("compact")

    def token(self, namespace, account, seconds, name="e2e"):
        return self.program.ask("token", namespace, account, seconds, name)

    def fault(self, command, name):
        if (command, name) == ("kill", "kube-apiserver"):
            return self.program.ask("down")
        if (command, name) == ("restart", "kube-apiserver"):
            self.program.ask("down")
            return self.program.ask("up")
        if (command, name) == ("freeze", "etcd"):
            return self.program.send(signal.SIGSTOP)
        if (command, name) == ("thaw", "etcd"):
            return self.program.send(signal.SIGCONT)
        raise RuntimeError(f"the embedded cluster cannot {command} {name}")
