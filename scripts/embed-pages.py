#!/usr/bin/env python3
"""Bundles the dashboard's pages (web/) and writes them as C++ (src/dashboard/pages.h): the program carries them in itself.

usage: embed-pages.py --web DIR --out FILE.cc [--esbuild PROGRAM]
"""
import argparse
import gzip
import hashlib
import pathlib
import subprocess

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml", ".json": "application/json"}


def bundle(esbuild, path):
    options = ["--bundle", "--format=esm", "--target=es2021"] if path.suffix == ".ts" else []
    return subprocess.run([esbuild, str(path), "--minify", "--charset=utf8", "--log-level=error", *options],
                          check=True, stdout=subprocess.PIPE).stdout


def literal(data):
    """As an array: a string literal has a length that compilers limit."""
    lines = [",".join(str(b if b < 128 else b - 256) for b in data[i:i + 32]) for i in range(0, len(data), 32)]
    return ",\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--web", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--esbuild", default="esbuild")
    args = parser.parse_args()
    files = {
        "/api/v1/openapi.json": (".json", (args.web / "openapi.json").read_bytes()),
        "/app.css": (".css", bundle(args.esbuild, args.web / "app.css")),
        "/app.js": (".js", bundle(args.esbuild, args.web / "src/app.ts")),
        "/icon.svg": (".svg", (args.web / "icon.svg").read_bytes()),
        "/index.html": (".html", (args.web / "index.html").read_bytes()),
    }
    out = ["// Written by scripts/embed-pages.py.", '#include "dashboard/pages.h"', "", "#include <array>", "",
           "namespace tamp::dashboard {", "namespace {", ""]
    table = []
    for number, (path, (kind, data)) in enumerate(sorted(files.items())):
        zipped = gzip.compress(data, 9, mtime=0)
        out += [f"constexpr char kBytes{number}[] = {{\n{literal(data)}}};", f"constexpr char kZipped{number}[] = {{\n{literal(zipped)}}};"]
        etag = hashlib.sha256(data).hexdigest()[:24]
        table.append(f'    {{"{path}", "{TYPES[kind]}", {{kBytes{number}, sizeof kBytes{number}}}, '
                     f'{{kZipped{number}, sizeof kZipped{number}}}, "\\"{etag}\\""}},')
    out += ["", f"constexpr std::array<Page, {len(table)}> kPages = {{{{", *table, "}};", "", "}  // namespace", "",
            "std::span<const Page> pages() { return kPages; }", "", "}  // namespace tamp::dashboard", ""]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text("\n".join(out), encoding="utf-8")


if __name__ == "__main__":
    main()
