#!/usr/bin/env python3
"""The program as a user runs it: exit status, standard output and standard error.

usage: program_test.py PATH-TO-TAMP [unittest arguments]
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLUSTER, TYPES, POLICY = (str(ROOT / "samples" / n) for n in ("cluster.json", "instance-types.json", "policy.yaml"))
NODES, PODS = 33, 172  # of the sample
NOW = "2026-11-15T00:00:00Z"
SAMPLE = ["-f", CLUSTER, "--instance-types", TYPES, "--policy", POLICY, "--now", NOW]
TAMP = ""


def tamp(*arguments, stdin=None, env=None, program=None):
    environment = {"PATH": os.environ.get("PATH", ""), **(env or {})}
    for name, value in os.environ.items():
        if name.endswith("SAN_OPTIONS"):
            environment[name] = value
    return subprocess.run([program or TAMP, *map(str, arguments)], input=stdin, capture_output=True, text=True, env=environment,
                          timeout=120)


class ProgramTest(unittest.TestCase):
    def succeed(self, *arguments, **options):
        run = tamp(*arguments, **options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def refuse(self, *arguments, **options):
        """Exit 2, a message that begins with the program's name, nothing on standard output."""
        run = tamp(*arguments, **options)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertTrue(run.stderr.startswith("tamp: "), run.stderr)
        self.assertEqual(run.stdout, "")
        return run.stderr


