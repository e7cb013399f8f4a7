"""The embedded side of the judge: the program embedded-apiserver on a free port of the loopback interface."""
import base64
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "e2e" / "controlplane"))
from processes import dies_with_parent  # noqa: E402


class EmbeddedServer:
    def __init__(self, program, users=()):
        self.program, self.users = str(program), users
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="tamp-embedded-"))
        self.kubeconfig = self.directory / "kubeconfig"

    def __enter__(self):
        command = [self.program, "--kubeconfig", str(self.kubeconfig)]
        for token, name, uid, groups in self.users:
            command += ["--user", ",".join([token, name, uid, *groups])]
        self.kubeconfig.unlink(missing_ok=True)
        self.log = open(self.directory / "log", "w", encoding="utf-8")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT, preexec_fn=dies_with_parent())
        for _ in range(600):
            if self.kubeconfig.exists() and self.kubeconfig.read_text().endswith("\n"):
                break
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.program} ended: {(self.directory / 'log').read_text()}")
            time.sleep(0.05)
        text = self.kubeconfig.read_text()
        self.port = int(re.search(r"server: https://127.0.0.1:(\d+)", text)[1])
        self.token = re.search(r"token: (\S+)", text)[1]
        authority = self.directory / "ca.crt"
        authority.write_bytes(base64.b64decode(re.search(r"certificate-authority-data: (\S+)", text)[1]))
        self.address = "127.0.0.1", self.port, str(authority)
        return self

    def __exit__(self, *_):
        crashed = not self.alive()
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
        if crashed:
            print(f"{self.program} ended by itself: {self.log.name}", file=sys.stderr)
        else:
            shutil.rmtree(self.directory, ignore_errors=True)

    def alive(self):
        return self.process.poll() is None
