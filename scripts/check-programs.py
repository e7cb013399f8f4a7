#!/usr/bin/env python3
"""Checks the linked programs that users get: hardened as the OpenSSF guide for C and C++ compilers asks, without a symbol of the
simulator, and not too large.

usage: check-programs.py DIRECTORY     the directory with tamp and tamp-agent; exit status 1 if anything is wrong
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MEGABYTE = 1_000_000
LARGEST = {"tamp": 9 * MEGABYTE, "tamp-agent": 4 * MEGABYTE}  # stripped
SIMULATOR = re.compile(r"\btamp::(world|embed|sim)::")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def hardening(program):
    """What is missing."""
    header, segments, dynamic = output("readelf", "-hW", program), output("readelf", "-lW", program), output("readelf", "-dW", program)
    symbols, notes = output("nm", "-D", "--undefined-only", program), output("readelf", "-nW", program)
    code = output("objdump", "-d", "--no-show-raw-insn", program)
    checks = {
        "position-independent executable": "DYN (Position-Independent" in header,
        "read-only relocations": "GNU_RELRO" in segments,
        "immediate binding": re.search(r"\bBIND_NOW\b|Flags:.*\bNOW\b", dynamic) is not None,
        "no executable stack": re.search(r"GNU_STACK.*\bRW\s", segments) is not None,
        "stack protector": "__stack_chk_fail" in symbols,
        "fortified functions": re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")) is not None,
        # The probe that touches each page of a large frame.
        "stack-clash protection": re.search(r"\bor[lq]\s+\$0x0,(?:0x[0-9a-f]+)?\(%rsp", code) is not None,
    }
    if "X86-64" in header:
        # Libraries without the note take the property from the program; the landing pads are in its own code.
        checks["control-flow protection"] = "IBT" in notes or code.count("endbr64") > 1000
    return [what for what, there in checks.items() if not there]


def stripped_size(program):
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "stripped"
        subprocess.run(["strip", "-o", str(copy), str(program)], check=True)
        return copy.stat().st_size


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = []
    for name, largest in LARGEST.items():
        program = pathlib.Path(sys.argv[1]) / name
        size = stripped_size(program)
        print(f"{name}: {size / MEGABYTE:.1f} MB stripped")
        if size > largest:
            wrong.append(f"{name}: {size} bytes stripped, {largest} are allowed")
        wrong += [f"{name}: no {what}" for what in hardening(program)]
        simulated = sorted(set(line for line in output("nm", "-C", str(program)).splitlines() if SIMULATOR.search(line)))
        wrong += [f"{name}: a symbol of the simulator: {line}" for line in simulated[:5]]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
