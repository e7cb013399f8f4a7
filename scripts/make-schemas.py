#!/usr/bin/env python3
"""Facts about the types of the built-in kinds, from the OpenAPI v3 documents that Kubernetes publishes, and
the numbers that their fields have in protobuf, from the tags in the Go sources of its API.

    make-schemas.py DIRECTORY MODULES > sim/api/schemas.txt

DIRECTORY is api/openapi-spec/v3 of a Kubernetes source tree, MODULES holds api@…, apimachinery@… and
apiextensions-apiserver@… of k8s.io. Only names, types and numbers are taken, no descriptions.

The output has one line per fact:
    K group version kind definition      a kind ("-" is the core group)
    D definition type                    a type
    F name type [options]                a field of the D above it
Types: s string, i32, i64, i integer, d number, b boolean, B bytes, T time, M micro time, Q quantity, X int or
string, * anything, R anything that is owned as a whole, o object with the fields that follow, @definition,
{type} map, [a type] [s type] [m:key,key type] atomic list, set, list that is a map by keys.
A leading ! on a map or object says that it is owned as a whole.
Options: r required, m merge (strategic patch), k:NAME its key, t retain keys, p replaced as a whole by a
strategic patch, g owned field by field though its definition says as a whole, #NUMBER in protobuf (#2.1:
field 1 of the message that is field 2; in JSON the fields of such a message stand beside the others),
=JSON default.
"""
import json
import pathlib
import re
import sys

KINDS = {
    "": "Pod Node Namespace ServiceAccount ConfigMap Secret Service Event PersistentVolume PersistentVolumeClaim "
        "ReplicationController Binding",
    "apps": "Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision",
    "batch": "Job CronJob",
    "autoscaling": "Scale",
    "policy": "PodDisruptionBudget Eviction",
    "coordination.k8s.io": "Lease",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "StorageClass CSINode",
    "rbac.authorization.k8s.io": "Role RoleBinding ClusterRole ClusterRoleBinding",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "admissionregistration.k8s.io": "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
        "ValidatingWebhookConfiguration MutatingWebhookConfiguration",
    "discovery.k8s.io": "EndpointSlice",
    "authentication.k8s.io": "TokenReview TokenRequest SelfSubjectReview",
    "authorization.k8s.io": "SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview",
}
VERSIONS = {"v1"}
BY_NAME = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "Q",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "X",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "T",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "M",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "R",
}
SCALARS = {
    ("string", None): "s", ("string", "byte"): "B", ("string", "date-time"): "T", ("string", "int-or-string"): "X",
    ("integer", "int32"): "i32", ("integer", "int64"): "i64", ("integer", None): "i", ("number", "double"): "d",
    ("number", None): "d", ("boolean", None): "b",
}

API = "core apps batch autoscaling policy rbac storage scheduling coordination discovery authentication " \
      "authorization admissionregistration"
PACKAGES = {f"api@*/{name}/v1": f"io.k8s.api.{name}.v1" for name in API.split()} | {
    "apimachinery@*/pkg/apis/meta/v1": "io.k8s.apimachinery.pkg.apis.meta.v1",
    "apiextensions-apiserver@*/pkg/apis/apiextensions/v1":
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
}
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.M | re.S)
GO_FIELD = re.compile(r"^\s*(\w+)?\s*([*\[\]\w.]+)?\s*`([^`]*)`", re.M)


def read_messages(modules):
    """Of each definition: (number, name in JSON, definition whose fields stand in its place); the name or the
    definition is None."""
    messages = {}
    for pattern, prefix in PACKAGES.items():
        (package,) = sorted(modules.glob(pattern))[-1:]
        sources = [path for path in sorted(package.glob("types*.go"))
                   if "generated" not in path.name and "_test" not in path.name]
        for name, body in STRUCT.findall("\n".join(path.read_text() for path in sources)):
            fields = messages.setdefault(f"{prefix}.{name}", [])
            for first, kind, tags in GO_FIELD.findall(body):
                number = re.search(r'protobuf:"\w+,(\d+),', tags)
                in_json = re.search(r'json:"([^",]*)(,[^"]*)?"', tags)
                if not number or not in_json:
                    continue
                if in_json[1]:
                    fields.append((number[1], in_json[1], None))
                elif "inline" in (in_json[2] or ""):
                    inlined = (kind or first).strip("*").rsplit(".", 1)[-1]
                    fields.append((number[1], None, f"{prefix}.{inlined}"))
    return messages


