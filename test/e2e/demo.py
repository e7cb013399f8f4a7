"""`tamp demo` as tests use it: the program with its dashboard, and ways to ask both it and the cluster in it."""

import http.client
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TAMP = os.environ.get("TAMP_PROGRAM", str(SOURCE / "build/bin/tamp"))
sys.path.insert(0, str(SOURCE / "test/e2e/controlplane"))
from processes import dies_with_parent  # noqa: E402


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Demo:
    """with Demo("--scenario", "slo-fleet") as demo: …"""

    def __init__(self, *flags):
        self.directory = tempfile.mkdtemp(prefix="tamp-dashboard-")
        self.kubeconfig = f"{self.directory}/kubeconfig"
        self.output = f"{self.directory}/output"
        self.flags = flags

    def __enter__(self):
        with open(self.output, "w") as output:
            self.process = subprocess.Popen([TAMP, "demo", "--kubeconfig", self.kubeconfig, *self.flags], stdout=output,
                                            stderr=subprocess.STDOUT, preexec_fn=dies_with_parent())
        self.url = self.wait(lambda: self.found(r"Dashboard: (http://\S+)/"), "the dashboard's address", 60)
        self.port = int(self.url.rsplit(":", 1)[1])
        config = pathlib.Path(self.kubeconfig).read_text()
        self.token = re.search(r"token: (\S+)", config)[1]
        self.api_port = int(re.search(r"server: https://[^:]+:(\d+)", config)[1])
        return self

    def __exit__(self, *_):
        crashed = self.process.poll() is not None
        self.process.terminate()
        self.process.wait(20)
        if crashed:
            print(f"tamp demo ended by itself: {self.output}", file=sys.stderr)
        else:
            shutil.rmtree(self.directory, ignore_errors=True)

    def found(self, pattern):
        match = re.search(pattern, pathlib.Path(self.output).read_text())
        return match and match[1]

    def wait(self, ask, what, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"tamp demo ended: {pathlib.Path(self.output).read_text()}")
            answer = ask()
            if answer:
                return answer
            time.sleep(0.1)
        raise RuntimeError(f"no {what} after {seconds} s")

    def ask(self, method, path, body=None, token=None, headers=None, timeout=30):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
        connection.request(method, path, body=body, headers=sent)
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def ready(self, token=None):
        """The first pass has been made."""
        self.wait(lambda: self.ask("GET", "/api/v1/overview", token=token).status == 200, "overview", 30)

    def kube(self, method, path, body=None, content_type="application/json"):
        """The cluster itself, as its administrator."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.api_port, timeout=30, context=context)
        connection.request(method, path, body=body if body is None or isinstance(body, str) else json.dumps(body),
                           headers={"Authorization": f"Bearer {self.token}", "Content-Type": content_type})
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def user(self, name, rules):
        """A service account with these rules of RBAC; its token."""
        space = "/api/v1/namespaces/default/serviceaccounts"
        self.kube("POST", space, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})
        rbac = "/apis/rbac.authorization.k8s.io/v1"
        meta = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": name}}
        self.kube("POST", f"{rbac}/clusterroles", {**meta, "kind": "ClusterRole", "rules": rules})
        self.kube("POST", f"{rbac}/clusterrolebindings", {
            **meta, "kind": "ClusterRoleBinding", "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "default"}]})
        made = self.kube("POST", f"{space}/{name}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        return made.json["status"]["token"]


def rule(resource, *verbs):
    return {"apiGroups": ["temper.codes"], "resources": [resource], "verbs": list(verbs)}


VIEW = [rule("temperpolicies", "get"), rule("consolidationruns", "get", "list")]
