#!/usr/bin/env python3
"""The numbers that fields of the built-in kinds have in protobuf, from the tags in the Go sources of Kubernetes' API.

    make-field-numbers.py MODULES src/world/api/schemas.txt > src/world/api/field_numbers.txt

MODULES is the directory that holds api@…, apimachinery@… and apiextensions-apiserver@… of k8s.io. Only names and numbers are taken, of
the types in schemas.txt and of those whose fields stand in them; what type a field has is in schemas.txt.

The output: "D definition", then for each field "number name", or "number ~definition" where the fields of another message stand in
JSON as if they were this one's own.
"""
import pathlib
import re
import sys

PACKAGES = {
    "api@*/core/v1": "io.k8s.api.core.v1", "api@*/apps/v1": "io.k8s.api.apps.v1", "api@*/batch/v1": "io.k8s.api.batch.v1",
    "api@*/autoscaling/v1": "io.k8s.api.autoscaling.v1", "api@*/autoscaling/v2": "io.k8s.api.autoscaling.v2", "api@*/policy/v1": "io.k8s.api.policy.v1",
    "api@*/rbac/v1": "io.k8s.api.rbac.v1", "api@*/storage/v1": "io.k8s.api.storage.v1", "api@*/scheduling/v1": "io.k8s.api.scheduling.v1",
    "api@*/coordination/v1": "io.k8s.api.coordination.v1", "api@*/node/v1": "io.k8s.api.node.v1", "api@*/discovery/v1": "io.k8s.api.discovery.v1",
    "api@*/events/v1": "io.k8s.api.events.v1", "api@*/authentication/v1": "io.k8s.api.authentication.v1", "api@*/authorization/v1": "io.k8s.api.authorization.v1",
    "api@*/admissionregistration/v1": "io.k8s.api.admissionregistration.v1", "apimachinery@*/pkg/apis/meta/v1": "io.k8s.apimachinery.pkg.apis.meta.v1",
    "apiextensions-apiserver@*/pkg/apis/apiextensions/v1": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
}
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^\s*(\w+)?\s*([*\[\]\w.]+)?\s*`([^`]*)`", re.M)


def read_messages(modules):
    """The lines of each definition, and the definitions whose fields stand in its place."""
    messages = {}
    for pattern, prefix in PACKAGES.items():
        (package,) = sorted(modules.glob(pattern))[-1:]
        text = "\n".join(path.read_text() for path in sorted(package.glob("types*.go")) if "generated" not in path.name and "_test" not in path.name)
        for name, body in STRUCT.findall(text):
            lines = []
            for first, kind, tags in FIELD.findall(body):
                number = re.search(r'protobuf:"\w+,(\d+),', tags)
                json = re.search(r'json:"([^",]*)(,[^"]*)?"', tags)
                if not number or not json:
                    continue
                if json[1]:
                    lines.append(f"{number[1]} {json[1]}")
                elif "inline" in (json[2] or ""):
                    lines.append(f"{number[1]} ~{prefix}.{(kind or first).strip('*').rsplit('.', 1)[-1]}")
            if lines:
                messages[f"{prefix}.{name}"] = lines
    return messages


def main():
    messages = read_messages(pathlib.Path(sys.argv[1]))
    wanted = [line.split("\t")[1] for line in pathlib.Path(sys.argv[2]).read_text().splitlines() if line.startswith("D\t")]
    needed = set()
    while wanted:
        name = wanted.pop()
        if name in messages and name not in needed:
            needed.add(name)
            wanted += [line.split("~")[1] for line in messages[name] if "~" in line]
    for name, lines in messages.items():
        if name in needed:
            print(f"D {name}", *lines, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