def numbers_of(messages, definition):
    numbers = {}
    for number, name, inlined in messages.get(definition, []):
        if name:
            numbers[name] = number
        else:
            numbers |= {inner: f"{number}.{rest}" for inner, rest in numbers_of(messages, inlined).items()}
    return numbers


def reference(schema):
    ref = schema.get("$ref")
    if ref is None and len(schema.get("allOf", [])) == 1:
        ref = schema["allOf"][0].get("$ref")
    return ref.rsplit("/", 1)[1] if ref else None


class Writer:
    def __init__(self, definitions, messages):
        self.definitions, self.messages = definitions, messages
        self.wanted = []

    def type_of(self, schema):
        whole = "!" if schema.get("x-kubernetes-map-type") == "atomic" else ""
        name = reference(schema)
        if name:
            if name in BY_NAME:
                return BY_NAME[name]
            if whole:
                sys.exit(f"a reference to {name} overrides how it is owned: the format cannot say that")
            self.wanted.append(name)
            return "@" + name
        kind = schema.get("type")
        if kind is None:
            return "*"
        if kind == "array":
            items = self.type_of(schema["items"])
            list_type = schema.get("x-kubernetes-list-type")
            keys = schema.get("x-kubernetes-list-map-keys", [])
            if list_type is None and "merge" in schema.get("x-kubernetes-patch-strategy", "").split(","):
                key = schema.get("x-kubernetes-patch-merge-key")
                list_type, keys = ("map", [key]) if key else ("set", [])
            tag = {"set": "s", "map": "m:" + ",".join(keys)}.get(list_type, "a")
            return f"[{tag} {items}]"
        if kind == "object":
            if "properties" in schema:
                return whole + "o"
            values = schema.get("additionalProperties", {})
            return whole + "{" + self.type_of(values if isinstance(values, dict) else {}) + "}"
        return SCALARS[(kind, schema.get("format"))]

    def field(self, name, schema, required, number):
        options = ["r"] if required else []
        if number:
            options.append("#" + number)
        strategy = schema.get("x-kubernetes-patch-strategy", "").split(",")
        if "merge" in strategy:
            options.append("m")
        if "retainKeys" in strategy:
            options.append("t")
        if "replace" in strategy:
            options.append("p")
        if schema.get("x-kubernetes-map-type") == "granular" and reference(schema):
            options.append("g")
        if "x-kubernetes-patch-merge-key" in schema:
            options.append("k:" + schema["x-kubernetes-patch-merge-key"])
        default = schema.get("default")
        # Zero values of scalars are kept: they stand in for absent keys of list items.
        if default is not None and default != {}:
            options.append("=" + json.dumps(default, separators=(",", ":")))
        return "\t".join(["F", name, self.type_of(schema)] + options)

    def definition(self, name):
        schema = self.definitions[name]
        lines = [f"D\t{name}\t{self.type_of(schema)}"]
        required = schema.get("required", [])
        numbers = numbers_of(self.messages, name)
        for field in sorted(schema.get("properties", {})):
            lines.append(self.field(field, schema["properties"][field], field in required,
                                    numbers.get(field)))
        return lines


def main():
    definitions = {}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        document = json.loads(path.read_text())
        definitions.update(document.get("components", {}).get("schemas", {}))
    kinds = []
    for name, schema in definitions.items():
        for gvk in schema.get("x-kubernetes-group-version-kind", []):
            if gvk["version"] in VERSIONS and gvk["kind"] in KINDS.get(gvk["group"], "").split():
                kinds.append((gvk["group"], gvk["version"], gvk["kind"], name))
    kinds.sort()
    writer = Writer(definitions, read_messages(pathlib.Path(sys.argv[2])))
    writer.wanted = [name for *_, name in kinds]
    written = {}
    while writer.wanted:
        name = writer.wanted.pop()
        if name not in written:
            written[name] = writer.definition(name)
    for group, version, kind, name in kinds:
        print("\t".join(["K", group or "-", version, kind, name]))
    for name in sorted(written):
        print("\n".join(written[name]))


main()
