"""More scenes: admission policies, tokens and impersonation, the smaller subresources of pods, selectors, collections, and definitions
that are themselves drawn by chance."""
from kinds import KINDS, pod_spec
from scene import ADMIN, ALICE, BOB, TABLE
CORE = "/api/v1"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
POLICY_TAKES_EFFECT = 15


def policies(scene):
    """ValidatingAdmissionPolicies that judge creations, changes, deletions and evictions in one namespace."""
    dice = scene.dice
    scene.namespace()
    maps, pods = f"{CORE}/namespaces/{scene.ns}/configmaps", f"{CORE}/namespaces/{scene.ns}/pods"
    for name in ("free", "kept"):
        scene.call("POST", maps, {"metadata": {"name": name, "labels": {"keep": str(name == "kept").lower()}}})
        scene.call("POST", pods, {"metadata": {"name": name, "labels": {"keep": str(name == "kept").lower()}}, "spec": {"containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": 0}})
    policy = f"p{scene.number}"
    resource, operations, expression = dice.choice([
        (["configmaps"], ["CREATE", "UPDATE"], "!has(object.data) || !('bad' in object.data)"),
        (["configmaps"], ["DELETE"], "!has(oldObject.metadata.labels) || oldObject.metadata.labels['keep'] != 'true'"),
        (["pods"], ["DELETE"], "oldObject.metadata.name != 'kept'"),
        (["pods/eviction"], ["CREATE"], "request.name != 'kept' && object.metadata.name != 'kept'"),
        (["configmaps", "pods/eviction"], ["*"], "request.operation == 'CREATE' && request.subResource == '' && !object.metadata.name.startsWith('bad')"),
        (["pods/status"], ["UPDATE"], "object.status.phase != 'Failed'"),
        (["*"], ["CREATE"], "request.userInfo.username != 'judge-admin' || object.metadata.name != 'bad'"),
    ])
    validation = {"expression": expression, **dice.choice([{}, {"message": "no"}, {"messageExpression": "'not ' + request.name"}, {"reason": dice.choice(["Forbidden", "Invalid", "RequestEntityTooLarge"])}])}
    spec = {"failurePolicy": dice.choice(["Fail", "Ignore"]), "validations": [validation],
            "matchConstraints": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": scene.ns}},
                                 "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": operations, "resources": resource}]}}
    if dice.random() < 0.3:
        spec["matchConditions"] = [{"name": "not-probe", "expression": "request.name != 'passes'"}]
    if dice.random() < 0.3:
        spec["variables"] = [{"name": "v", "expression": "request.operation"}]
    body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": policy}, "spec": spec}
    # The real one checks the types of a policy's expressions later, and says so in its status.
    scene.call("POST", f"{ADMISSION}/validatingadmissionpolicies", body)
    scene.call("POST", f"{ADMISSION}/validatingadmissionpolicybindings", {"metadata": {"name": policy}, "spec": {"policyName": policy, "validationActions": dice.choice([["Deny"], ["Deny"], ["Deny", "Audit"]])}})
    # A second one, to see that the first has come into force: both are read in one go.
    probe = f"q{scene.number}"
    scene.call("POST", f"{ADMISSION}/validatingadmissionpolicies", {"metadata": {"name": probe}, "spec": {"validations": [{"expression": "object.metadata.name != 'probe'"}], "matchConstraints": {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": scene.ns}}, "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["secrets"]}]}}})
    scene.call("POST", f"{ADMISSION}/validatingadmissionpolicybindings", {"metadata": {"name": probe}, "spec": {"policyName": probe, "validationActions": ["Deny"]}})
    scene.until(422, "POST", f"{CORE}/namespaces/{scene.ns}/secrets", {"metadata": {"name": "probe"}}, query={"dryRun": "All"})
    scene.pause()
    names = ["free", "kept", "missing"]
    for _ in range(dice.randint(6, 12)):
        name = dice.choice(names)
        how = dice.randint(0, 8)
        dry = {"dryRun": "All"} if dice.random() < 0.3 else {}
        if how == 0:
            scene.call("POST", maps, {"metadata": {"name": dice.choice(["bad", "badly", "good", "passes"])}, "data": {dice.choice(["bad", "good"]): "x"}}, query=dry)
        elif how == 1:
            scene.patch("merge", f"{maps}/{name}", {"data": {dice.choice(["bad", "good"]): "y"}}, query=dry)
        elif how == 2:
            scene.call("DELETE", f"{maps}/{name}", query=dry)
        elif how == 3:
            scene.call("DELETE", f"{pods}/{name}", query=dry)
        elif how == 4:
            scene.call("POST", f"{pods}/{name}/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}, query=dry)
        elif how == 5:
            scene.patch("merge", f"{pods}/{name}/status", {"status": {"phase": dice.choice(["Running", "Failed"])}})
        elif how == 6:
            scene.patch("apply", f"{maps}/{name}", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {dice.choice(["bad", "good"]): "z"}}, query={"fieldManager": "one", "force": "true"})
        elif how == 7:
            scene.call("DELETE", maps, query={"labelSelector": dice.choice(["keep=true", "keep=false"])})
        else:
            scene.call("POST", pods, {"metadata": {"name": dice.choice(["bad", "fine"])}, "spec": {"containers": [{"name": "c", "image": "i"}]}}, query=dry)
    scene.call("GET", maps)
    scene.call("GET", pods)
    for name in (policy, probe):
        scene.call("DELETE", f"{ADMISSION}/validatingadmissionpolicybindings/{name}")
        scene.call("DELETE", f"{ADMISSION}/validatingadmissionpolicies/{name}")


