#!/usr/bin/env python3
"""Which changes of one operator do the tests notice?

Draws random changes in the files of a room, builds the room's test program with each of them in a copy of the
tree (build/mutate), and runs it. A change that does not compile does not count. Changes that nobody can
observe are listed with a reason in test/mutation/unobservable.txt; they are not tried.
"""
import argparse
import collections
import fcntl
import filecmp
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import mutations

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "build" / "mutate"
TREE = SCRATCH / "tree"
BUILD = TREE / "build" / "check"  # where the preset puts it
LIST = pathlib.Path("test/mutation/unobservable.txt")
MEMORY = 8 << 30  # bytes of address space for a test program: a changed loop may not end
PREFIX = "tamp_"  # of a room's target; its test program is the same name with _test instead

Room = collections.namedtuple("Room", "name target files test")
Attempt = collections.namedtuple("Attempt", "file change")


class Trouble(Exception):
    """A message for the user: nothing could be measured."""


def say(text):
    print(text, file=sys.stderr, flush=True)


# --- the copy of the tree -----------------------------------------------------------------------------------

def copy_tree():
    """Brings TREE up to date with the working files, committed or not. Unchanged files keep their times."""
    command = ["git", "ls-files", "-coz", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    names = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        source, copy = ROOT / name, TREE / name
        if copy.is_file() and filecmp.cmp(source, copy, shallow=False):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        shutil.copymode(source, copy)
    for path in list(TREE.rglob("*")):
        name = str(path.relative_to(TREE))
        if not name.startswith("build/") and path.is_file() and name not in names:
            path.unlink()


def configure(compiler):
    query = BUILD / ".cmake/api/v1/query/codemodel-v2"
    query.parent.mkdir(parents=True, exist_ok=True)
    query.touch()
    options = [f"-DCMAKE_CXX_COMPILER={compiler}"]
    if shutil.which("ld.lld") or shutil.which(compiler.replace("clang++", "ld.lld")):
        options.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
    run = subprocess.run(["cmake", "--preset", "check", *options], cwd=TREE, capture_output=True, text=True)
    if run.returncode:
        raise Trouble(f"cmake: {run.stderr or run.stdout}")


def targets():
    """{name: target} as CMake's file API describes them."""
    reply = BUILD / ".cmake/api/v1/reply"
    index = json.loads(max(reply.glob("index-*.json")).read_text())
    model = json.loads((reply / index["reply"]["codemodel-v2"]["jsonFile"]).read_text())
    found = {}
    for entry in model["configurations"][0]["targets"]:
        target = json.loads((reply / entry["jsonFile"]).read_text())
        found[target["name"]] = target
    return found


def is_for_tests(name):
    return name.endswith(("_test", "_testing", "_for_test"))


def rooms(known):
    """The rooms that have a test program of their own. Their headers are those beside their sources."""
    found = {}
    for name, target in known.items():
        room = name.removeprefix(PREFIX)
        if not name.startswith(PREFIX) or f"{room}_test" not in known:
            continue
        sources = {pathlib.Path(s["path"]) for s in target["sources"]}
        sources = {s for s in sources if s.suffix == ".cc" and not s.is_absolute()}
        headers = {h.relative_to(TREE) for d in {s.parent for s in sources} for h in (TREE / d).glob("*.h")}
        files = {f for f in sources | headers if not is_for_tests(f.stem) and f.parts[0] != "build"}
        found[room] = Room(room, name, sorted(map(str, files)), f"{room}_test")
    return found


# --- building and running -----------------------------------------------------------------------------------

def build(*names):
    """Whether the targets could be built."""
    jobs = os.environ.get("JOBS") or str(os.cpu_count() or 2)
    return subprocess.run(["ninja", "-C", BUILD, "-j", jobs, *names], capture_output=True, text=True)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def environment():
    """Property tests look at fewer cases than ./dev test does, so that a change costs seconds."""
    return {"RC_PARAMS": "seed=20261115 max_success=10", **os.environ,
            "GTEST_FAIL_FAST": "1", "GTEST_BRIEF": "1"}


def passes(command, seconds):
    """Whether the tests pass, in time."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=BUILD, env=environment(), preexec_fn=limit_memory,
                               start_new_session=True, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


class Bench:
    """Holds at most one change in TREE. A file gets its text back when the next change is made, so that one
    call of ninja does both. What counts was copied at the start: working files may be edited meanwhile."""

    def __init__(self):
        self.changed = None  # file and its text without a change

    def put(self, attempt):
        if self.changed and (not attempt or attempt.file != self.changed[0]):
            (TREE / self.changed[0]).write_text(self.changed[1], encoding="utf-8")
            self.changed = None
        if attempt:
            self.changed = self.changed or (attempt.file, (TREE / attempt.file).read_text(encoding="utf-8"))
            (TREE / attempt.file).write_text(attempt.change.apply(self.changed[1]), encoding="utf-8")


def accept(names, command):
    """Builds and runs unchanged tests: (seconds they took, seconds after which a changed one is stopped)."""
    result = build(*names)
    if result.returncode:
        raise Trouble(f"{' '.join(names)} does not build:\n{result.stdout[-3000:]}")
    begin = time.monotonic()
    if not passes(command, 1800):
        raise Trouble(f"{' '.join(map(str, command))} fails without any change")
    took = time.monotonic() - begin
    return took, 15 + 5 * took


def quick_and_slow(program):
    """The program as two commands: first most of the tests, which take a quarter of its time."""
    report = SCRATCH / "times.json"
    command = [program, f"--gtest_output=json:{report}"]
    subprocess.run(command, cwd=BUILD, env=environment(), capture_output=True)
    times = {f"{suite['name']}.{test['name']}": float(test["time"].rstrip("s"))
             for suite in json.loads(report.read_text())["testsuites"] for test in suite["testsuite"]}
    spare = sum(times.values()) / 4
    slow = []
    for name in sorted(times, key=times.get):
        spare -= times[name]
        if spare < 0:
            slow.append(name)
    if len(slow) in (0, len(times)):
        return [[program]]
    return [[program, f"--gtest_filter=-{':'.join(slow)}"], [program, f"--gtest_filter={':'.join(slow)}"]]


def verdict(builds, tests_pass):
    if not builds():
        return "invalid"
    return "survived" if tests_pass() else "noticed"


def try_room(room, attempts, wanted, bench):
    """Tries attempts in order until `wanted` of them have compiled: {attempt: verdict}"""
    program = BUILD / "bin" / room.test
    took, limit = accept([room.test], [program])
    commands = quick_and_slow(program)
    say(f"{room.name}: {room.test} takes {took:.1f}s")
    results = {}
    position = 0
    while position < len(attempts):
        missing = wanted - sum(r != "invalid" for r in results.values())
        if missing <= 0:
            break
        # By file: changes of one file follow each other, and ninja has less to do.
        batch = sorted(attempts[position:position + missing], key=lambda a: (a.file, a.change.start))
        position += missing
        for attempt in batch:
            begin = time.monotonic()
            bench.put(attempt)
            results[attempt] = verdict(lambda: build(room.test).returncode == 0,
                                       lambda: all(passes(command, limit) for command in commands))
            took = time.monotonic() - begin
            say(f"  {len(results):4} {results[attempt]:8} {took:5.1f}s  {describe(attempt)}")
    bench.put(None)
    return results


def describe(attempt):
    return f"{attempt.file}:{attempt.change.line}: {attempt.change.marked}"


# --- the other test programs --------------------------------------------------------------------------------

def other_tests(room, known):
    """[(name, command, targets to build)] of ctest's tests whose programs link the room, but for its own."""
    by_id = {target["id"]: target for target in known.values()}
    linking = {}

    def links(target):
        if target["id"] not in linking:
            linking[target["id"]] = False
            below = [by_id[d["id"]] for d in target.get("dependencies", ()) if d["id"] in by_id]
            linking[target["id"]] = target["name"] == room.target or any([links(b) for b in below])
        return linking[target["id"]]

    programs = {}
    for target in known.values():
        for artifact in target.get("artifacts", ()) if target["type"] == "EXECUTABLE" else ():
            programs[str(BUILD / artifact["path"])] = target
    command = ["ctest", "--show-only=json-v1"]
    listed = subprocess.run(command, cwd=BUILD, check=True, capture_output=True).stdout
    found = []
    for test in json.loads(listed)["tests"]:
        uses = [programs[c] for c in test.get("command", ()) if c in programs]
        if test["name"] != room.test and any([links(t) for t in uses]):
            found.append((test["name"], test["command"], [t["name"] for t in uses]))
    return found


def try_deeper(room, survivors, known, bench):
    """{attempt: the other test that notices it, or None}"""
    tests = []
    for name, command, needed in other_tests(room, known):
        try:
            tests.append((*accept(needed, command), name, command, needed))
        except Trouble as trouble:
            say(f"  left out: {trouble}")
    tests.sort(key=lambda t: t[0])  # the short ones first
    say(f"{room.name}: {len(survivors)} survivors, tried by {' '.join(t[2] for t in tests)}")
    noticed = {}
    for attempt in survivors:
        bench.put(attempt)
        noticed[attempt] = None
        for _, limit, name, command, needed in tests:
            if build(*needed).returncode == 0 and not passes(command, limit):
                noticed[attempt] = name
                break
        say(f"  {noticed[attempt] or 'survived':20} {describe(attempt)}")
    bench.put(None)
    return noticed


# --- the whole ----------------------------------------------------------------------------------------------

def draw(room, seed, listed, tree=ROOT):
    """All changes of the room in an order that depends on the seed alone; the listed ones are set apart."""
    every = [Attempt(file, change) for file in room.files
             for change in mutations.changes((tree / file).read_text(encoding="utf-8"))]
    random.Random(f"{seed} {room.name}").shuffle(every)
    return [a for a in every if (a.file, a.change.marked) not in listed], \
        [a for a in every if (a.file, a.change.marked) in listed]


def measure(room, options, known, listed, bench):
    attempts, unobservable = draw(room, options.seed, listed, TREE)
    memory = SCRATCH / f"{room.name}.survivors"
    if options.again:
        before = set(memory.read_text(encoding="utf-8").splitlines()) if memory.is_file() else set()
        attempts = [a for a in attempts if f"{a.file}: {a.change.marked}" in before]
    if options.file:
        attempts = [a for a in attempts if any(part in a.file for part in options.file.split(","))]
    say(f"{room.name}: {len(attempts)} changes are possible, {options.count} are tried, seed {options.seed}")
    results = try_room(room, attempts, options.count, bench)
    counted = [a for a in results if results[a] != "invalid"]
    survivors = [a for a in counted if results[a] == "survived"]
    memory.write_text("".join(f"{a.file}: {a.change.marked}\n" for a in survivors), encoding="utf-8")
    deeper = try_deeper(room, survivors, known, bench) if options.deep and survivors else {}
    for attempt in survivors:
        note = f"  (noticed by {deeper[attempt]})" if deeper.get(attempt) else ""
        print(f"{describe(attempt)}{note}")
    share = 100 * (len(counted) - len(survivors)) / len(counted) if counted else 100
    print(f"{room.name}: noticed {len(counted) - len(survivors)} of {len(counted)} ({share:.0f} %), "
          + f"{len(survivors)} survived, "
          + (f"other tests noticed {sum(map(bool, deeper.values()))} of those, " if deeper else "")
          + f"{len(results) - len(counted)} did not compile, {len(unobservable)} are listed as unobservable",
          flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__)
    add = parser.add_argument
    add("room", nargs="?", default="all", help="a room, several with commas between them, or all")
    add("count", nargs="?", default=60, type=int, help="changes for each room that compile (60)")
    add("seed", nargs="?", default=1, type=int, help="the same seed draws the same changes (1)")
    add("--deep", action="store_true", help="try survivors against all other tests that use the room")
    add("--again", action="store_true", help="only what survived the last call, wherever it is drawn")
    add("--file", help="only files whose path contains this, or one of several with commas")
    add("--compiler", default="clang++-19", help=argparse.SUPPRESS)
    options = parser.parse_args()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    with open(SCRATCH / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Trouble("another ./dev mutate runs in this tree") from None
        os.environ["CCACHE_BASEDIR"] = str(TREE)
        try:
            entries = mutations.read_unobservable((ROOT / LIST).read_text(encoding="utf-8"))
        except ValueError as error:
            raise Trouble(f"{LIST}: {error}") from None
        for entry in (gone := mutations.stale(entries, ROOT)):
            say(f"{LIST}: matches no code: {entry}")
        if gone:
            raise Trouble(f"{len(gone)} entries of {LIST} match no code")
        copy_tree()
        configure(options.compiler)
        known = targets()
        built = rooms(known)
        chosen = sorted(built) if options.room == "all" else options.room.split(",")
        for name in chosen:
            if name not in built:
                raise Trouble(f"no room {name} with a test program; there are {', '.join(sorted(built))}")
        bench = Bench()
        try:
            for name in chosen:
                measure(built[name], options, known, {(file, marked) for file, marked, _ in entries}, bench)
        finally:
            bench.put(None)


if __name__ == "__main__":
    try:
        main()
    except Trouble as trouble:
        say(f"mutate: {trouble}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
