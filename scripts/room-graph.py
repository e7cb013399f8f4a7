#!/usr/bin/env python3
"""Writes the table and the picture of the rooms into ARCHITECTURE.md, between the lines that mark them.

The rooms come from rooms.json, which CMake writes when it configures a build.

usage: room-graph.py [--rooms FILE] [--check] [ARCHITECTURE.md]     --check: writes nothing; exit status 1 if the page is out of date
"""
import argparse
import json
import pathlib
import sys

BEGIN = "<!-- rooms: written by scripts/room-graph.py -->"
END = "<!-- end of rooms -->"


def reachable(rooms, name):
    seen = set()
    wanted = list(rooms[name]["deps"])
    while wanted:
        one = wanted.pop()
        if one not in seen:
            seen.add(one)
            wanted += rooms[one]["deps"]
    return seen


def direct_only(rooms, name):
    """The rooms that a room uses, less those that it reaches through another one of them. Keeps the picture readable."""
    deps = rooms[name]["deps"]
    return [dep for dep in deps if not any(dep in reachable(rooms, other) for other in deps if other != dep)]


def node(name):
    return name.replace("/", "_")


def page(rooms):
    lines = [BEGIN, "", "| folder | | what it holds | uses |", "|---|---|---|---|"]
    for room in rooms.values():
        kind = "pure" if room["pure"] else "shell"
        lines.append(f'| `{room["folder"]}` | {kind} | {room["about"]} | {", ".join(room["deps"])} |')
    groups = {"engine": [], "program": [], "simulator": []}
    for name, room in rooms.items():
        if room["folder"].startswith("src/engine/"):
            groups["engine"].append(name)
        elif room["folder"].startswith("src/"):
            groups["program"].append(name)
        else:
            groups["simulator"].append(name)
    lines += ["", "An arrow leads from a room to one that it uses; what is reached through another room is left out.", "",
              "```mermaid", "flowchart BT"]
    for group in ("engine", "program"):
        lines.append(f"  subgraph {group}")
        lines += [f"    {node(name)}[{name}]" for name in groups[group]]
        lines.append("  end")
    for name in groups["engine"] + groups["program"]:
        lines += [f"  {node(name)} --> {node(dep)}" for dep in direct_only(rooms, name)]
    lines += ["```", "", END]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--rooms", type=pathlib.Path, default=root / "build" / "rooms.json")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=root / "ARCHITECTURE.md")
    arguments = parser.parse_args()
    rooms = {room["name"]: room for room in json.loads(arguments.rooms.read_text(encoding="utf-8"))}
    text = arguments.page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        sys.exit(f"{arguments.page}: the lines that mark the rooms are missing")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    fresh = before + page(rooms) + after
    if arguments.check:
        if fresh != text:
            sys.exit(f"{arguments.page} does not show the rooms that CMake declares; run scripts/room-graph.py")
        return
    arguments.page.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
