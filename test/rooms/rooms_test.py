#!/usr/bin/env python3
"""A room can include the rooms that it declares and no others.

For every room, an include of a room that it does not reach is refused by the compiler, and an include of a room that it
reaches through another one is refused by scripts/check-rooms.py. ARCHITECTURE.md shows the declared rooms.

usage: rooms_test.py BUILD_DIRECTORY
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else ROOT / "build"
ROOMS = {room["name"]: room for room in json.loads((BUILD / "rooms.json").read_text(encoding="utf-8"))}


def reached(name):
    seen = set()
    wanted = list(ROOMS[name]["deps"])
    while wanted:
        one = wanted.pop()
        if one not in seen:
            seen.add(one)
            wanted += ROOMS[one]["deps"]
    return seen


def a_header(name):
    headers = sorted(path.name for path in (ROOT / ROOMS[name]["folder"]).glob("*.h")
                     if not path.name.endswith(("_testing.h", "_for_test.h")))
    return f"{name}/{headers[0]}" if headers else None


def compile_commands():
    """By folder of a room, how one of its files is compiled."""
    commands = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(entry["file"])
        if path.name.endswith(("_test.cc", "_for_test.cc")) or path.name == "main.cc" or BUILD in path.parents:
            continue
        commands.setdefault(str(path.parent), entry)
    return commands


def syntax_check(entry, file):
    """The command of `entry` for another file, which only looks at its syntax and uses no precompiled header."""
    words = shlex.split(entry["command"])
    if "ccache" in pathlib.Path(words[0]).name:
        words = words[1:]
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-include-pch", "-MT", "-MF", "-c"):
            skip = word != "-c"
        elif word not in ("-MD", entry["file"]):
            kept.append(word)
    return subprocess.run(kept + ["-fsyntax-only", str(file)], cwd=entry["directory"], capture_output=True, text=True)


class Rooms(unittest.TestCase):
    def test_the_compiler_refuses_rooms_out_of_reach(self):
        commands = compile_commands()
        tried = 0
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch) / "one_include.cc"
            for name, room in ROOMS.items():
                entry = commands[str(ROOT / room["folder"])]
                own = a_header(name)
                strangers = [other for other in ROOMS if other not in reached(name) | {name} and a_header(other)]
                # All strangers at once: none of their headers may be found.
                file.write_text("".join(f'#if __has_include("{a_header(other)}")\n#error {name} reaches {other}\n#endif\n'
                                        for other in strangers), encoding="utf-8")
                run = syntax_check(entry, file)
                self.assertEqual(run.returncode, 0, run.stderr)
                # And an include is an error.
                for other in strangers[:1]:
                    file.write_text(f'#include "{a_header(other)}"\n', encoding="utf-8")
                    run = syntax_check(entry, file)
                    self.assertNotEqual(run.returncode, 0, f"{name} can include {other}")
                    self.assertIn("fatal error", run.stderr)
                    self.assertIn(a_header(other), run.stderr)
                    tried += 1
                if own is not None:  # the same command finds what is declared, so it refuses for the right reason
                    known = [own] + [a_header(dep) for dep in room["deps"] if a_header(dep)]
                    file.write_text("".join(f'#if !__has_include("{header}")\n#error {header} is not found\n#endif\n'
                                            for header in known), encoding="utf-8")
                    run = syntax_check(entry, file)
                    self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(tried, len(ROOMS) - 3)

    def test_the_check_refuses_rooms_that_are_only_reached_through_others(self):
        expected = []
        with tempfile.TemporaryDirectory() as scratch:
            copy = pathlib.Path(scratch)
            for name, room in ROOMS.items():
                folder = copy / room["folder"]
                folder.mkdir(parents=True, exist_ok=True)
                for path in (ROOT / room["folder"]).iterdir():
                    if path.is_file():
                        (folder / path.name).symlink_to(path)
                far = sorted(reached(name) - set(room["deps"]))
                if far and a_header(far[0]):
                    (folder / "forbidden.cc").write_text(f'#include "{a_header(far[0])}"\n', encoding="utf-8")
                    expected.append(f'{room["folder"]}/forbidden.cc: room {name} does not declare {far[0]}')
            run = subprocess.run([sys.executable, ROOT / "scripts" / "check-rooms.py", "--root", copy, "--rooms",
                                  BUILD / "rooms.json"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertGreater(len(expected), 10)
        for line in expected:
            self.assertIn(line, run.stdout)
        self.assertEqual(run.stdout.count("does not declare"), len(expected), run.stdout)

    def test_the_tree_as_it_is_has_no_offence(self):
        run = subprocess.run([sys.executable, ROOT / "scripts" / "check-rooms.py", "--rooms", BUILD / "rooms.json"],
                             capture_output=True, text=True)
        self.assertEqual(run.stdout.strip(), "rooms: in order")
        self.assertEqual(run.returncode, 0)

    def test_the_architecture_page_shows_the_declared_rooms(self):
        run = subprocess.run([sys.executable, ROOT / "scripts" / "room-graph.py", "--check", "--rooms",
                              BUILD / "rooms.json"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
