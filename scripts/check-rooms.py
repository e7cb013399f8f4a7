#!/usr/bin/env python3
"""Checks what the build cannot express about the rooms (ARCHITECTURE.md). Fails when

- a file includes a room that its own room does not declare, though it may be reached through another room;
- a room declares a room that it does not include;
- a pure room includes or calls a clock, a thread, a socket, a file, a random source or a stream;
- the product depends on the simulator, or the two schedulers on each other;
- a library appears outside the room that wraps it;
- a product file is longer than the ceiling.

The rooms and what they declare come from rooms.json, which CMake writes when it configures a build.

usage: check-rooms.py [--root DIR] [--rooms FILE]     prints one line for each offence; exit status 1 if there is any
"""
import argparse
import json
import pathlib
import re
import sys

CEILING = 800

FORBIDDEN_HEADERS = {
    "clock": ["chrono", "ctime", "time.h", "sys/time.h"],
    "thread": ["thread", "mutex", "shared_mutex", "condition_variable", "future", "semaphore", "barrier", "latch",
               "stop_token", "pthread.h", "atomic"],
    "socket": ["sys/socket.h", "netinet/in.h", "arpa/inet.h", "netdb.h", "poll.h", "sys/epoll.h", "curl/curl.h"],
    "file": ["fstream", "filesystem", "cstdio", "stdio.h", "fcntl.h", "unistd.h", "dirent.h", "sys/stat.h",
             "sys/mman.h"],
    "stream": ["iostream", "istream", "ostream", "syncstream", "print"],
    "random source": ["random"],
    "environment": ["csignal", "signal.h"],
}
FORBIDDEN_CALLS = {
    "clock": r"(?<![\w.:>])(?:std::|::)?(?:time\s*\(\s*(?:nullptr|NULL|0|&)|clock\s*\(\s*\)|clock_gettime\s*\(|gettimeofday\s*\()",
    "environment": r"\b(?:secure_)?getenv\s*\(",
    "random source": r"(?<![\w.:>])(?:std::|::)?(?:rand|srand|random|getrandom)\s*\(",
    "file": r"\b(?:fopen|freopen|fprintf|printf|puts|fputs)\s*\(",
}
# Library header prefix -> (rooms that may include it, how many files may)
LIBRARIES = {
    "simdjson": (["wire"], None),
    "yaml-cpp/": (["wire"], None),
    "CLI/": (["cli"], 1),
    "curl/": (["net"], 1),
    "boost/": (["net"], 3),
    "prometheus/": (["controller"], None),
    "openssl/": (["core", "net", "dashboard"], None),
    "re2/": (["sim/api"], None),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def without_comments(text):
    """Comments and string literals blanked, so that a word in them is no call."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: " " if m[0].startswith("/") else '""', text, flags=re.S)


def is_test(path):
    return path.name.endswith(("_test.cc", "_test.h", "_testing.h", "_for_test.h", "_for_test.cc"))


def room_of_header(header, names):
    """The room that a header belongs to: "sim/api/store.h" is of sim/api, "fit/index.h" of fit."""
    parts = header.split("/")
    for length in (2, 1):
        name = "/".join(parts[:length])
        if len(parts) > length and name in names:
            return name
    return None


def check_file(path, room, names, root, report, included, library_users):
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(root)
    test = is_test(path)
    lines = text.count("\n")
    if lines > CEILING and not test:
        report(f"{name}: {lines} lines, the ceiling is {CEILING}")
    for bracket, header in INCLUDE.findall(text):
        other = room_of_header(header, names) if bracket == '"' else None
        if other is not None and other != room["name"]:
            included.setdefault(test, set()).add(other)
            allowed = room["deps"] + (room["testDeps"] if test else [])
            if other not in allowed:
                report(f'{name}: room {room["name"]} does not declare {other}, and includes "{header}"')
        for library, (rooms, _) in LIBRARIES.items():
            if header.startswith(library) and not test:
                library_users.setdefault(library, []).append(name)
                if room["name"] not in rooms:
                    report(f"{name}: {header} belongs to {', '.join(rooms)} only")
        if room["pure"] and not test and bracket == "<":
            for what, headers in FORBIDDEN_HEADERS.items():
                if header in headers:
                    report(f"{name}: a pure room includes a {what}: <{header}>")
    if room["pure"] and not test:
        code = without_comments(text)
        for what, pattern in FORBIDDEN_CALLS.items():
            for match in re.finditer(pattern, code):
                line = code[: match.start()].count("\n") + 1
                report(f"{name}:{line}: a pure room asks a {what}: {match[0].strip()}")


def closure(rooms, name):
    """A room and every room that it reaches."""
    seen = set()
    wanted = [name]
    while wanted:
        one = wanted.pop()
        if one in seen or one not in rooms:
            continue
        seen.add(one)
        wanted += rooms[one]["deps"]
    return seen


def check_graph(rooms, report):
    for room in rooms.values():
        reached = closure(rooms, room["name"])
        if room["folder"].startswith("src/"):
            for other in sorted(reached):
                if not rooms[other]["folder"].startswith("src/"):
                    report(f'{room["folder"]}: the product may not depend on {other}')
        if room["pure"]:
            for other in sorted(reached):
                if not rooms[other]["pure"]:
                    report(f'{room["folder"]}: a pure room may not depend on {other}, which is not pure')
        if room["folder"].startswith("src/engine/"):
            for other in sorted(reached):
                if other != "core" and not rooms[other]["folder"].startswith("src/engine/"):
                    report(f'{room["folder"]}: the engine uses core only, not {other}')
    if "oracle" in rooms and "fit" in closure(rooms, "oracle"):
        report("oracle: the literal scheduler may not share code with fit")
    for agent in ("agent", "wire"):
        for other in sorted(closure(rooms, agent)):
            if rooms[other]["folder"].startswith("src/engine/"):
                report(f"{agent}: may not depend on the engine ({other})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("--rooms", type=pathlib.Path, help="rooms.json of a build (build/rooms.json)")
    arguments = parser.parse_args()
    root = arguments.root
    file = arguments.rooms or root / "build" / "rooms.json"
    rooms = {room["name"]: room for room in json.loads(file.read_text(encoding="utf-8"))}
    names = set(rooms) | {"support"}
    offences = []
    library_users = {}
    for room in rooms.values():
        folder = root / room["folder"]
        included = {}
        for path in sorted(folder.glob("*")):
            if path.suffix in (".h", ".cc"):
                check_file(path, room, names, root, offences.append, included, library_users)
        for other in room["deps"]:
            if other not in included.get(False, set()):
                offences.append(f'{room["folder"]}/CMakeLists.txt: declares {other} and does not include it')
    check_graph(rooms, offences.append)
    for library, (_, most) in LIBRARIES.items():
        users = sorted(set(map(str, library_users.get(library, []))))
        if most is not None and len(users) > most:
            offences.append(f"{library} is included by {len(users)} files, {most} may: {', '.join(users)}")
    for offence in offences:
        print(offence)
    print(f"rooms: {'in order' if not offences else f'{len(offences)} offences'}")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
