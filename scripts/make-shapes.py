#!/usr/bin/env python3
"""How the Go types of the built-in kinds write empty values, from the types.go files of Kubernetes.

    make-shapes.py sim/api/schemas.txt MODULES > sim/api/shapes.txt

MODULES is a directory with k8s.io/api@…, k8s.io/apimachinery@… and k8s.io/apiextensions-apiserver@… (a Go module cache's
k8s.io). Only names are taken, no comments.

The output has one line per type that has something to say, and on it one word per field:
    DEFINITION field- …       left out if zero (a value, not a pointer, with omitempty)
    DEFINITION field=JSON …   written even if it is missing
Every other field is written if it is there; a list or map that is empty only if it is a pointer, and none is.
"""
import pathlib
import re
import sys

PACKAGES = {
    "io.k8s.api.": "api@*/{path}",
    "io.k8s.apimachinery.pkg.apis.meta.v1.": "apimachinery@*/pkg/apis/meta/v1",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.": "apiextensions-apiserver@*/pkg/apis/apiextensions/v1",
}
SCALARS = {"string": '""', "bool": "false", "int": "0", "int32": "0", "int64": "0", "float64": "0"}
SPECIAL = {  # types with a form of their own
    "metav1.Time": "null", "metav1.MicroTime": "null", "Time": "null", "MicroTime": "null", "resource.Quantity": '"0"',
    "intstr.IntOrString": "0", "runtime.RawExtension": "null", "metav1.Duration": '"0s"', "FieldsV1": "{}",
    "JSON": "null",
}
FIELD = re.compile(r'^\s+(?:(\w+)\s+)?([\[\]\w.*]+(?:\s*\{\})?)\s+`.*?json:"([^"]*)"')


def read_package(directory):
    structs, names = {}, {}
    for path in sorted(directory.glob("*.go")):
        if path.name.endswith("_test.go") or path.name.startswith("zz_") or path.name == "generated.pb.go":
            continue
        current = None
        for line in path.read_text().splitlines():
            found = re.match(r"^type (\w+) (.*)$", line) or re.match(r"^\t(\w+) struct \{$", line)
            if found:
                name, rest = found.group(1), (found.group(2) if line.startswith("type") else "struct {")
                if rest.startswith("struct"):
                    current = structs.setdefault(name, [])
                else:
                    names[name] = rest.split("//")[0].strip()
            elif line.startswith("}"):
                current = None
            elif current is not None:
                field = FIELD.match(line)
                if field:
                    current.append(field.groups())
    return structs, names


class Shapes:
    def __init__(self, modules):
        self.modules = modules
        self.packages = {}

    def package(self, prefix, path):
        key = prefix + path
        if key not in self.packages:
            pattern = PACKAGES[prefix].format(path=path)
            self.packages[key] = read_package(sorted(self.modules.glob(pattern))[-1])
        return self.packages[key]

    def find(self, definition):
        for prefix in PACKAGES:
            if definition.startswith(prefix):
                rest = definition[len(prefix):].split(".")
                return self.package(prefix, "/".join(rest[:-1])), rest[-1]
        return None, None

    def empty(self, package, kind):
        """How a value of the type is written if it is zero, or None for lists and maps (null)."""
        if kind in SPECIAL:
            return SPECIAL[kind]
        if kind in SCALARS:
            return SCALARS[kind]
        if kind.startswith(("[]", "map[")):
            return None
        structs, names = package
        if kind in names and kind not in structs:
            return self.empty(package, names[kind])
        if "." in kind:
            alias, name = kind.split(".")
            other = {"v1": ("io.k8s.api.", "core/v1"), "corev1": ("io.k8s.api.", "core/v1"),
                     "metav1": ("io.k8s.apimachinery.pkg.apis.meta.v1.", "")}.get(alias)
            if other:
                return self.empty(self.package(*other), name)
            return '""' if alias in ("types", "authenticationv1") else "{}"
        return "{}"

    def fields(self, package, name):
        for _, kind, tag in package[0].get(name, []):
            parts = tag.split(",")
            if "inline" in parts:
                if "." in kind:
                    continue  # TypeMeta
                if kind != "TypeMeta":
                    yield from self.fields(package, kind.lstrip("*"))
                continue
            yield parts[0], kind, parts[1:]

    def line(self, definition):
        package, name = self.find(definition)
        if package is None or name not in package[0]:
            return None
        words = []
        for field, kind, options in self.fields(package, name):
            pointer = kind.startswith("*")
            omits = "omitempty" in options
            if pointer:
                if not omits:
                    words.append(field + "=null")
                continue
            zero = self.empty(package, kind)
            if omits and (zero is None or "omitzero" in options):
                continue
            scalar = zero in ('""', "false", "0") and kind not in SPECIAL
            if omits and scalar:
                words.append(field + "-")
            else:
                words.append(field + "=" + (zero or "null"))
        return " ".join([definition] + sorted(words)) if words else None


def main():
    shapes = Shapes(pathlib.Path(sys.argv[2]))
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        parts = line.split("\t")
        if parts[0] == "D":
            found = shapes.line(parts[1])
            if found:
                print(found)


main()