def tokens(scene):
    """Tokens of service accounts, who they are, what they may do, and acting as somebody else."""
    dice = scene.dice
    scene.namespace()
    accounts = f"{CORE}/namespaces/{scene.ns}/serviceaccounts"
    maps = f"{CORE}/namespaces/{scene.ns}/configmaps"
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{scene.ns}"
    scene.call("POST", accounts, {"metadata": {"name": "robot"}})
    scene.call("POST", maps, {"metadata": {"name": "one"}})
    scene.call("POST", f"{rbac}/roles", {"metadata": {"name": "r"}, "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]})
    subject = dice.choice([{"kind": "ServiceAccount", "name": "robot", "namespace": scene.ns}, {"kind": "Group", "name": f"system:serviceaccounts:{scene.ns}", "apiGroup": "rbac.authorization.k8s.io"},
                           {"kind": "User", "name": f"system:serviceaccount:{scene.ns}:robot", "apiGroup": "rbac.authorization.k8s.io"}])
    scene.call("POST", f"{rbac}/rolebindings", {"metadata": {"name": "b"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}, "subjects": [subject]})
    scene.call("POST", f"{accounts}/robot/token", {"spec": {"expirationSeconds": 3600, **({"audiences": ["https://kubernetes.default.svc"]} if dice.random() < 0.3 else {})}}, save="t")
    scene.pause()
    for _ in range(dice.randint(6, 10)):
        how = dice.randint(0, 8)
        if how == 0:
            scene.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": dice.choice(["@token:t@", "nonsense"])}})
        elif how == 1:
            scene.call("GET", f"{maps}/{dice.choice(['one', 'two'])}", user="@token:t@")
        elif how == 2:
            scene.call("POST", maps, {"metadata": {"name": "two"}}, user="@token:t@")
        elif how == 3:
            scene.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, user="@token:t@")
        elif how == 4:
            scene.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": {"resourceAttributes": {"namespace": scene.ns, "verb": dice.choice(["get", "delete"]), "resource": "configmaps"}}}, user="@token:t@")
        elif how == 5:
            scene.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {"spec": {"namespace": dice.choice([scene.ns, ""])}}, user=ALICE)
        elif how == 6:
            scene.call("GET", f"{maps}/one", user=dice.choice([ADMIN, ALICE]), extra={"Impersonate-User": dice.choice([f"system:serviceaccount:{scene.ns}:robot", "alice", "nobody"])})
        elif how == 7:
            scene.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, user=dice.choice([ADMIN, BOB]), extra={"Impersonate-User": "carol", "Impersonate-Group": "developers"})
        else:
            scene.call("POST", f"{accounts}/{dice.choice(['robot', 'missing'])}/token", {"spec": dice.choice([{}, {"expirationSeconds": 600}, {"expirationSeconds": 1}, {"audiences": ["other"]}, {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "missing"}}])})
    scene.call("DELETE", f"{accounts}/robot")
    scene.call("GET", accounts)


