#!/usr/bin/env python3
"""run.py --programs BUILT [--on real|embedded] [--filter TEXT] [TEST…]: runs end-to-end tests, each TEST with a control plane of
its own, and ends with "N passed, M failed".

Without a TEST: embedded_kubectl_test.py, run_commands_test.py, dashboard_test.py (here, and in test/browser with Chromium), dashboard_replicas_test.py, deploy_test.py, agent_test.py, karpenter_runs_test.py and every build/bin/e2e_*, those named e2e_karpenter* with Karpenter; not e2e_soak* and pressure_test.py, which run
for long. What makes sense on the embedded cluster (ON_EMBEDDED below) runs there too, first; --on chooses one of the two.

A TEST is a GoogleTest program, or a .py file whose last line is "N passed, M failed". "embedded:TEST" runs on the embedded cluster,
"karpenter:TEST" asks for Karpenter too, "flag=--name=value:TEST" for a flag of the API server, "alone:TEST" for no control plane
at all. With a filter only tests whose path contains it run, and a GoogleTest program whose path does not is given it as
--gtest_filter=*TEXT*.

What a test finds in its environment:
    KUBECONFIG                an administrator
    TAMP_E2E_DIRECTORY        where the control plane keeps its files and logs
    TAMP_E2E_CONTROL          the socket for faults; controlplane.py lists the commands
    TAMP_E2E_CONTROLPLANE     controlplane.py itself: `controlplane.py kill kube-apiserver $TAMP_E2E_DIRECTORY`
    TAMP_E2E_LOAD             load.py
    TAMP_E2E_PROGRAMS         a directory with kubectl and the others, also in front of PATH
    TAMP_E2E_AUDIT_LOG        one JSON object a line for every request but the administrators'
    TAMP_E2E_INSTANCE_TYPES   the machine catalogue that Karpenter uses
    TAMP_E2E_NODEPOOL_CRDS    Karpenter's CRDs; applied already if Karpenter runs
    TAMP_E2E_SOURCE           the tree
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "controlplane"))
from controlplane import ControlPlane  # noqa: E402
from embedded import EmbeddedPlane  # noqa: E402
from processes import dies_with_parent  # noqa: E402


BUILT = HERE.parent.parent / "build/bin"
# Tests that run on the embedded cluster too, unchanged, and what is left out of them. Not e2e_karpenter and e2e_soak: Karpenter itself is
# what they are about. CONTRIBUTING.md says why.
ON_EMBEDDED = {"dashboard_replicas_test.py": "", "e2e_faults": "", "e2e_live": "Webhook.*"}
# They wait for minutes, on both alike: on the embedded cluster only with --on embedded.
LONG_ON_EMBEDDED = {"e2e_faults"}


class Wish:
    """A TEST argument: [alone:][embedded:][karpenter:][flag=…:]PATH"""

    def __init__(self, text):
        self.karpenter, self.alone, self.embedded, self.flags = False, False, False, []
        while ":" in text:
            word, text = text.split(":", 1)
            if word == "karpenter":
                self.karpenter = True
            elif word == "alone":
                self.alone = True
            elif word == "embedded":
                self.embedded = True
            elif word.startswith("flag="):
                self.flags.append(word.removeprefix("flag="))
            else:
                raise SystemExit(f"run.py: what is {word}?")
        self.path = pathlib.Path(text).resolve()


def all_tests(on):
    programs = sorted(path for path in BUILT.glob("e2e_*") if os.access(path, os.X_OK) and not path.name.startswith("e2e_soak"))
    real = [HERE / "dashboard_replicas_test.py", HERE / "deploy_test.py", HERE / "agent_test.py", HERE / "karpenter_runs_test.py", *programs]
    return ([f"alone:{HERE / 'embedded_kubectl_test.py'}", f"alone:{HERE / 'dashboard_test.py'}", f"alone:{HERE / 'run_commands_test.py'}",
             f"alone:{HERE.parent / 'browser/dashboard_test.py'}"] + [f"embedded:{path}" for path in real
                                                                if path.name in ON_EMBEDDED and (on == "embedded" or path.name not in LONG_ON_EMBEDDED)] +
            [f"karpenter:{path}" if path.name.startswith(("e2e_karpenter", "karpenter_")) else str(path) for path in real])


def counts_of(output, results):
    if results.is_file():
        total = json.loads(results.read_text())
        failed = total["failures"] + total.get("errors", 0)
        return total["tests"] - failed - total.get("disabled", 0), failed
    found = re.findall(r"^(\d+) passed, (\d+) failed$", output, re.MULTILINE)
    return tuple(map(int, found[-1])) if found else (0, 1)


def run_alone(wish, programs):
    environment = {**os.environ, "TAMP_E2E_PROGRAMS": str(pathlib.Path(programs) / "bin"), "PYTHONDONTWRITEBYTECODE": "1"}
    print(f"== {wish.path.name}", flush=True)
    done = subprocess.run([sys.executable, str(wish.path)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="", flush=True)
    passed, failed = counts_of(done.stdout, pathlib.Path("/nonexistent"))
    return passed, failed or int(done.returncode != 0)


def run(wish, programs, text, keep):
    if wish.alone:
        return run_alone(wish, programs)
    directory = tempfile.mkdtemp(prefix="tamp-e2e-")
    plane = (EmbeddedPlane(programs, directory, BUILT / "embedded-cluster") if wish.embedded else
             ControlPlane(programs, directory, wish.karpenter, wish.flags))
    results = plane.directory / "results.json"
    begin = time.monotonic()
    passed, failed = 0, 1
    with plane:
        print(f"== {wish.path.name}: {'embedded cluster' if wish.embedded else 'control plane'} after {time.monotonic() - begin:.1f} s, {plane.directory}", flush=True)
        environment = {
            **os.environ, **plane.environment(), "GTEST_OUTPUT": f"json:{results}", "TAMP_E2E_LOAD": str(HERE / "load.py"),
            "TAMP_E2E_CONTROLPLANE": str(HERE / "controlplane/controlplane.py"), "TAMP_E2E_SOURCE": str(HERE.parent.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [str(wish.path)] if wish.path.suffix != ".py" else [sys.executable, str(wish.path)]
        chosen = f"*{text}*" if text and text not in str(wish.path) else "*"
        without = ON_EMBEDDED.get(wish.path.name, "") if wish.embedded else ""
        if wish.path.suffix != ".py":
            command.append(f"--gtest_filter={chosen}" + (f"-{without}" if without else ""))
        child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 preexec_fn=dies_with_parent())
        output = []
        for line in child.stdout:
            print(line, end="", flush=True)
            output.append(line)
        status = child.wait()
        passed, failed = counts_of("".join(output), results)
        if status and not failed:
            print(f"{wish.path.name} ended with status {status}")
            failed = 1
        dead = [process.name for process in plane.processes.values() if not process.running()]
        if dead:
            print(f"not running at the end: {', '.join(dead)}")
    if failed or keep:
        print(f"logs are in {plane.directory}")
    else:
        shutil.rmtree(plane.directory, ignore_errors=True)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--filter", default="")
    parser.add_argument("--on", choices=("real", "embedded"), help="only tests on this one")
    parser.add_argument("--keep", action="store_true", help="keep the directories, also of tests that pass")
    parser.add_argument("tests", nargs="*", metavar="TEST")
    args = parser.parse_args()
    passed = failed = 0
    for wish in map(Wish, args.tests or all_tests(args.on)):
        if args.filter and wish.path.suffix == ".py" and args.filter not in str(wish.path):
            continue
        if args.on and (args.on == "embedded") != (wish.embedded or wish.alone):
            continue
        try:
            more_passed, more_failed = run(wish, args.programs, args.filter, args.keep)
        except RuntimeError as problem:
            print(f"{wish.path.name}: {problem}")
            more_passed, more_failed = 0, 1
        passed, failed = passed + more_passed, failed + more_failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
