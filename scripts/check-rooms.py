#!/usr/bin/env python3
"""Keeps the house in order (ARCHITECTURE.md): fails when

- a room includes a room that it may not, or its CMakeLists.txt links one;
- a pure room includes or calls a clock, a thread, a socket, a file, a random source or a stream;
- a library appears outside the room that wraps it;
- a product file is longer than the ceiling.

usage: check-rooms.py [--root DIR]     prints one line for each offence; exit status 1 if there is any
"""
import argparse
import pathlib
import re
import sys

# In order: a pure room may use only pure rooms above it.
PURE = ["base", "model", "codec", "schedule", "decide", "churn", "prove", "execute", "report", "dashboard", "world"]
# A shell may use pure rooms and these shells.
SHELLS = {
    "kube": [],
    "agent": ["kube", "serve"],
    "serve": ["kube"],
    "control": ["kube", "agent", "serve"],
    "embed": ["kube", "agent", "serve", "control"],
    "cli": ["kube", "agent", "serve", "control", "embed"],
}
# The two schedulers share no code: otherwise a mistake in one would be invisible in the other.
STRANGERS = {"world": {"schedule", "decide"}}
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
# Library header prefix -> (rooms that may include it, most files that may)
LIBRARIES = {
    "simdjson": (["codec"], None),
    "yaml-cpp/": (["codec"], None),
    "CLI/": (["cli"], 1),
    "curl/": (["kube"], 1),
    "boost/": (["serve"], 3),
    "prometheus/": (["serve"], None),
    "re2/": (["world"], 1),
    "openssl/": (["base", "kube", "serve"], None),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def without_comments(text):
    """Comments and string literals blanked, so that a word in them is no call."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: " " if m[0].startswith("/") else '""', text, flags=re.S)


def may_use(room, other):
    if room == other:
        return True
    if other in STRANGERS.get(room, ()):
        return False
    if room in PURE:
        return other in PURE and PURE.index(other) < PURE.index(room)
    return other in PURE or other in SHELLS[room]


def check_file(path, room, root, report, library_users):
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(root)
    is_test = path.name.endswith(("_test.cc", "_test.h", "_testing.h"))
    lines = text.count("\n")
    if lines > CEILING and not is_test:
        report(f"{name}: {lines} lines, the ceiling is {CEILING}")
    for bracket, header in INCLUDE.findall(text):
        top = header.split("/")[0]
        if bracket == '"' and (top in PURE or top in SHELLS) and not is_test and not may_use(room, top):
            report(f"{name}: room {room} may not include \"{header}\"")
        for library, (rooms, _) in LIBRARIES.items():
            if header.startswith(library) and not is_test:
                library_users.setdefault(library, []).append(name)
                if room not in rooms:
                    report(f"{name}: {header} belongs to {', '.join(rooms)}/ only")
        if room in PURE and not is_test and bracket == "<":
            for what, headers in FORBIDDEN_HEADERS.items():
                if header in headers:
                    report(f"{name}: a pure room includes a {what}: <{header}>")
    if room in PURE and not is_test:
        code = without_comments(text)
        for what, pattern in FORBIDDEN_CALLS.items():
            for match in re.finditer(pattern, code):
                line = code[: match.start()].count("\n") + 1
                report(f"{name}:{line}: a pure room asks a {what}: {match[0].strip()}")


def check_links(path, room, root, report):
    text = re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8"))
    lists = {}
    for name, words in re.findall(r"\b(?:set|list)\s*\(\s*(?:APPEND\s+)?(\w+)\s+([^)]*)\)", text):
        lists[name] = lists.get(name, "") + " " + words
    text = re.sub(r"\$\{(\w+)\}", lambda m: lists.get(m[1], ""), text)
    for block in re.findall(r"tamp_room\s*\(\s*" + room + r"\b([^)]*)\)", text):
        words = block.split()
        keywords = {"DEPS", "LINK", "SOURCES", "TESTS", "TEST_DEPS"}
        current = None
        for word in words:
            if word in keywords:
                current = word
            elif current == "DEPS" and not may_use(room, word.split("_")[0]):  # world_api is a part of world
                report(f"{path.relative_to(root)}: room {room} may not link {word}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    root = parser.parse_args().root
    offences = []
    library_users = {}
    for directory in sorted((root / "src").iterdir()):
        if not directory.is_dir():
            continue
        room = directory.name
        if room not in PURE and room not in SHELLS:
            offences.append(f"src/{room}: not a room of the house; add it to scripts/check-rooms.py on purpose")
            continue
        for path in sorted(directory.rglob("*")):
            if path.suffix in (".h", ".cc"):
                check_file(path, room, root, offences.append, library_users)
            elif path.name == "CMakeLists.txt":
                check_links(path, room, root, offences.append)
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