def subresources(scene):
    """Of pods: bindings, status by apply; of others: what they do not have."""
    dice = scene.dice
    scene.namespace()
    pods = f"{CORE}/namespaces/{scene.ns}/pods"
    node = f"n{scene.number}"
    scene.call("POST", f"{CORE}/nodes", {"metadata": {"name": node, "labels": dice.choice([{}, {"topology.kubernetes.io/zone": "z1", "topology.kubernetes.io/region": "r1"}])}})
    spec = {"containers": [{"name": "c", "image": "i", "resources": dice.choice([{}, {"requests": {"cpu": "100m", "memory": "64Mi"}}, {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}])}]}
    if dice.random() < 0.3:
        spec["schedulingGates"] = [{"name": "example.com/a"}, {"name": "example.com/b"}]
    scene.call("POST", pods, {"metadata": {"name": "p"}, "spec": spec}, save="p")
    for _ in range(dice.randint(6, 12)):
        how = dice.randint(0, 7)
        if how == 0:
            scene.call("POST", f"{pods}/p/binding", {"metadata": {"name": "p"}, "target": dice.choice([{"kind": "Node", "name": node}, {"kind": "Node"}, {"kind": "Pod", "name": "x"}, {"apiVersion": "v1", "kind": "Node", "name": "absent"}])})
        elif how == 1:
            scene.call("POST", f"{CORE}/namespaces/{scene.ns}/bindings", {"metadata": {"name": "p", **({"annotations": {"a": "b"}} if dice.random() < 0.5 else {})}, "target": {"kind": "Node", "name": node}})
        elif how == 2:
            scene.patch("apply", f"{pods}/p/status", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": {"phase": dice.choice(["Running", "Pending"]), "conditions": [{"type": "Ready", "status": "True"}]}}, query={"fieldManager": dice.choice(["kubelet", "other"]), "force": dice.choice(["true", "false"])})
        elif how == 3:
            scene.patch("merge", f"{pods}/p", {"spec": {"schedulingGates": dice.choice([None, [{"name": "example.com/a"}], [{"name": "example.com/c"}]])}})
        elif how == 4:
            scene.patch("strategic", f"{pods}/p/status", {"status": {"conditions": [{"type": dice.choice(["Ready", "PodScheduled", "Mine"]), "status": dice.choice(["True", "False", "Odd"])}], "containerStatuses": dice.choice([None, [{"name": "c", "ready": True, "restartCount": 1, "image": "i", "imageID": "", "state": {"running": {"startedAt": "2020-01-01T00:00:00Z"}}}]])}})
        elif how == 5:
            scene.call("GET", f"{pods}/p/{dice.choice(['status', 'nonsense', 'scale'])}")
        elif how == 6:
            scene.call(dice.choice(["PUT", "POST", "DELETE"]), f"{pods}/p/{dice.choice(['status', 'binding'])}", {"metadata": {"name": "p"}})
        else:
            scene.call("GET", f"{pods}/p", accept=dice.choice(["application/json", TABLE]))
    scene.call("GET", pods, query={"fieldSelector": f"spec.nodeName={node}"})
    scene.call("DELETE", f"{CORE}/nodes/{node}")


FIELDS = {"pods": ["spec.nodeName=", "spec.schedulerName=default-scheduler", "status.phase=Pending", "spec.restartPolicy!=Always", "spec.serviceAccountName=default", "spec.hostNetwork=false", "status.podIP=", "status.nominatedNodeName=", "metadata.name!=x0,status.phase=Pending"],
          "nodes": ["spec.unschedulable=true", "spec.unschedulable=false", "metadata.name=x0"], "secrets": ["type=Opaque", "type!=Opaque"],
          "replicasets": ["status.replicas=0", "status.replicas=1"], "jobs": ["status.successful=0"], "namespaces": ["status.phase=Active", "status.phase=Terminating"], "deployments": ["metadata.namespace=default", "spec.replicas=1"],
          "poddisruptionbudgets": ["metadata.name=x1"], "leases": ["metadata.name=x1"], "configmaps": ["metadata.name=x0", "data.a=1"]}
LABELS = ["app=web", "app==web", "app!=web", "app", "!app", "app in (web, db)", "app notin (web)", "tier in ()", "app=web,tier=db", "example.com/part=web", "n>1", "n<3", "n>x", "a=b=c", ",", "app=", "app in web", "-bad", "a b", "in=out", "x=" + "y" * 64]


def selectors(scene):
    """Lists, watches and deletions of what labels and fields select."""
    dice = scene.dice
    scene.namespace()
    kind = KINDS[dice.choice([plural for plural in sorted(FIELDS) if KINDS[plural].namespaced])]
    collection = kind.collection(scene.ns)
    for number in range(dice.randint(3, 6)):
        body = kind.body(dice, f"x{number}")
        body["metadata"].setdefault("labels", {})["n"] = str(number)
        scene.call("POST", collection, body)
    for _ in range(dice.randint(6, 10)):
        query = {}
        if dice.random() < 0.7:
            query["labelSelector"] = dice.choice(LABELS)
        if dice.random() < 0.6:
            query["fieldSelector"] = dice.choice(FIELDS[kind.plural] + ["metadata.name=x0", f"metadata.namespace={scene.ns}", "nonsense=1", "metadata.labels=1", "metadata.name", "metadata.name=x0=y", "metadata.name=x\\,0"])
        if dice.random() < 0.3:
            query["limit"] = dice.choice([0, 1, 2, 500])
        accept = dice.choice(["application/json", "application/json", TABLE, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"])
        scene.call("GET", collection, query=query, accept=accept)
    scene.watch(collection, {"labelSelector": "n!=1", "resourceVersion": "0"}, live=False)
    how = dice.random()
    if how < 0.3:
        scene.call("DELETE", collection, query={"fieldSelector": "metadata.name=x0"})
    elif how < 0.6:
        scene.call("DELETE", collection, {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0, "propagationPolicy": dice.choice(["Background", "Orphan"])}, query={"labelSelector": "n in (0,1)"})
    elif how < 0.8:
        scene.call("DELETE", collection, {"preconditions": {"uid": "nonsense"}})
    else:
        scene.call("DELETE", collection, query={"labelSelector": dice.choice(["((", "n=7"])})
    scene.call("GET", collection)


def field_schema(dice, depth=0):
    """A schema for one field, with values that fit and values that do not."""
    choice = dice.randint(0, 13 if depth < 2 else 7)
    if choice == 0:
        return {"type": "string", "minLength": 2, "maxLength": 4}, ["abc"], ["a", "abcde", 5]
    if choice == 1:
        return {"type": "string", "enum": ["red", "blue"], **({"default": "red"} if dice.random() < 0.5 else {})}, ["red"], ["green", ""]
    if choice == 2:
        return {"type": "string", "format": dice.choice(["date-time", "ipv4", "uuid", "byte", "duration"])}, [], ["nonsense!", 1]
    if choice == 3:
        return {"type": "integer", "format": "int32", "minimum": 1, "exclusiveMinimum": True}, [2, 3], [1, 0, 1.5, "2", 3000000000]
    if choice == 4:
        return {"type": "number", "maximum": 2.5, "exclusiveMaximum": True}, [1, 2.25], [2.5, 3, "x"]
    if choice == 5:
        return {"type": "boolean", "default": True}, [True, False], ["true", 0]
    if choice == 6:
        return {"x-kubernetes-int-or-string": True, **({"pattern": "^[0-9]+%$"} if dice.random() < 0.3 else {})}, [5, "50%"], [1.5, True, {}]
    if choice == 7:
        return {"type": "string", "nullable": True, "pattern": "^a.*z$"}, ["az", None], ["b", 7]
    inner, good, bad = field_schema(dice, depth + 1)
    if choice == 8:
        return {"type": "array", "items": inner, "minItems": 1, "maxItems": 2}, [[g] for g in good], [[], [b for b in bad][:1], [good[0]] * 3 if good else [1, 2, 3], {}]
    if choice == 9:
        return {"type": "object", "additionalProperties": inner, "maxProperties": 2}, [{"k": g} for g in good] + [{}], [{"k": bad[0]}, {"a": 1, "b": 2, "c": 3}, []]
    if choice == 10:
        return {"type": "object", "required": ["x"], "properties": {"x": inner, "y": {"type": "string", "default": "why"}}}, [{"x": g} for g in good], [{}, {"x": bad[0]}, {"x": bad[-1], "z": 1}]
    if choice == 11:
        return {"type": "object", "properties": {"x": inner}, "x-kubernetes-preserve-unknown-fields": True}, [{"x": g, "more": {"a": [1]}} for g in good] + [{}], [{"x": bad[0]}, "s"]
    if choice == 12:
        return {"type": "string", "maxLength": 20, "x-kubernetes-validations": [{"rule": dice.choice(["self.startsWith('a')", "self.matches('^a[a-z]*$')", "size(self) > 2 && self.contains('b')", "self in ['abc', 'abd']", "self.lowerAscii() == self", "!self.endsWith('x')"]), **dice.choice([{}, {"message": "no"}, {"messageExpression": "'bad ' + self"}, {"reason": "FieldValueForbidden"}])}]}, ["abc"], ["Xyx", "xx", 4]
    return {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "x-kubernetes-validations": [{"rule": dice.choice(["!has(self.a) || !has(self.b) || self.a <= self.b", "has(self.a) == has(self.b)", "self.all(k, k in ['a', 'b'])" if False else "(has(self.a) ? self.a : 0) + (has(self.b) ? self.b : 0) < 10", "oldSelf == self"])}]}, [{"a": 1, "b": 2}, {}], [{"a": 2, "b": 1}, {"a": 9, "b": 9}, {"a": "x"}]


def definitions(scene):
    """Custom kinds with schemas that are drawn by chance, in one or two versions."""
    dice = scene.dice
    scene.namespace()
    group = f"d{scene.number}.example.com"
    fields = {f"f{i}": field_schema(dice) for i in range(dice.randint(2, 5))}
    spec_schema = {"type": "object", "properties": {name: parts[0] for name, parts in fields.items()}}
    if dice.random() < 0.2:
        spec_schema["default"] = {}
    if dice.random() < 0.3:
        spec_schema["anyOf"] = [{"required": ["f0"]}, {"required": ["f1"]}]
    if dice.random() < 0.2:
        spec_schema["not"] = {"required": ["f0", "f1"]}
    schema = {"type": "object", "properties": {"spec": spec_schema, "status": {"type": "object", "properties": {"ok": {"type": "boolean", "default": False}}}}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}]
    if dice.random() < 0.3:
        versions.append({"name": "v1beta1", "served": True, "storage": False, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}, "deprecated": True})
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"gadgets.{group}"},
           "spec": {"group": group, "scope": "Namespaced", "names": {"plural": "gadgets", "kind": "Gadget", "singular": "gadget", "categories": ["all-things"]}, "versions": versions}}
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    scene.call("POST", crds, crd)
    scene.wait_established(f"{crds}/gadgets.{group}")
    api = {"apiVersion": f"{group}/v1", "kind": "Gadget"}
    collection = f"/apis/{group}/v1/namespaces/{scene.ns}/gadgets"

    def draw(bad_chance):
        out = {}
        for name, (_, good, bad) in fields.items():
            if dice.random() < 0.25:
                continue
            values = bad if dice.random() < bad_chance or not good else good
            if values:
                out[name] = dice.choice(values)
        return out

    names = [f"g{i}" for i in range(3)]
    for name in names:
        scene.call("POST", collection, api | {"metadata": {"name": name}, "spec": draw(0.1)})
    for _ in range(dice.randint(8, 14)):
        name = dice.choice(names)
        path = f"{collection}/{name}"
        how = dice.randint(0, 8)
        if how == 0:
            scene.call("POST", collection, api | {"metadata": {"name": name}, "spec": draw(0.3)}, query=dice.choice([{}, {"dryRun": "All"}, {"fieldValidation": "Strict"}]))
        elif how == 1:
            scene.patch("merge", path, {"spec": draw(0.3)})
        elif how == 2:
            scene.patch("apply", path, api | {"metadata": {"name": name}, "spec": draw(0.2)}, query={"fieldManager": dice.choice(["one", "two"]), "force": dice.choice(["true", "false"])})
        elif how == 3:
            scene.patch("merge", path + "/status", {"status": {"ok": dice.choice([True, "x", None])}, "spec": {}})
        elif how == 4:
            scene.call("PUT", path, api | {"metadata": {"name": name, "resourceVersion": f"@rv:{path}@"}, "spec": draw(0.2)})
        elif how == 5:
            scene.patch("json", path, [{"op": dice.choice(["add", "remove", "replace"]), "path": f"/spec/f{dice.randint(0, 4)}", "value": dice.choice(["abc", 2, {}])}])
        elif how == 6:
            scene.call("GET", path.replace("/v1/", "/v1beta1/"))
        elif how == 7:
            scene.call("GET", collection, accept=TABLE)
        else:
            scene.call("DELETE", path, {"preconditions": {"resourceVersion": f"@rv:{path}@"}})
    scene.call("GET", collection)
    scene.call("DELETE", f"{crds}/gadgets.{group}")
    scene.wait_gone(f"{crds}/gadgets.{group}")