class Usage(ProgramTest):
    def test_version_and_help(self):
        self.assertRegex(self.succeed("version").stdout, r"^tamp \d+\.\d+\.\d+\n$")
        for arguments in ([], ["--help"], ["help"]):
            self.assertIn("tamp plan", self.succeed(*arguments).stdout)
        for command in ("plan", "explain", "fits"):
            self.assertIn("--instance-types", self.succeed(command, "--help").stdout)

    def test_what_is_not_understood_is_refused(self):
        self.refuse("dance")
        self.refuse("plan", "--nonsense")
        self.refuse("plan", *SAMPLE, "-o", "xml")
        self.refuse("plan", *SAMPLE, "--method", "best")
        self.refuse("explain", *SAMPLE)
        self.refuse("fits", *SAMPLE)

    def test_without_a_file_the_live_cluster_is_asked(self):
        done = tamp("plan", env={"HOME": "/nonexistent", "KUBECONFIG": "/nonexistent/config"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nonexistent/config", done.stderr)

    def test_a_cluster_that_does_not_answer_is_no_mistake_of_usage(self):
        with tempfile.TemporaryDirectory() as directory:
            kubeconfig = pathlib.Path(directory) / "config"
            kubeconfig.write_text(json.dumps({
                "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
                "users": [{"name": "u", "user": {"token": "t"}}],
                "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}], "current-context": "x"}))
            done = tamp("plan", "--kubeconfig", kubeconfig)
        self.assertEqual(done.returncode, 1)
        self.assertIn("context x", done.stderr)

    def test_without_measurements_nothing_is_proven(self):
        plan = json.loads(self.succeed("plan", *SAMPLE, "--planner", "SLO", "-o", "json").stdout)
        self.assertEqual(plan["planner"], "SLO")
        self.assertIsNone(plan["plan"])
        for refusal in plan["refusals"]:
            failed = [check["name"] for check in refusal["checks"] if not check["passed"]]
            self.assertIn("measurements", failed)

    def test_bad_measurements_are_refused_with_their_place(self):
        self.assertIn("must be a list of /observe documents",
                      self.refuse("plan", *SAMPLE, "--planner", "SLO", "--observe", "-", stdin="3"))

    def test_as_a_plugin_of_kubectl(self):
        with tempfile.TemporaryDirectory() as directory:
            plugin = pathlib.Path(directory) / "kubectl-tamp"
            plugin.symlink_to(TAMP)
            self.assertIn("kubectl tamp plan", self.succeed("--help", program=str(plugin)).stdout)
            self.assertIn("COULD GO", self.succeed("plan", "--every", *SAMPLE, program=str(plugin)).stdout)

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([TAMP, "version"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot write standard output", run.stderr)


class Plan(ProgramTest):
    def plan(self, *arguments, **options):
        return json.loads(self.succeed("plan", *SAMPLE, "-o", "json", *arguments, **options).stdout)

    def test_the_document_keeps_the_contract(self):
        plan = self.plan()
        self.assertEqual(plan["decidedAt"], NOW)
        self.assertEqual(plan["planner"], "Requests")
        self.assertEqual(plan["cluster"]["nodes"], NODES)
        self.assertEqual(list(plan)[:5], ["decidedAt", "planner", "cluster", "commands", "nodes"])
        self.assertTrue(plan["commands"])
        for command in plan["commands"]:
            self.assertIn(command["method"], ("empty", "multi", "single"))
            self.assertEqual(command["decision"] == "replace", command["replacement"] is not None)
            self.assertGreaterEqual(command["hourlySavings"], command["requiredSavings"])
            for pod in command["pods"]:
                self.assertIn(pod["from"], command["nodes"])
                self.assertNotIn(pod["to"], command["nodes"])
        for node in plan["nodes"]:
            self.assertIn(node["verdict"], ("command", "eligible", "blocked"))
            self.assertEqual(bool(node["reason"]), node["verdict"] == "blocked")

    def test_the_sample_shows_each_common_reason(self):
        kept = {n["name"]: n["reason"] for n in self.plan("--every")["nodes"]}
        self.assertLessEqual({
            "ip-10-0-1-21": "Utilization", "ip-10-0-3-30": "PodDisruptionBudget", "ip-10-0-1-31": "PodDoNotDisrupt",
            "ip-10-0-2-32": "PodWithoutController", "ip-10-0-3-33": "PodsDoNotFit", "ip-10-0-1-34": "NodeDoNotDisrupt",
            "ip-10-0-2-35": "MinNodeLifetime", "ip-10-0-3-36": "NotInitialized", "ip-10-0-3-42": "SpotToSpotOff",
            "ip-10-0-1-50": "ConsolidateAfter", "ip-10-0-1-60": "NotEmpty", "ip-10-0-1-61": "NoCheaperReplacement",
            "ip-10-0-1-64": "SavingsBelowThreshold", "ip-10-0-1-65": "StaticPool", "ip-10-0-2-67": "BudgetExhausted",
            "ip-10-0-3-68": "GracePeriod", "ip-10-0-1-70": "ScaleDownDisabled", "ip-10-0-2-71": "NotManaged",
        }.items(), kept.items())

    def test_says_that_it_decided_on_requests_unless_told_so(self):
        self.assertIn("decided on requests alone", self.succeed("plan", *SAMPLE, "-o", "json").stderr)
        self.assertEqual(self.succeed("plan", *SAMPLE, "-o", "json", "--planner", "Requests").stderr, "")
        self.assertIn("decided on requests alone", self.succeed("plan", *SAMPLE).stdout)

    def test_the_order_of_objects_does_not_matter_and_runs_repeat(self):
        first = self.succeed("plan", *SAMPLE, "-o", "json").stdout
        self.assertEqual(first, self.succeed("plan", *SAMPLE, "-o", "json").stdout)
        cluster = json.loads(pathlib.Path(CLUSTER).read_text(encoding="utf-8"))
        random.Random(1).shuffle(cluster["items"])
        arguments = ["-f", "-", *SAMPLE[2:], "-o", "json"]
        self.assertEqual(first, self.succeed("plan", *arguments, stdin=json.dumps(cluster)).stdout)

    def test_several_files_are_one_cluster(self):
        items = json.loads(pathlib.Path(CLUSTER).read_text(encoding="utf-8"))["items"]
        with tempfile.TemporaryDirectory() as directory:
            parts = [pathlib.Path(directory) / f"{i}.json" for i in range(2)]
            for i, part in enumerate(parts):
                part.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items[i::2]}), encoding="utf-8")
            run = self.succeed("plan", "-f", parts[0], "-f", parts[1], *SAMPLE[2:], "-o", "json")
        self.assertEqual(run.stdout, self.succeed("plan", *SAMPLE, "-o", "json").stdout)

    def test_yaml_in_and_yaml_out(self):
        text = self.succeed("plan", *SAMPLE, "-o", "yaml").stdout
        self.assertTrue(text.startswith(f'decidedAt: "{NOW}"\nplanner: Requests\ncluster:\n  nodes: {NODES}\n'), text[:200])
        node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}\n"
        run = self.succeed("plan", "-f", "-", "--now", NOW, "-o", "json", stdin=node + "---\n" + node.replace("name: a", "name: b"))
        self.assertEqual(json.loads(run.stdout)["cluster"]["nodes"], 2)

    def test_colour_is_for_terminals(self):
        self.assertNotIn("\x1b", self.succeed("plan", *SAMPLE).stdout)
        self.assertIn("\x1b[", self.succeed("plan", *SAMPLE, "--color", "always").stdout)
        self.assertNotIn("\x1b", self.succeed("plan", *SAMPLE, "--color", "never").stdout)

    def test_no_line_is_wider_than_the_page(self):
        for width in (80, 100, 120):
            for line in self.succeed("plan", *SAMPLE, env={"COLUMNS": str(width)}).stdout.splitlines():
                self.assertLessEqual(len(line), width, line)

    def test_a_variable_does_what_its_flag_does(self):
        without_policy = ["-f", CLUSTER, "--instance-types", TYPES, "--now", NOW, "-o", "json"]
        flag = self.succeed("plan", *without_policy, "--scaledown-utilization-threshold", "1").stdout
        variable = self.succeed("plan", *without_policy, env={"SCALE_DOWN_UTILIZATION_THRESHOLD": "1"}).stdout
        self.assertEqual(flag, variable)
        self.assertNotIn('"Utilization"', variable)
        self.assertIn("SCALE_DOWN_UTILIZATION_THRESHOLD", self.refuse("plan", *without_policy, env={"SCALE_DOWN_UTILIZATION_THRESHOLD": "2"}))

    def test_timings_only_when_asked_for(self):
        self.assertNotIn("timings", self.plan())
        timings = self.plan("--timings")["timings"]
        self.assertGreater(timings["readMs"], 0)
        self.assertGreaterEqual(timings["planMs"], 0)

    def test_a_cluster_without_pools_or_catalogue_is_decided_too(self):
        items = [i for i in json.loads(pathlib.Path(CLUSTER).read_text(encoding="utf-8"))["items"] if i["kind"] in ("Node", "Pod", "ReplicaSet")]
        plan = json.loads(self.succeed("plan", "-f", "-", "--now", NOW, "-o", "json", stdin=json.dumps({"kind": "List", "apiVersion": "v1", "items": items})).stdout)
        self.assertEqual(len(plan["nodes"]), NODES)


class Road(ProgramTest):
    """As --compat goes it: pass after pass, so that no other ways are looked for, which takes long under sanitizers."""
    def page(self, steps, *arguments):
        return self.succeed("plan", *SAMPLE, "--compat", "karpenter-1.14", "--steps", steps, *arguments).stdout

    def road(self, steps, *arguments):
        return json.loads(self.page(steps, "-o", "json", *arguments))["road"]

    def test_what_is_left_after_each_step_adds_up(self):
        road = self.road(100)
        self.assertTrue(road["arrived"])
        self.assertIsNone(road["target"])
        self.assertGreater(len(road["steps"]), 1)
        moves, nodes = 0, NODES
        for step in road["steps"]:
            moves += len(step["pods"])
            nodes += (1 if step["newNode"] else 0) - len(step["nodes"])
            self.assertEqual((step["after"]["podMoves"], step["after"]["nodes"]), (moves, nodes))

    def test_whether_a_target_is_reached_is_said_of_the_whole_road(self):
        end = self.road(100)["steps"][-1]["after"]["hourlyCost"]
        road = self.road(1, "--target-cost", end)
        self.assertEqual(len(road["steps"]), 1)
        self.assertEqual(road["target"], {"hourlyCost": end, "reached": True})
        self.assertFalse(self.road(100, "--target-cost", 0.5)["target"]["reached"])
        page = self.page(1, "--target-cost", 0.5)
        self.assertIn("there is more to do after these", page)
        self.assertIn("no way that was tried comes down to the target of $0.50/h", page)


class Explain(ProgramTest):
    def test_every_node_of_the_sample_has_an_explanation(self):
        for node in json.loads(self.succeed("plan", *SAMPLE, "-o", "json", "--every").stdout)["nodes"]:
            page = self.succeed("explain", node["name"], *SAMPLE).stdout
            self.assertIn("GATES", page)
            document = json.loads(self.succeed("explain", node["name"], *SAMPLE, "-o", "json").stdout)
            self.assertEqual(document["name"], node["name"])
            if node["reason"]:
                self.assertIn(node["reason"], page)
                self.assertEqual(document["reason"], node["reason"])

    def test_settings_say_where_they_came_from(self):
        gates = json.loads(self.succeed("explain", "ip-10-0-1-21", *SAMPLE, "-o", "json").stdout)["gates"]
        utilization = next(g for g in gates if g["gate"] == "Utilization")
        self.assertFalse(utilization["passed"])
        self.assertEqual(utilization["source"], "PolicyDefault")

    def test_an_unknown_node_is_bad_input(self):
        self.assertIn("did you mean ip-10-0-1-21", self.refuse("explain", "10-0-1-21", *SAMPLE))


class Fits(ProgramTest):
    def test_all_pairs_are_answered(self):
        pods = json.loads(self.succeed("fits", "--all", "-f", CLUSTER, "-o", "json").stdout)["pods"]
        self.assertEqual(len(pods), PODS)
        for pod in pods:
            self.assertEqual(len(pod["nodes"]), NODES)
            for node in pod["nodes"]:
                self.assertEqual(node["fits"], node["reason"] == "")

    def test_one_pod(self):
        ledger = json.loads(self.succeed("fits", "pay/ledger-0", "-f", CLUSTER, "-o", "json").stdout)["pods"][0]
        self.assertEqual([n["name"] for n in ledger["nodes"] if n["fits"]], ["ip-10-0-3-33"])
        self.assertIn(f"could run on 1 of {NODES} nodes", self.succeed("fits", "ledger-0", "-f", CLUSTER).stdout)

    def test_an_unknown_pod_is_bad_input(self):
        self.refuse("fits", "shop/nobody", "-f", CLUSTER)


class Simulate(ProgramTest):
    # Four replicas that fill two machines of two cores and shrink to one: a machine can go, for as many evictions as it had pods.
    TRACE = "0,web,4,900,1024\n60,web,1\n180,web,1\n"

    def simulate(self, *arguments):
        with tempfile.TemporaryDirectory() as directory:
            trace = pathlib.Path(directory, "day.csv")
            trace.write_text(self.TRACE, encoding="utf-8")
            run = self.succeed("simulate", "--trace", trace, "--plots", directory, *arguments)
            plots = {p.name: p.read_text(encoding="utf-8") for p in pathlib.Path(directory).glob("*.svg")}
        self.assertEqual(set(plots), {"cost.svg", "savings.svg"})
        for text in plots.values():
            xml.etree.ElementTree.fromstring(text)
        return run.stdout

    def test_a_trace_is_replayed_under_each_of_the_rules(self):
        rules = json.loads(self.simulate("-o", "json"))["rules"]
        self.assertEqual(rules[0]["name"], "no consolidation")
        self.assertEqual(rules[0]["evictions"], 0)
        defaults = rules[-1]
        self.assertGreater(defaults["saved"], 0)
        self.assertEqual(defaults["saved"], rules[0]["dollars"] - defaults["dollars"])
        self.assertFalse(defaults["cascade"])
        self.assertEqual(defaults["samples"][-1]["nodes"], 1)

    def test_a_sweep_has_a_row_for_each_threshold(self):
        lines = self.simulate("--sweep").splitlines()
        self.assertTrue(lines[0].startswith("RULES"))
        self.assertEqual([line.split("  ")[0] for line in lines[1:]], ["no consolidation", "0", "0.0025", "0.005", "0.01", "0.02", "0.04", "0.08"])

    def test_a_bad_trace_is_refused_with_its_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as trace:
            trace.write("0,web,3\n")
            trace.flush()
            self.assertIn("line 1", self.refuse("simulate", "--trace", trace.name))


class BadInput(ProgramTest):
    def node(self, name="n", **status):
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}, **status}}

    def pod(self, cpu="1", node="n"):
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1", "namespace": "default"},
                "spec": {"nodeName": node, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]}}

    def refuse_items(self, *items):
        return self.refuse("plan", "-f", "-", "--now", NOW, stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))

    def test_the_message_names_file_object_and_field(self):
        for cpu in ("12Xi", "-1"):
            message = self.refuse_items(self.node(), self.pod(cpu))
            for part in ("<stdin>", "Pod default/web-1", "spec.containers[0].resources.requests"):
                self.assertIn(part, message)

    def test_two_nodes_of_one_name(self):
        self.assertIn("n", self.refuse_items(self.node(), self.node()))

    def test_files_that_are_no_snapshot(self):
        self.assertIn("absent.json", self.refuse("plan", "-f", "/absent.json"))
        self.assertIn("directory", self.refuse("plan", "-f", "/"))
        for text in ('{"kind": "List", "items": [', "[" * 100_000, '{"a": ' * 100_000, "\x00\x01\x02", "null"):
            self.refuse("plan", "-f", "-", stdin=text)

    def test_a_bad_catalogue(self):
        for text in ("{", '[{"name": "x", "offerings": [{"Price": -1}]}]'):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(text)
                file.flush()
                self.assertIn(file.name, self.refuse("plan", "-f", CLUSTER, "--instance-types", file.name))

    def test_standard_input_is_read_once(self):
        self.assertIn("one file only", self.refuse("plan", "-f", "-", "--policy", "-"))


def report_counts(result):
    """In GoogleTest's form, so that both are counted alike."""
    target = os.environ.get("GTEST_OUTPUT", "")
    if target.startswith("json:"):
        counts = {"tests": result.testsRun, "failures": len(result.failures) + len(result.errors), "errors": 0, "disabled": 0}
        (pathlib.Path(target[5:]) / "program_test.json").write_text(json.dumps(counts), encoding="utf-8")


if __name__ == "__main__":
    TAMP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    program = unittest.main(exit=False)
    report_counts(program.result)
    sys.exit(0 if program.result.wasSuccessful() else 1)
