#!/usr/bin/env python3
"""The dashboard of `tamp controller` with the rights that deploy/ gives it, and of two replicas of it: the Service leads to whichever leads,
a follower says who does. Run by run.py, on the real control plane and on the embedded cluster.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import time

from demo import Answer
from expect import check, count, equal, kubectl, wait_until

SOURCE = pathlib.Path(os.environ["TAMP_E2E_SOURCE"])
TAMP = os.environ.get("TAMP_PROGRAM", str(SOURCE / "build/bin/tamp"))
DIRECTORY = pathlib.Path(os.environ["TAMP_E2E_DIRECTORY"])


def kubeconfig(name, bearer):
    config = json.loads(kubectl("config", "view", "--raw", "--flatten", "-o", "json"))
    config["users"] = [{"name": user["name"], "user": {"token": bearer}} for user in config["users"]]
    path = DIRECTORY / f"{name}.kubeconfig"
    path.write_text(json.dumps(config))
    return path


def token(account, *cluster_roles):
    """Of a new service account in namespace default that is bound to the roles."""
    kubectl("create", "serviceaccount", account)
    for role in cluster_roles:
        kubectl("create", "clusterrolebinding", f"{account}-{role}", f"--clusterrole={role}", f"--serviceaccount=default:{account}")
    return kubectl("create", "token", account).strip()


TLS = ssl.create_default_context()
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE  # the certificate is made at the start and nobody knows it


class Replica:
    """`tamp controller` as the pod `name` at the address `ip`, as deploy/deployment.yaml would start it."""

    def __init__(self, name, ip, config):
        self.name, self.ip = name, ip
        self.log = DIRECTORY / f"{name}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [TAMP, "controller", f"--kubeconfig={config}", f"--pod-name={name}", f"--pod-ip={ip}", "--pod-namespace=tamp-system",
                 "--metrics-address=127.0.0.1:0", "--dashboard-address=:0", "--dashboard-service=tamp-dashboard", "--log-format=json"],
                stdout=log, stderr=subprocess.STDOUT)
        served = wait_until(f"{name} serves", lambda: self.process.poll() is None and self.said("serving the dashboard"), 30)
        self.port = int(re.search(r'"port":\s*"?(\d+)', served)[1])

    def said(self, text):
        return next((line for line in self.log.read_text().splitlines() if text in line), None)

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=TLS, timeout=20)

    def ask(self, method, path, body=None, bearer=None):
        with contextlib.closing(self.connect()) as connection:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            if bearer:
                headers["Authorization"] = f"Bearer {bearer}"
            connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
            return Answer(connection.getresponse())

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait(30)


def slice_():
    done = subprocess.run(["kubectl", "-n", "tamp-system", "get", "endpointslice", "tamp-dashboard", "-o", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    found = json.loads(done.stdout)
    return found["endpoints"][0]["addresses"], found["ports"][0]["port"]


def leads(replica):
    return slice_() == ([replica.ip], replica.port)


def ready(replica, bearer):
    return replica.ask("GET", "/api/v1/overview", bearer=bearer).status == 200


def prepare():
    # Every real cluster has this role; the embedded one has not all of those that come with a cluster.
    if subprocess.run(["kubectl", "get", "clusterrole", "system:auth-delegator"], capture_output=True).returncode != 0:
        kubectl("apply", "-f", "-", data=json.dumps({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "system:auth-delegator"},
            "rules": [{"apiGroups": ["authentication.k8s.io"], "resources": ["tokenreviews"], "verbs": ["create"]},
                      {"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"], "verbs": ["create"]}]}))
    for manifest in ("namespace.yaml", "crds", "rbac.yaml", "dashboard.yaml"):
        kubectl("apply", "--server-side", "-f", SOURCE / "deploy" / manifest)
    wait_until("CRDs are served", lambda: subprocess.run(["kubectl", "get", "temperpolicies,consolidationruns"], capture_output=True).returncode == 0)
    kubectl("apply", "-f", "-", data=json.dumps({"apiVersion": "temper.codes/v1alpha1", "kind": "TemperPolicy", "metadata": {"name": "default"},
                                              "spec": {"mode": "Act", "planner": "Requests"}}))
    return kubeconfig("controller", kubectl("-n", "tamp-system", "create", "token", "tamp-controller").strip())


def one_replica(first, viewer, boss):
    wait_until("the Service leads to the first", lambda: leads(first), 60)
    wait_until("the first shows something", lambda: ready(first, viewer), 60)
    check("TLS alone", not plain_answers(first.port))
    equal("nobody without a token", first.ask("GET", "/api/v1/overview").status, 401)
    session = first.ask("GET", "/api/v1/session", bearer=viewer).json
    equal("who is who", session["user"], "system:serviceaccount:default:viewer")
    equal("a viewer's rights", session["rights"], {"view": True, "approve": False, "abort": False, "pause": False})
    equal("an administrator's rights", first.ask("GET", "/api/v1/session", bearer=boss).json["rights"],
          {"view": True, "approve": True, "abort": True, "pause": True})
    login = first.ask("POST", "/api/v1/session", {"token": viewer})
    equal("logs in", login.status, 201)
    check("a cookie for TLS alone", "Secure" in login.headers["Set-Cookie"], login.headers["Set-Cookie"])
    equal("a viewer does not pause", first.ask("PUT", "/api/v1/pause", {"paused": True}, viewer).status, 403)
    equal("an administrator does", first.ask("PUT", "/api/v1/pause", {"paused": True}, boss).status, 200)
    wait_until("paused", lambda: first.ask("GET", "/api/v1/status", bearer=viewer).json["paused"], 30)
    equal("it is the annotation", kubectl("get", "temperpolicy", "default", "-o", r"jsonpath={.metadata.annotations.temper\.codes/pause}"), "true")
    equal("and resumes", first.ask("PUT", "/api/v1/pause", {"paused": False}, boss).status, 200)
    wait_until("resumed", lambda: not first.ask("GET", "/api/v1/status", bearer=viewer).json["paused"], 30)
    for path in ("nodes", "plan", "runs", "audit", "policy"):
        equal(path, first.ask("GET", f"/api/v1/{path}", bearer=viewer).status, 200)
    check("no token in the log", viewer not in first.log.read_text() and boss not in first.log.read_text())


def plain_answers(port):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        try:
            return raw.recv(100).startswith(b"HTTP/1.1 200")
        except OSError:
            return False


def two_replicas(first, second, viewer):
    refused = wait_until("the second knows who leads", lambda: (answer := second.ask("GET", "/api/v1/overview", bearer=viewer)).status == 503 and
                         answer.json["reason"] == "NotLeader" and answer, 30)
    equal("it names the leader", refused.json["detail"], {"leader": "tamp-1", "replica": "tamp-2"})
    equal("nobody is kept there", refused.headers["Connection"], "close")
    equal("its page is there all the same", second.ask("GET", "/").status, 200)
    equal("nothing is done there", second.ask("PUT", "/api/v1/pause", {"paused": True}, viewer).status, 503)
    check("the Service leads to the leader alone", leads(first), slice_())


def the_leader_dies(first, second, viewer):
    first.kill()
    wait_until("the Service leads to the second", lambda: leads(second), 60)
    wait_until("the second shows something", lambda: ready(second, viewer), 60)
    overview = second.ask("GET", "/api/v1/overview", bearer=viewer).json
    check("it says so", overview["leader"].startswith("tamp-2_"), overview["leader"])


def the_leader_is_frozen(second, third, viewer):
    """It comes back and is not the leader any more: who was connected to it is sent away."""
    wait_until("the third follows", lambda: third.ask("GET", "/api/v1/overview", bearer=viewer).status == 503, 30)
    with contextlib.closing(second.connect()) as open_page:
        open_page.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {viewer}"})
        stream = open_page.getresponse()
        equal("an open page", stream.status, 200)
        second.process.send_signal(signal.SIGSTOP)
        try:
            wait_until("the Service leads to the third", lambda: leads(third), 60)
        finally:
            second.process.send_signal(signal.SIGCONT)
        wait_until("the second follows", lambda: (answer := second.ask("GET", "/api/v1/overview", bearer=viewer)).status == 503 and
                   answer.json["reason"] == "NotLeader", 30)
        begin = time.monotonic()
        while stream.read1(65536):
            pass
        check("its stream has ended", time.monotonic() - begin < 15)
    wait_until("the third shows something", lambda: ready(third, viewer), 60)
    check("the second does not take the Service back", leads(third), slice_())


def main():
    config = prepare()
    viewer, boss = token("viewer", "tamp-viewer"), token("boss", "cluster-admin")
    replicas = []

    def start(number):
        replicas.append(Replica(f"tamp-{number}", f"192.0.2.{number}", config))
        return replicas[-1]
    try:
        first = start(1)
        one_replica(first, viewer, boss)
        second = start(2)
        two_replicas(first, second, viewer)
        the_leader_dies(first, second, viewer)
        third = start(3)
        the_leader_is_frozen(second, third, viewer)
    finally:
        for replica in replicas:
            if replica.process.poll() is None:
                replica.kill()
    return count()


if __name__ == "__main__":
    sys.exit(main())