def generations(scene):
    """One object that is written at random again and again: what every write makes of it, and what watches tell."""
    dice = scene.dice
    scene.namespace()
    kind = KINDS[dice.choice([name for name, each in sorted(KINDS.items()) if each.namespaced])]
    collection = kind.collection(scene.ns)
    path = f"{collection}/x"
    scene.watch(collection)
    scene.call("POST", collection, kind.body(dice, "x"), save="first")
    for _ in range(dice.randint(8, 16)):
        how = dice.randint(0, 7)
        body = kind.body(dice, "x")
        if how == 0:
            scene.call("PUT", path, body)
        elif how == 1:
            body["metadata"]["resourceVersion"] = f"@rv:{path}@"
            scene.call("PUT", path, body)
        elif how in (2, 3):
            scene.patch(dice.choice(["merge", "strategic"]), path, {key: value for key, value in body.items() if key not in ("apiVersion", "kind")})
        elif how in (4, 5):
            scene.patch("apply", path, body, query={"fieldManager": dice.choice(["one", "two"]), "force": dice.choice(["true", "true", "false"])})
        elif how == 6 and kind.status is not None:
            scene.patch("merge", path + "/status", {"status": kind.status})
        else:
            scene.call("DELETE", path, query=dice.choice([{}, {"gracePeriodSeconds": "0"}]))
            scene.call("POST", collection, body)
    scene.call("GET", path, accept=TABLE)
    scene.call("GET", path)
