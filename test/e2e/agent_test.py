#!/usr/bin/env python3
"""The node agent on a real API server: it learns its pods there, publishes what they request on its own node, and tells nobody what it
measures who has not the right to know. Cgroups are files; the kernel's own are in test/agent. Run by run.py.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import time

from expect import check, command, control, count, kubectl, wait_until

SOURCE = pathlib.Path(os.environ["TAMP_E2E_SOURCE"])
AGENT = pathlib.Path(os.environ.get("TAMP_E2E_AGENT", SOURCE / "build/bin/tamp-agent"))
PODS = 110
# Of a process that is measured by a sanitizer these say nothing.
MOST_ANONYMOUS, MOST_CPU = 10 << 20, 0.005


def token(namespace, account, *more):
    return kubectl("create", "token", "-n", namespace, account, *more).strip()


def kubeconfig(bearer):
    config = json.loads(kubectl("config", "view", "--raw", "--flatten", "-o", "json"))
    config["users"] = [{"name": user["name"], "user": {"token": bearer}} for user in config["users"]]
    path = pathlib.Path(os.environ["TAMP_E2E_DIRECTORY"]) / "agent.kubeconfig"
    path.write_text(json.dumps(config))
    return path


def pod(name, node, cpu="10m", **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": {
        "nodeName": node, "tolerations": [{"operator": "Exists"}],
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "1Mi"}}}], **spec}}


def create(*objects):
    kubectl("create", "-f", "-", data=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


class Agent:
    def __init__(self, process, port):
        self.process, self.port = process, port

    def ask(self, path, bearer=None):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={"Authorization": f"Bearer {bearer}"} if bearer else {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def anonymous(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) << 10

    def cpu_seconds(self):
        user, system = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def agent(directory, config, *flags):
    log = open(pathlib.Path(os.environ["TAMP_E2E_DIRECTORY"]) / "tamp-agent.log", "w+")
    process = subprocess.Popen([AGENT, "serve", "--node-name=a", f"--cgroup-root={directory}", f"--kubeconfig={config}",
                                "--listen=127.0.0.1:0", *flags], stderr=log)
    try:
        def port():
            return re.search(r"serves https://127.0.0.1:(\d+)", pathlib.Path(log.name).read_text())

        wait_until("the agent listens", lambda: port() or process.poll() is not None)
        yield Agent(process, int(port()[1]))
    finally:
        process.terminate()
        status = process.wait(timeout=10)
        check("the agent ends when it is told to", status == 0, status)


def published(node="a"):
    text = kubectl("get", "node", node, "-o", r"jsonpath={.metadata.annotations.temper\.codes/requests}")
    return {tier["tier"]: tier for tier in json.loads(text)} if text else None


def prepare(directory):
    kubectl("apply", "--server-side", "-f", os.environ["TAMP_E2E_NODEPOOL_CRDS"])
    kubectl("apply", "--server-side", "-k", SOURCE / "deploy")
    kubectl("delete", "-f", SOURCE / "deploy/webhook.yaml")
    kubectl("delete", "daemonset", "-n", "tamp-agents", "tamp-agent")  # this test plays one of its pods
    kubectl("create", "serviceaccount", "-n", "default", "nobody")
    wait_until("the default account is there", lambda: command("kubectl", "get", "serviceaccount", "-n", "default", "default")[0])
    for name in ("a", "b"):
        create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {
            "allocatable": {"cpu": "16", "memory": "64Gi", "pods": "250"}, "capacity": {"cpu": "16", "memory": "64Gi", "pods": "250"}}})
    create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "top"}, "value": 1000000})
    create(pod("critical", "a", "1500m", priorityClassName="top"), pod("elsewhere", "b"), *(pod(f"p-{i:03}", "a") for i in range(PODS - 1)))
    uids = json.loads(kubectl("get", "pods", "-o", "json"))["items"]
    line = "avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    for item in uids:
        path = pathlib.Path(directory) / "kubepods" / f"pod{item['metadata']['uid']}"
        path.mkdir(parents=True)
        (path / "cpu.stat").write_text("usage_usec 1\nuser_usec 1\nsystem_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n")
        for resource in ("cpu", "memory", "io"):
            (path / f"{resource}.pressure").write_text(f"some {line}full {line}")
    kubectl("create", "-f", "-", data=json.dumps(  # to which the agent's token is bound, as that of a real one is
        {**pod("agent", "a"), "metadata": {"name": "agent", "namespace": "tamp-agents"}, "spec": {
            **pod("agent", "a")["spec"], "serviceAccountName": "tamp-agent"}}))
    return kubeconfig(token("tamp-agents", "tamp-agent", "--bound-object-kind=Pod", "--bound-object-name=agent"))


def who_may_know(agent, good):
    status, text = agent.ask("/observe", good)
    check("who has the right is told", status == 200, (status, text))
    document = json.loads(text)
    check("of this node's pods", document["node"] == "a" and len(document["pods"]) == PODS + 1 and
          "elsewhere" not in {p["name"] for p in document["pods"]}, len(document["pods"]))
    check("who says nothing is not", agent.ask("/observe")[0] == 401)
    check("nor who makes something up", agent.ask("/observe", "made-up")[0] == 401)
    check("nor whose token is for others", agent.ask("/observe", token("tamp-system", "tamp-controller"))[0] == 401)
    weak = token("default", "nobody", "--audience=tamp-agent")
    check("nor who has no right", agent.ask("/observe", weak)[0] == 403)
    check("a right is for one path", agent.ask("/metrics", good)[0] == 403)
    check("probes need none", agent.ask("/healthz")[0] == 200 and agent.ask("/readyz")[0] == 200)
    kubectl("create", "clusterrolebinding", "weak", "--clusterrole=tamp-agent-reader", "--serviceaccount=default:nobody")
    wait_until("a right that is given counts within seconds", lambda: agent.ask("/observe", weak)[0] == 200)


def what_is_published():
    wait_until("the agent has published", published)
    tiers = published()
    check("by tier", (tiers["Critical"]["pods"], tiers["Critical"]["cpuRequestMillis"]) == (1, 1500), tiers)
    check("what all request", (tiers["Normal"]["pods"], tiers["Normal"]["cpuRequestMillis"], tiers["Normal"]["memoryRequestBytes"]) ==
          (PODS, PODS * 10, PODS << 20), tiers)
    check("on no other node", published("b") is None)
    create(pod("late", "a", "250m"))
    wait_until("another pod is published", lambda: published()["Normal"]["pods"] == PODS + 1)
    kubectl("delete", "pod", "late", "--force", "--grace-period=0")
    wait_until("and that it has gone", lambda: published()["Normal"]["pods"] == PODS)


def what_it_costs(agent):
    time.sleep(3)
    begin, cpu = time.monotonic(), agent.cpu_seconds()
    time.sleep(30)
    share = (agent.cpu_seconds() - cpu) / (time.monotonic() - begin)
    print(f"{PODS + 1} pods, a watch, TLS and tokens: {agent.anonymous() / (1 << 20):.1f} MiB anonymous memory, {100 * share:.2f} % of a core "
          "(copied cgroup files, opened anew for each reading)")
    if "TAMP_E2E_AGENT" in os.environ:
        return
    check("little memory", agent.anonymous() < MOST_ANONYMOUS, agent.anonymous())


def without_the_api_server(agent):
    known, fresh = (token("tamp-system", "tamp-controller", "--audience=tamp-agent") for _ in range(2))
    check("who is new is asked about", agent.ask("/observe", known)[0] == 200)
    control("kill", "kube-apiserver")
    status, text = agent.ask("/observe", fresh)
    check("who cannot be asked about is not told", status == 503, (status, text))
    check("nor who made something up", agent.ask("/observe", "made-up-again")[0] == 503)
    check("who was allowed a moment ago still is", agent.ask("/observe", known)[0] == 200)
    control("restart", "kube-apiserver")
    wait_until("it is told again when the API server is back", lambda: agent.ask("/observe", fresh)[0] == 200, 60)
    create(pod("after", "a"))
    wait_until("the watch goes on", lambda: published()["Normal"]["pods"] == PODS + 1, 90)


def main():
    with tempfile.TemporaryDirectory() as directory:
        config = prepare(directory)
        with agent(directory, config, "--authenticate=tokens", "--token-audience=tamp-agent", "--publish-requests=true") as running:
            good = token("tamp-system", "tamp-controller", "--audience=tamp-agent")
            wait_until("the agent knows its pods", lambda: running.ask("/readyz")[0] == 200)
            who_may_know(running, good)
            what_is_published()
            what_it_costs(running)
            without_the_api_server(running)
    return count()


if __name__ == "__main__":
    sys.exit(main())
