#!/usr/bin/env python3
"""Counts tests in a directory with ctest's JUnit file and GoogleTest's JSON files: prints "PASSED FAILED".

A GoogleTest program counts by its tests, any other ctest entry as one. A program that ended badly without saying which
test failed (a crash, a sanitizer's report) counts as one failure more.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree


def main(directory):
    passed = failed = 0
    cases = xml.etree.ElementTree.parse(directory / "ctest.xml").getroot().iter("testcase")
    for case in cases:
        if case.get("status") == "disabled":
            continue
        ok = case.get("status") == "run" and case.find("failure") is None
        try:
            report = json.loads((directory / f"{case.get('name')}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            passed, failed = passed + ok, failed + (not ok)
            continue
        bad = report["failures"] + report.get("errors", 0)
        passed += report["tests"] - bad - report.get("disabled", 0)
        failed += bad if ok or bad else 1
    print(passed, failed)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
