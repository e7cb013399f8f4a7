#!/usr/bin/env python3
"""`tamp plan --planner SLO` on the fleets of fleets.py, as a user runs it."""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import fleets

TAMP = sys.argv.pop(1)


def plan(cluster, observations, *arguments):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "cluster.json").write_text(json.dumps(cluster))
        (directory / "types.json").write_text(json.dumps(fleets.instance_types()))
        (directory / "observe.json").write_text(json.dumps(observations))
        run = subprocess.run([TAMP, "plan", "-f", directory / "cluster.json", "--instance-types", directory / "types.json",
                              "--planner", "SLO", "--observe", directory / "observe.json", "--now", fleets.NOW, "-o", "json",
                              "--scaledown-utilization-threshold", "1", *arguments], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        raise AssertionError(run.stderr)
    return json.loads(run.stdout)


def messages(answer):
    return [check["message"] for refusal in answer["refusals"] for check in refusal["checks"] if not check["passed"]]


class FleetTest(unittest.TestCase):
    def test_three_nodes_become_two(self):
        answer = plan(fleets.cluster("slo"), fleets.observe("slo"))
        self.assertEqual(answer["planner"], "SLO")
        self.assertIsNotNone(answer["plan"], messages(answer))
        self.assertEqual(answer["plan"]["victims"], ["c"])
        self.assertEqual(answer["plan"]["survivors"], ["a", "b"])
        self.assertIsNone(answer["plan"]["replacement"])
        self.assertRegex(answer["plan"]["hash"], "^[0-9a-f]{64}$")
        self.assertEqual(answer["plan"]["expiresAt"], "2026-11-15T00:30:00Z")
        self.assertAlmostEqual(answer["plan"]["hourlySavings"], 0.134)
        self.assertTrue(all(check["passed"] for check in answer["plan"]["checks"]))
        self.assertEqual(answer["plan"]["moves"][0]["tier"], "Background")

    def test_the_hash_does_not_depend_on_the_order_of_objects(self):
        cluster, observations = fleets.cluster("slo"), fleets.observe("slo")
        before = plan(cluster, observations)["plan"]["hash"]
        random.Random(1).shuffle(cluster["items"])
        self.assertEqual(plan(cluster, list(reversed(observations)))["plan"]["hash"], before)

    def test_two_cores_are_refused_in_these_words(self):
        answer = plan(fleets.cluster("two-cores"), fleets.observe("two-cores"))
        self.assertIsNone(answer["plan"])
        self.assertIn("critical-whole-core: predicted 3 cores > 1", messages(answer))

    def test_clients_that_repel_each_other_are_named(self):
        answer = plan(fleets.cluster("anti-affinity"), fleets.observe("anti-affinity"))
        self.assertIsNone(answer["plan"])
        text = "\n".join(m for m in messages(answer) if m.startswith("scheduler-robust"))
        self.assertIn("bench/client-", text)

    def test_relaxed_clients_pass(self):
        answer = plan(fleets.cluster("relaxed"), fleets.observe("relaxed"))
        self.assertIsNotNone(answer["plan"], messages(answer))

    def test_old_missing_or_thin_measurements_give_no_plan(self):
        def damaged(damage):
            observations = fleets.observe("slo")
            damage(observations)
            answer = plan(fleets.cluster("slo"), observations)
            self.assertIsNone(answer["plan"])
            return "\n".join(m for m in messages(answer) if m.startswith("measurements"))

        self.assertIn("was not observed", damaged(lambda o: o.pop(0)))
        self.assertIn("old, the limit is", damaged(lambda o: o[0].update(at="2026-11-14T23:50:00Z")))
        self.assertIn("samples, needs", damaged(lambda o: [d["pods"][0].update(samples=2) for d in o]))
        self.assertIn("is not known", damaged(lambda o: [d["pods"][0]["memory"].update(workingSetBytes=None) for d in o]))

    def test_a_busy_node_passes_while_its_critical_pod_is_calm(self):
        observations = copy.deepcopy(fleets.observe("slo"))
        hogs = [p for d in observations for p in d["pods"] if p["name"].startswith("background")]
        self.assertTrue(all(p["cpu"]["pressure"]["corrected"]["60s"] == 0.78 and p["cpu"]["usageCores"]["60s"] == 4 for p in hogs))
        self.assertIsNotNone(plan(fleets.cluster("slo"), observations)["plan"])


if __name__ == "__main__":
    unittest.main()
