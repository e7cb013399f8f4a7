"""What must differ between two servers is replaced by what must not: the third uid that a server showed is `uid#3` on both.

A Mask belongs to one server and one scene; it remembers what it has seen."""
import re

TIME = re.compile(r"20(2[6-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
AGE = re.compile(r"(<unknown>|0s|\d+[smhdy](\d+[smhd])?)")
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
GENERATED = re.compile(r"\b(gen-[a-z]*-|kube-api-access-|Bad_|x{58})[bcdfghjklmnpqrstvwxz2456789]{5}\b")
ADDRESS = re.compile(r"10\.\d+\.\d+\.\d+")
NODE_PORT = re.compile(r":3[0-2]\d{3}(?=/)")
# Of lists and Status objects.
LISTS = ("resourceVersion", "continue")


class Mask:
    def __init__(self):
        self.seen = {}

    def token(self, kind, value):
        values = self.seen.setdefault(kind, {})
        return values.setdefault(value, f"{kind}#{len(values) + 1}")

    def text(self, value):
        if TIME.fullmatch(value):
            return "<time>"
        value = UID.sub(lambda m: self.token("uid", m[0]), value)
        return GENERATED.sub(lambda m: m[1] + self.token("generated", m[0]), value)

    def body(self, value):
        """A whole answer, or the object of a watch event."""
        if not isinstance(value, dict):
            return value
        kind = value.get("kind")
        if kind == "Status":
            return self.status(value)
        if kind == "Table":
            return self.table(value)
        if isinstance(value.get("items"), list) or "items" in value and isinstance(value.get("metadata"), dict):
            out = {key: self.value(part, key) for key, part in value.items() if key not in ("items", "metadata")}
            out["metadata"] = self.list_metadata(value.get("metadata") or {})
            items = [self.body(item) for item in value["items"] or []]
            # Names that servers make up sort by chance.
            out["items"] = sorted(items, key=lambda item: str(item.get("metadata", {}).get("name")) if isinstance(item, dict) else "")
            return out
        return self.value(value, "")

    def list_metadata(self, metadata):
        out = {key: value for key, value in metadata.items() if key not in LISTS}
        for key in LISTS:
            if key in metadata:
                out[key] = "<given>" if metadata[key] else ""
        return out

    def status(self, value):
        """Messages are for people; what programs read stays."""
        out = {key: value[key] for key in ("kind", "apiVersion", "status", "reason", "code") if key in value}
        details = value.get("details")
        if isinstance(details, dict):
            kept = {key: self.value(details[key], key) for key in ("name", "group", "kind", "uid") if key in details}
            if "retryAfterSeconds" in details:
                kept["retryAfterSeconds"] = details["retryAfterSeconds"]
            causes = details.get("causes")
            if causes:
                kept["causes"] = sorted(({"reason": cause.get("reason", ""), "field": self.text(cause.get("field", ""))} for cause in causes),
                                        key=lambda cause: (cause["field"], cause["reason"]))
            if kept:
                out["details"] = kept
        return out

    def table(self, value):
        out = {"kind": "Table", "apiVersion": value.get("apiVersion"), "metadata": self.list_metadata(value.get("metadata") or {})}
        columns = value.get("columnDefinitions") or []
        out["columns"] = [{key: column.get(key) for key in ("name", "type", "format", "priority")} for column in columns]
        rows = []
        for row in value.get("rows") or []:
            cells = [self.cell(cell) for cell in row.get("cells", [])]
            rows.append({"cells": cells, "object": self.body(row.get("object")),
                         "conditions": [c.get("type") for c in row.get("conditions") or []]})
        out["rows"] = sorted(rows, key=lambda row: str(row["cells"][:1]))
        return out

    def cell(self, cell):
        if not isinstance(cell, str):
            return cell
        if AGE.fullmatch(cell):
            return "<age>"
        return NODE_PORT.sub(":<port>", ADDRESS.sub("<address>", self.text(cell)))

    def value(self, value, key):
        if isinstance(value, dict):
            if key == "metadata" or key == "objectMeta":
                return self.metadata(value)
            return {self.text(k): self.value(v, k) for k, v in value.items()}
        if isinstance(value, list):
            if key == "clusterIPs":
                return ["<address>" if ADDRESS.fullmatch(str(v)) else v for v in value]
            masked = [self.value(v, "") for v in value]
            # Rules come in the order of a hash map.
            return sorted(masked, key=str) if key in ("resourceRules", "nonResourceRules") else masked
        if isinstance(value, str):
            if key in ("clusterIP",) and ADDRESS.fullmatch(value):
                return "<address>"
            if key == "token" and len(value) > 100:
                return "<token>"
            if key == "reason" and value.startswith("RBAC: ["):
                # Roles that are missing, in the order of a hash map.
                return "RBAC: " + str(sorted(value[len("RBAC: ["):-1].split(", ")))
            return self.text(value)
        if key in ("nodePort", "healthCheckNodePort") and isinstance(value, int) and value >= 30000:
            return "<port>"
        return value

    def metadata(self, value):
        out = {}
        for key, part in value.items():
            if key == "resourceVersion":
                out[key] = self.token("rv", part) if part else part
            elif key == "managedFields":
                out[key] = self.managed(part)
            elif key == "selfLink":
                continue
            else:
                out[key] = self.value(part, key)
        return out

    def managed(self, entries):
        masked = [{k: self.value(v, k) for k, v in entry.items()} for entry in entries or []]
        return sorted(masked, key=lambda e: (e.get("manager", ""), e.get("operation", ""), e.get("subresource", ""), e.get("apiVersion", "")))


def differences(real, ours, at=""):
    """[(where, real, ours)]; where is a path like .spec.containers[0].image"""
    if isinstance(real, dict) and isinstance(ours, dict):
        found = []
        for key in sorted(real.keys() | ours.keys(), key=str):
            found += differences(real.get(key, MISSING), ours.get(key, MISSING), f"{at}.{key}")
        return found
    if isinstance(real, list) and isinstance(ours, list):
        found = []
        for i in range(max(len(real), len(ours))):
            found += differences(real[i] if i < len(real) else MISSING, ours[i] if i < len(ours) else MISSING, f"{at}[{i}]")
        return found
    if type(real) is type(ours) and real == ours:
        return []
    if isinstance(real, (int, float)) and isinstance(ours, (int, float)) and not isinstance(real, bool) and real == ours:
        return []
    return [(at, real, ours)]


class _Missing:
    def __repr__(self):
        return "(not there)"


MISSING = _Missing()
