"""The scenes, each a function that writes a Scene. Chance decides which, and what happens in it."""
import copy

from kinds import KINDS, container, pod_spec
from scene import ADMIN, ALICE, BOB, TABLE, Scene, nested, set_at
from scenes_more import definitions, generations, policies, selectors, subresources, tokens

CORE = "/api/v1"


def life(scene):
    """One object of some kind from creation to removal, in every way that there is."""
    dice = scene.dice
    kind = KINDS[dice.choice(sorted(KINDS))]
    if kind.namespaced:
        scene.namespace()
    collection = kind.collection(scene.ns)
    name = f"{kind.plural[:6]}-{scene.number}"
    path = f"{collection}/{name}"
    body = kind.body(dice, name)
    if dice.random() < 0.3:
        scene.watch(collection, {"resourceVersion": dice.choice(["", "0"])} if dice.random() < 0.5 and kind.namespaced else {"fieldSelector": f"metadata.name={name}"})
    if dice.random() < 0.15:
        scene.call("POST", collection, body, query={"dryRun": "All"})
        scene.call("GET", path)
    scene.call("POST", collection, body, save="first", query={"fieldManager": "maker"} if dice.random() < 0.3 else {})
    steps = ["get", "again", "put", "stale", "no-rv", "merge", "json", "strategic", "status-put", "status-patch", "scale", "table", "list", "label", "apply", "dry", "noop", "remove-field", "null", "broken-put", "broken-patch"]
    for step in dice.sample(steps, dice.randint(4, 9)):
        change = dice.choice(kind.changes)
        changed = copy.deepcopy(body)
        set_at(changed, *change)
        if step == "get":
            scene.call("GET", path)
        elif step == "again":
            scene.call("POST", collection, body)
        elif step == "put":
            changed["metadata"]["resourceVersion"] = f"@rv:{path}@"
            scene.call("PUT", path, changed)
        elif step == "stale":
            changed["metadata"]["resourceVersion"] = "@rv:first@"
            scene.call("PUT", path, changed)
        elif step == "no-rv":
            scene.call("PUT", path, changed)
        elif step == "noop":
            scene.call("PUT", path, body)
        elif step == "merge":
            scene.patch("merge", path, nested(*change) if ".0." not in change[0] else {"metadata": {"labels": {"m": "1"}}})
        elif step == "json":
            pointer = "/" + change[0].replace(".", "/")
            scene.patch("json", path, [{"op": dice.choice(["add", "replace", "test"]), "path": pointer, "value": change[1]}])
        elif step == "strategic":
            scene.patch("strategic", path, nested(*change) if ".0." not in change[0] else {"metadata": {"annotations": {"s": "1"}}})
        elif step == "status-put" and kind.status is not None:
            scene.call("PUT", path + "/status", body | {"status": kind.status, "metadata": {"name": name, "resourceVersion": f"@rv:{path}@"}})
        elif step == "status-patch" and kind.status is not None:
            scene.patch(dice.choice(["merge", "strategic"]), path + "/status", {"status": kind.status, "metadata": {"labels": {"from": "status"}}, "spec": {"ignored": None}})
        elif step == "scale":
            scene.call("GET", path + "/scale")
            if kind.scale:
                scene.call("PUT", path + "/scale", {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": name, **({} if not kind.namespaced else {"namespace": scene.ns})}, "spec": {"replicas": dice.choice([0, 4, -1])}})
                scene.patch("merge", path + "/scale", {"spec": {"replicas": 2}})
        elif step == "table":
            scene.call("GET", path, accept=TABLE, query={"includeObject": dice.choice(["None", "Metadata", "Object"])})
        elif step == "list":
            scene.call("GET", collection, query={"labelSelector": dice.choice(["app=web", "app in (web,db)", "!nothing", "app!=web", "tier"]), "fieldSelector": f"metadata.name={name}"})
        elif step == "label":
            scene.patch("merge", path, {"metadata": {"labels": {"step": "x", "app": None}, "annotations": {"a": "b"}}})
        elif step == "apply":
            scene.patch("apply", path, changed, query={"force": dice.choice(["true", "false"]), "fieldManager": dice.choice(["one", "two"])})
        elif step == "dry":
            scene.patch("merge", path, {"metadata": {"labels": {"dry": "run"}}}, query={"dryRun": "All"})
        elif step == "remove-field":
            scene.patch("json", path, [{"op": "remove", "path": dice.choice(["/metadata/labels", "/metadata/annotations", "/spec", "/metadata/name"])}])
        elif step == "broken-put":
            break_deep(dice, changed)
            scene.call("PUT", path, changed)
        elif step == "broken-patch":
            break_deep(dice, changed)
            scene.patch(dice.choice(["merge", "strategic"]), path, {key: value for key, value in changed.items() if key not in ("apiVersion", "kind", "metadata")})
        elif step == "null":
            scene.patch("merge", path, {dice.choice(["spec", "data", "rules"]): None})
    removal(scene, path)
    scene.call("GET", path)


def removal(scene, path):
    dice = scene.dice
    how = dice.randint(0, 7)
    if how == 0:
        scene.call("DELETE", path)
    elif how == 1:
        scene.call("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": dice.choice(["@uid:first@", "00000000-0000-0000-0000-000000000000"])}})
    elif how == 2:
        scene.call("DELETE", path, {"preconditions": {"resourceVersion": dice.choice(["@rv:first@", f"@rv:{path}@"])}})
    elif how == 3:
        scene.call("DELETE", path, query={"propagationPolicy": dice.choice(["Foreground", "Background", "Orphan", "Nonsense"])})
        scene.call("GET", path)
        scene.patch("merge", path, {"metadata": {"finalizers": None}})
    elif how == 4:
        scene.call("DELETE", path, query={"dryRun": "All"})
        scene.call("GET", path)
    elif how == 5:
        scene.call("DELETE", path, {"gracePeriodSeconds": dice.choice([0, 1, 30])})
        scene.call("DELETE", path, query={"gracePeriodSeconds": "0"})
    elif how == 6:
        scene.patch("merge", path, {"metadata": {"finalizers": ["example.com/hold"]}})
        scene.call("DELETE", path)
        scene.call("GET", path)
        scene.patch("merge", path, {"metadata": {"labels": {"late": "x"}}})
        scene.patch("merge", path, {"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}})
        scene.call("DELETE", path)
        scene.patch("json", path, [{"op": "remove", "path": "/metadata/finalizers"}])
    else:
        scene.call("DELETE", path, {"orphanDependents": True, "propagationPolicy": "Orphan"} if dice.random() < 0.5 else {"kind": "Nonsense"})
        scene.call("DELETE", path)


def faults(scene):
    """Objects with something wrong in them."""
    dice = scene.dice
    kind = KINDS[dice.choice(sorted(KINDS))]
    if kind.namespaced:
        scene.namespace()
    collection = kind.collection(scene.ns)
    for number in range(dice.randint(6, 14)):
        name = f"f{scene.number}-{number}"
        body = kind.body(dice, name)
        fault = dice.randint(0, 13)
        query = {}
        if fault == 0:
            body["metadata"]["name"] = dice.choice(["Upper", "under_score", "x" * 254, "", "dots..twice", "-dash", "sla/sh", "per%cent"])
        elif fault == 1:
            body["metadata"]["labels"] = dice.choice([{"bad key!": "x"}, {"a": "bad value!"}, {"a": "x" * 64}, {"/b": "c"}, {"a": 1}, ["a"]])
        elif fault == 2:
            body["metadata"]["annotations"] = dice.choice([{"Bad Key": "x"}, {"a": "x" * 300000}, {"a": 5}])
        elif fault == 3:
            body["unknownField"] = {"a": 1}
            query = {"fieldValidation": dice.choice(["Strict", "Warn", "Ignore", "Nonsense"])}
        elif fault == 4:
            body["metadata"]["namespace"] = "elsewhere"
        elif fault == 5:
            body["kind"] = dice.choice(["Nonsense", "Pod", ""])
        elif fault == 6:
            body["apiVersion"] = dice.choice(["v2", "apps/v1", "", "nonsense/v1"])
        elif fault == 7:
            body["metadata"] |= dice.choice([{"finalizers": ["no-slash"]}, {"finalizers": ["a b/c"]}, {"ownerReferences": [{"kind": "A", "name": "b"}]},
                                             {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "b", "uid": "u1", "controller": True}, {"apiVersion": "v1", "kind": "Pod", "name": "c", "uid": "u2", "controller": True}]},
                                             {"resourceVersion": "5"}, {"uid": "given"}, {"generation": 77}, {"creationTimestamp": "2020-01-01T00:00:00Z"}, {"deletionTimestamp": "2020-01-01T00:00:00Z"},
                                             {"managedFields": [{"manager": "x", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}}]}, {"selfLink": "/x"}, {"generateName": "gen-both-"}])
        elif fault == 8:
            for key in list(body):
                if key not in ("metadata", "kind", "apiVersion"):
                    body[key] = dice.choice([None, {}, [], "text", 5, True])
        elif fault == 9:
            body = {key: value for key, value in body.items() if key in ("metadata", "kind", "apiVersion")}
        elif fault == 10:
            path, value = dice.choice(kind.changes)
            set_at(body, path, dice.choice(["", -1, {"a": "b"}, [1], None, 99999999999, "ä"]))
        elif fault == 11:
            body["metadata"] = dice.choice([None, {}, {"name": name, "nonsense": 1}, "text"])
        elif fault == 12:
            break_deep(dice, body)
        else:
            query = dice.choice([{"dryRun": "Some"}, {"fieldManager": "x" * 129}, {"pretty": "true"}, {"fieldManager": "a\x01b"}])
        scene.call("POST", collection, body, query=query)
    scene.call("GET", collection, query={} if kind.namespaced else {"fieldSelector": f"metadata.name=f{scene.number}-1"})


def break_deep(dice, body):
    """Something below the top is removed, or becomes something else."""
    places = []

    def walk(tree, path):
        if isinstance(tree, dict):
            for key in sorted(tree):
                places.append((tree, key))
                walk(tree[key], path + [key])
        elif isinstance(tree, list):
            for element in tree:
                walk(element, path)

    for key in ("spec", "data", "rules", "template", "subjects", "roleRef"):
        walk(body.get(key), [key])
    for _ in range(dice.randint(1, 2)):
        if places:
            tree, key = dice.choice(places)
            how = dice.random()
            if how < 0.4:
                tree.pop(key, None)
            elif how < 0.6:
                tree[key] = dice.choice([-1, 0, 70000, 3.5])
            elif how < 0.8:
                tree[key] = dice.choice(["", "Bad Value!", "x" * 300, "a/b"])
            else:
                tree[key] = dice.choice([None, [], {}, True])


def apply_two(scene):
    """Server-side apply by two managers and the owners of fields."""
    dice = scene.dice
    scene.namespace()
    kind = KINDS[dice.choice(["configmaps", "deployments", "pods", "secrets", "statefulsets", "daemonsets", "poddisruptionbudgets", "roles", "nodes", "leases"])]
    collection = kind.collection(scene.ns)
    name = f"a{scene.number}"
    path = f"{collection}/{name}"
    base = kind.body(dice, name)
    for number in range(dice.randint(6, 14)):
        manager = dice.choice(["one", "two"])
        body = copy.deepcopy(base)
        how = dice.randint(0, 9)
        if how == 0:
            body["metadata"]["labels"] = {"owner": manager, "n": str(dice.randint(0, 2))}
        elif how == 1:
            set_at(body, *dice.choice(kind.changes))
        elif how == 2:
            body = {key: body[key] for key in ("apiVersion", "kind")} | {"metadata": {"name": name, "annotations": {manager: str(number)}}}
        elif how == 3:
            body["metadata"]["finalizers"] = [f"example.com/{manager}"]
        elif how == 4 and kind.plural in ("deployments", "statefulsets", "daemonsets"):
            body["spec"]["template"]["spec"]["containers"] = [container(dice, dice.choice(["main", "extra"]))]
        elif how == 5:
            scene.patch("merge", path, {"metadata": {"labels": {"n": "9"}}}, query={"fieldManager": "third"})
            continue
        elif how == 6:
            scene.call("PUT", path, base, query={"fieldManager": "third"})
            continue
        elif how == 7 and kind.status is not None:
            scene.patch("apply", path + "/status", {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name}, "status": kind.status}, query={"fieldManager": manager, "force": "true"})
            continue
        elif how == 8:
            scene.patch("apply", path, body, query={"fieldManager": manager, "dryRun": "All"})
            continue
        query = {"fieldManager": manager}
        if dice.random() < 0.4:
            query["force"] = "true"
        scene.patch("apply", path, body, query=query)
    scene.patch("apply", path, base, query={"fieldManager": dice.choice(["", "ok"])})
    scene.patch("apply", path, {"metadata": {"name": name}}, query={"fieldManager": "one"})
    scene.patch("apply", path, base | {"metadata": {"name": "other"}}, query={"fieldManager": "one"})
    scene.call("GET", path)
    scene.patch("json", path, [{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}])
    scene.call("DELETE", path)


def lists_patch(scene):
    """Strategic merge of lists by key, and JSON patches on a pod's template."""
    dice = scene.dice
    scene.namespace()
    kind = KINDS["deployments"]
    path = f"{kind.collection(scene.ns)}/web"
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {
        "containers": [{"name": "a", "image": "a", "env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}], "ports": [{"containerPort": 80}]}, {"name": "b", "image": "b"}],
        "tolerations": [{"key": "k", "operator": "Exists"}], "volumes": [{"name": "v", "emptyDir": {}}]}}}
    scene.call("POST", kind.collection(scene.ns), {"metadata": {"name": "web", "finalizers": ["example.com/a"]}, "spec": spec})
    pod = lambda part: {"spec": {"template": {"spec": part}}}
    strategic = [
        pod({"containers": [{"name": "a", "image": "a2"}]}), pod({"containers": [{"name": "c", "image": "c"}]}),
        pod({"containers": [{"name": "b", "$patch": "delete"}]}), pod({"containers": [{"$patch": "replace"}, {"name": "d", "image": "d"}]}),
        pod({"containers": [{"name": "a", "env": [{"name": "Y", "value": "3"}, {"name": "Z", "value": "4"}]}]}),
        pod({"containers": [{"name": "a", "env": [{"name": "X", "$patch": "delete"}]}]}),
        pod({"containers": [{"name": "a", "ports": [{"containerPort": 81, "name": "http"}]}]}),
        pod({"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}], "containers": [{"name": "b", "image": "b2"}]}),
        pod({"tolerations": [{"key": "other", "operator": "Exists"}]}), pod({"volumes": [{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "x"}}]}),
        pod({"containers": [{"image": "nameless"}]}), pod({"containers": None}), {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}},
        {"spec": {"strategy": {"type": "Recreate"}}}, {"metadata": {"finalizers": ["example.com/b"]}}, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a"]}},
        {"metadata": {"labels": {"$patch": "replace", "z": "1"}}}, {"spec": {"replicas": None}}, {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]}},
        pod({"imagePullSecrets": [{"name": "s"}]}), pod({"nodeSelector": {"a": "b"}}), pod({"nodeSelector": None}), {"$patch": "replace", "spec": spec}, {"$patch": "nonsense"},
    ]
    base = "/spec/template/spec/containers"
    json_patches = [
        [{"op": "add", "path": f"{base}/-", "value": {"name": "j", "image": "j"}}], [{"op": "add", "path": f"{base}/0", "value": {"name": "k", "image": "k"}}], [{"op": "remove", "path": f"{base}/1"}],
        [{"op": "remove", "path": f"{base}/9"}], [{"op": "test", "path": "/spec/replicas", "value": 1}, {"op": "replace", "path": "/spec/replicas", "value": 2}], [{"op": "test", "path": "/spec/replicas", "value": 77}],
        [{"op": "move", "from": "/metadata/annotations/a", "path": "/metadata/annotations/b"}], [{"op": "copy", "from": "/spec/replicas", "path": "/spec/minReadySeconds"}], [{"op": "add", "path": "/metadata/annotations", "value": {"a": "1"}}],
        [{"op": "add", "path": "/metadata/labels/x~1y", "value": "z"}], [{"op": "replace", "path": "/nope/deep", "value": 1}], [{"op": "nonsense", "path": "/spec"}], [{"path": "/spec"}], {"op": "add"}, [], "text",
        [{"op": "add", "path": "", "value": {}}], [{"op": "replace", "path": f"{base}/0/image", "value": 5}],
    ]
    for _ in range(dice.randint(10, 20)):
        if dice.random() < 0.6:
            scene.patch("strategic", path, dice.choice(strategic))
        else:
            scene.patch("json", path, dice.choice(json_patches))
    scene.call("GET", path)


def evictions(scene):
    """Pods on nodes, budgets, and evictions."""
    dice = scene.dice
    scene.namespace()
    pods = f"{CORE}/namespaces/{scene.ns}/pods"
    budgets = f"/apis/policy/v1/namespaces/{scene.ns}/poddisruptionbudgets"
    node = f"n{scene.number}"
    scene.call("POST", f"{CORE}/nodes", {"metadata": {"name": node}})
    names = [f"p{i}" for i in range(dice.randint(2, 4))]
    scene.watch(pods)
    for name in names:
        scene.call("POST", pods, {"metadata": {"name": name, "labels": {"app": dice.choice(["web", "web", "db"])}}, "spec": {"containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": dice.choice([0, 30])}})
        if dice.random() < 0.7:
            scene.call("POST", f"{pods}/{name}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"apiVersion": "v1", "kind": "Node", "name": dice.choice([node, node, "nowhere"])}})
        if dice.random() < 0.7:
            phase = dice.choice(["Running", "Running", "Running", "Succeeded", "Pending"])
            ready = dice.choice(["True", "True", "False"])
            scene.patch("strategic", f"{pods}/{name}/status", {"status": {"phase": phase, "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": "2020-01-01T00:00:00Z"}]}})
    for number in range(dice.randint(0, 2)):
        scene.call("POST", budgets, {"metadata": {"name": f"b{number}"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": dice.choice(["web", "db"])}}, **({"unhealthyPodEvictionPolicy": dice.choice(["AlwaysAllow", "IfHealthyBudget"])} if dice.random() < 0.5 else {})}})
        if dice.random() < 0.8:
            scene.patch("merge", f"{budgets}/b{number}/status", {"status": {"observedGeneration": dice.choice([1, 1, 1, 0]), "disruptionsAllowed": dice.choice([0, 1, 2]), "currentHealthy": dice.choice([0, 1, 2]), "desiredHealthy": 1, "expectedPods": 2}})
    for _ in range(dice.randint(3, 8)):
        name = dice.choice(names + ["missing"])
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": scene.ns}}
        query = {}
        how = dice.random()
        if how < 0.15:
            body["deleteOptions"] = {"dryRun": ["All"]}
        elif how < 0.25:
            body["deleteOptions"] = {"preconditions": {"uid": dice.choice([f"@uid:{pods}/{name}@", "nonsense"])}}
        elif how < 0.35:
            body["deleteOptions"] = {"preconditions": {"resourceVersion": f"@rv:{pods}/{name}@"}}
        elif how < 0.45:
            body["deleteOptions"] = {"gracePeriodSeconds": dice.choice([0, 5])}
        elif how < 0.5:
            body["metadata"]["name"] = "other"
        elif how < 0.55:
            query = {"dryRun": "All"}
        elif how < 0.6:
            body = dice.choice([{}, {"kind": "Eviction", "apiVersion": "policy/v1beta1"}, {"apiVersion": "policy/v1", "kind": "Eviction"}])
        scene.call("POST", f"{pods}/{name}/eviction", body, query=query)
        if dice.random() < 0.3:
            scene.call("GET", f"{budgets}/b0")
        if dice.random() < 0.2:
            scene.call("GET", f"{pods}/{name}")
        if dice.random() < 0.2:
            scene.call("DELETE", f"{pods}/{name}", {"gracePeriodSeconds": dice.choice([0, 10])})
    scene.call("GET", pods)
    scene.call("GET", pods, accept=TABLE)
    scene.call("GET", budgets)
    scene.call("GET", pods, query={"fieldSelector": dice.choice([f"spec.nodeName={node}", "status.phase=Running", "status.phase!=Running,spec.nodeName!=", "spec.restartPolicy=Always", "nonsense=1", "metadata.namespace=x"])})
    scene.call("DELETE", f"{CORE}/nodes/{node}")


def pages(scene):
    """Lists in pages, with selectors and resource versions."""
    dice = scene.dice
    scene.namespace()
    kind = KINDS[dice.choice(["configmaps", "secrets", "leases"])]
    collection = kind.collection(scene.ns)
    for number in range(dice.randint(4, 9)):
        scene.call("POST", collection, {"metadata": {"name": f"x{number}", "labels": {"n": str(number % 3), "even": str(number % 2 == 0).lower()}}}, save=f"x{number}")
    limit = dice.randint(1, 4)
    selector = dice.choice([{}, {}, {"labelSelector": "even=true"}, {"fieldSelector": "metadata.name!=x1"}])
    scene.call("GET", collection, query={"limit": limit, **selector}, save="page")
    if dice.random() < 0.5:
        scene.call("POST", collection, {"metadata": {"name": "x1a"}})
        scene.call("DELETE", f"{collection}/x2")
    for _ in range(3):
        scene.call("GET", collection, query={"limit": limit, "continue": "@continue:page@", **selector}, save="page" if dice.random() < 0.8 else None)
    for query in dice.sample([
            {"continue": "nonsense"}, {"limit": "-1"}, {"limit": "x"}, {"resourceVersion": "@rv:x0@", "resourceVersionMatch": "Exact"}, {"resourceVersion": "@rv:x2@", "resourceVersionMatch": "NotOlderThan"}, {"resourceVersionMatch": "Exact"},
            {"resourceVersion": "0", "resourceVersionMatch": "Exact"}, {"resourceVersion": "nonsense"}, {"resourceVersion": "-1"}, {"resourceVersion": "0"}, {"resourceVersion": "@rv:x1@"}, {"resourceVersion": "@rv:x1@", "limit": "2"},
            {"labelSelector": "a in (b"}, {"labelSelector": "n in (0,1),even!=true"}, {"labelSelector": "n>1"}, {"labelSelector": "n notin (0)"}, {"labelSelector": "!n"}, {"fieldSelector": "spec.nope=1"}, {"fieldSelector": "metadata.name=x0,metadata.namespace=" + scene.ns}, {"fieldSelector": "=="},
            {"limit": "2", "resourceVersion": "0"}, {"timeoutSeconds": "5"}, {"timeoutSeconds": "x"}, {"resourceVersion": "99999999"}, {"resourceVersion": "99999999", "resourceVersionMatch": "Exact"}, {"allowWatchBookmarks": "true"}, {"sendInitialEvents": "true"}, {"resourceVersion": "@rv:x3@", "resourceVersionMatch": "Nonsense"}], 8):
        scene.call("GET", collection, query=query)
    scene.call("GET", kind.root + "/" + kind.plural, query={"fieldSelector": f"metadata.namespace={scene.ns}", "labelSelector": "even"})
    scene.call("GET", collection, accept=TABLE, query={"limit": 2})
    scene.call("GET", collection, accept="application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
    if dice.random() < 0.7:
        scene.call("DELETE", collection, query={"labelSelector": "even=true", **({"dryRun": "All"} if dice.random() < 0.3 else {})})
    if dice.random() < 0.5:
        scene.call("DELETE", collection)
    scene.call("GET", collection)


def watches(scene):
    """Watches that were there from the start, that begin in the past, and that select."""
    dice = scene.dice
    scene.namespace()
    kind = KINDS[dice.choice(["configmaps", "pods", "deployments"])]
    collection = kind.collection(scene.ns)
    scene.call("POST", collection, kind.body(dice, "w0"), save="w0")
    scene.watch(collection)
    scene.watch(collection, {"labelSelector": "app=web"})
    scene.watch(collection, {"resourceVersion": "@rv:w0@", "fieldSelector": "metadata.name=w1"})
    scene.watch(collection, {"resourceVersion": "@rv:w0@", "allowWatchBookmarks": "true", "resourceVersionMatch": "NotOlderThan", "sendInitialEvents": "true"})
    for number in range(dice.randint(6, 14)):
        name = f"w{dice.randint(0, 3)}"
        path = f"{collection}/{name}"
        how = dice.random()
        if how < 0.35:
            scene.call("POST", collection, kind.body(dice, name), save=f"s{number}")
        elif how < 0.6:
            scene.patch("merge", path, {"metadata": {"labels": {"app": dice.choice(["web", "db", None]), "n": str(dice.randint(0, 1))}}})
        elif how < 0.7:
            scene.patch("merge", path, {"metadata": {"finalizers": dice.choice([None, ["example.com/f"]])}})
        elif how < 0.8:
            scene.patch("merge", path, {})
        else:
            scene.call("DELETE", path, {"gracePeriodSeconds": 0})
    scene.watch(collection, {"resourceVersion": "@rv:w0@"}, live=False)
    scene.watch(collection, {"resourceVersion": "@rv:w0@", "labelSelector": "app=web"}, live=False, accept=dice.choice(["application/json", TABLE]))
    scene.watch(collection, {"resourceVersion": dice.choice(["0", ""])}, live=False)
    scene.watch(f"{CORE}/namespaces", {"resourceVersion": "@rv:w0@", "fieldSelector": f"metadata.name={scene.ns}"}, live=False)
    for query in dice.sample([{"resourceVersion": "nonsense"}, {"resourceVersion": "1"}, {"labelSelector": "(("}, {"fieldSelector": "spec.none=1"}, {"sendInitialEvents": "true"}, {"resourceVersionMatch": "NotOlderThan"}, {"timeoutSeconds": "x"}], 2):
        scene.watch(collection, query, live=False)


def access(scene):
    """Users with few rights, and the reviews that tell of them."""
    dice = scene.dice
    scene.namespace()
    pods, maps = f"{CORE}/namespaces/{scene.ns}/pods", f"{CORE}/namespaces/{scene.ns}/configmaps"
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    roles = f"{rbac}/namespaces/{scene.ns}"
    verbs = dice.sample(["get", "list", "watch", "create", "delete", "patch", "update", "deletecollection"], dice.randint(1, 5))
    rule = {"apiGroups": [dice.choice(["", "*"])], "resources": dice.choice([["pods"], ["configmaps", "pods/status"], ["*"], ["*/status"], ["secrets"]]), "verbs": dice.choice([verbs, ["*"]])}
    if dice.random() < 0.3:
        rule["resourceNames"] = ["one"]
    scene.call("POST", f"{roles}/roles", {"metadata": {"name": "r"}, "rules": [rule]})
    subject = dice.choice([{"kind": "User", "name": "alice", "apiGroup": "rbac.authorization.k8s.io"}, {"kind": "Group", "name": "developers", "apiGroup": "rbac.authorization.k8s.io"}])
    scene.call("POST", f"{roles}/rolebindings", {"metadata": {"name": "b"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}, "subjects": [subject]})
    scene.call("POST", maps, {"metadata": {"name": "one"}})
    scene.pause()
    user = lambda: dice.choice([ALICE, ALICE, BOB, "nobody-knows", None])
    for _ in range(dice.randint(10, 18)):
        how = dice.randint(0, 12)
        if how == 0:
            scene.call("GET", f"{maps}/{dice.choice(['one', 'two'])}", user=user())
        elif how == 1:
            scene.call("GET", maps, user=user())
        elif how == 2:
            scene.call("POST", maps, {"metadata": {"name": f"m{dice.randint(0, 2)}"}}, user=user())
        elif how == 3:
            scene.patch(dice.choice(["merge", "apply"]), f"{maps}/one", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "labels": {"a": "b"}}}, user=user())
        elif how == 4:
            scene.call("DELETE", f"{maps}/one", user=user())
        elif how == 5:
            scene.patch("merge", f"{pods}/one/status", {"status": {}}, user=user())
        elif how == 6:
            scene.call("GET", dice.choice(["/version", "/healthz", "/api", "/apis/apps/v1", "/metrics", "/nonsense", "/"]), user=user())
        elif how == 7:
            scene.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": {"resourceAttributes": {"namespace": scene.ns, "verb": dice.choice(verbs), "resource": dice.choice(["pods", "configmaps", "nodes"]), **({"name": "one"} if dice.random() < 0.3 else {}), **({"subresource": "status"} if dice.random() < 0.3 else {})}}}, user=user())
        elif how == 8:
            scene.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": {"user": dice.choice(["alice", "bob", ""]), "groups": dice.choice([[], ["developers"]]), **dice.choice([{"resourceAttributes": {"namespace": scene.ns, "verb": "get", "resource": "configmaps"}}, {"nonResourceAttributes": {"path": "/version", "verb": "get"}}, {}])}}, user=dice.choice([ADMIN, ALICE]))
        elif how == 9:
            scene.call("POST", f"/apis/authorization.k8s.io/v1/namespaces/{scene.ns}/localsubjectaccessreviews", {"metadata": {"namespace": scene.ns}, "spec": {"user": "alice", "resourceAttributes": {"namespace": dice.choice([scene.ns, "other"]), "verb": "list", "resource": "pods"}}})
        elif how == 10:
            scene.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, user=user())
        elif how == 11:
            scene.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": dice.choice([ALICE, "nonsense", ""])}}, user=dice.choice([ADMIN, BOB]))
        else:
            scene.call("GET", dice.choice([f"{CORE}/namespaces", f"{CORE}/nodes", f"{CORE}/namespaces/{scene.ns}", f"{rbac}/clusterroles/view"]), user=dice.choice([ALICE, BOB]))
    scene.call("DELETE", f"{roles}/rolebindings/b")
    scene.pause()
    scene.call("GET", maps, user=ALICE)


def bad_requests(scene):
    """Paths, verbs, types and bodies that are wrong."""
    dice = scene.dice
    scene.namespace()
    maps = f"{CORE}/namespaces/{scene.ns}/configmaps"
    scene.call("POST", maps, {"metadata": {"name": "one"}})
    calls = [
        ("GET", "/api/v1/nonsense", None, {}), ("GET", "/api/v2/pods", None, {}), ("GET", "/apis/nonsense/v1/pods", None, {}), ("GET", "/apis/apps/v2/deployments", None, {}), ("GET", "/apis/apps/v1/nonsense", None, {}),
        ("GET", f"{maps}/one/status", None, {}), ("GET", f"{maps}/one/nonsense", None, {}), ("POST", f"{maps}/one", {"metadata": {"name": "one"}}, {}), ("PUT", maps, {"metadata": {"name": "one"}}, {}), ("PATCH", maps, {}, {"content": "application/merge-patch+json"}),
        ("POST", maps, "not json", {}), ("POST", maps, "", {}), ("POST", maps, "[]", {}), ("POST", maps, "null", {}), ("POST", maps, '{"metadata":{"name":"x"}', {}), ("POST", maps, '"text"', {}), ("POST", maps, "{}", {}),
        ("POST", maps, {"metadata": {"name": "t"}}, {"content": "text/plain"}), ("POST", maps, {"metadata": {"name": "t2"}}, {"content": ""}), ("POST", maps, "metadata: {name: y1}", {"content": "application/yaml"}),
        ("PATCH", f"{maps}/one", {}, {"content": "application/json"}), ("PATCH", f"{maps}/one", "nonsense", {"content": "application/merge-patch+json"}), ("PATCH", f"{maps}/one", [], {"content": "application/merge-patch+json"}),
        ("PATCH", f"{maps}/one", {}, {"content": "text/plain"}), ("PATCH", f"{maps}/none", {"data": {}}, {"content": "application/merge-patch+json"}), ("PATCH", f"{maps}/one", {"metadata": {"name": "other"}}, {"content": "application/merge-patch+json"}),
        ("PATCH", f"{maps}/one", {"metadata": {"resourceVersion": "1"}}, {"content": "application/merge-patch+json"}), ("PATCH", f"{maps}/one", {"metadata": {"uid": "x"}}, {"content": "application/merge-patch+json"}), ("PATCH", f"{maps}/one", {"metadata": {"namespace": "x"}}, {"content": "application/merge-patch+json"}),
        ("PATCH", f"{maps}/one", {"kind": "Secret"}, {"content": "application/merge-patch+json"}), ("PATCH", f"{maps}/one", {"data": {"a": 1}}, {"content": "application/merge-patch+json"}), ("PATCH", f"{maps}/one", {"metadata": {"creationTimestamp": None}}, {"content": "application/merge-patch+json"}),
        ("PUT", f"{maps}/one", {"metadata": {"name": "two"}}, {}), ("PUT", f"{maps}/one", {"metadata": {"name": "one", "resourceVersion": "x"}}, {}), ("PUT", f"{maps}/one", {"metadata": {"name": "one", "uid": "x"}}, {}), ("PUT", f"{maps}/none", {"metadata": {"name": "none"}}, {}),
        ("PUT", f"{maps}/none", {"metadata": {"name": "none", "resourceVersion": "5"}}, {}), ("PUT", f"{maps}/none", {"metadata": {"name": "none", "uid": "u"}}, {}), ("PUT", f"{maps}/one", {"metadata": {}}, {}), ("PUT", f"{maps}/one", {"metadata": {"name": "one", "namespace": "x"}}, {}),
        ("POST", f"{CORE}/namespaces/absent{scene.number}/configmaps", {"metadata": {"name": "x"}}, {}), ("POST", f"{CORE}/configmaps", {"metadata": {"name": "x", "namespace": scene.ns}}, {}), ("GET", f"{CORE}/namespaces/absent{scene.number}/configmaps", None, {}),
        ("DELETE", f"{CORE}/namespaces/default", None, {}), ("DELETE", f"{CORE}/namespaces/kube-system", None, {}), ("DELETE", f"{maps}/none", None, {}), ("DELETE", f"{maps}/one", "nonsense", {}), ("DELETE", f"{maps}/one", {"dryRun": ["Some"]}, {}), ("DELETE", f"{maps}/one", {"gracePeriodSeconds": -1}, {}),
        ("GET", maps, None, {"accept": "text/html"}), ("GET", maps, None, {"accept": "application/yaml, application/json"}), ("GET", f"{maps}/one", None, {"accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}), ("GET", maps, None, {"accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}),
        ("GET", f"{maps}/one", None, {"accept": "application/json;as=Table;v=v9;g=meta.k8s.io"}), ("GET", maps, None, {"accept": "*/*"}), ("GET", maps, None, {"query": {"includeObject": "Nonsense"}, "accept": TABLE}), ("OPTIONS", maps, None, {}), ("HEAD", maps, None, {}),
        ("GET", "/apis/apps", None, {}), ("GET", "/apis/apps/", None, {}), ("GET", "/api/v1/", None, {}), ("GET", "/openapi", None, {}), ("GET", f"{CORE}/namespaces/{scene.ns}/", None, {}), ("GET", f"{CORE}/pods/x", None, {}), ("GET", f"{CORE}/namespaces/{scene.ns}/nodes", None, {}), ("GET", f"{CORE}/namespaces/{scene.ns}/status", None, {}),
        ("POST", f"{CORE}/namespaces/{scene.ns}/pods/none/binding", {"target": {"kind": "Node", "name": "n"}}, {}), ("POST", f"{CORE}/namespaces/{scene.ns}/bindings", {"metadata": {"name": "none"}, "target": {"kind": "Node", "name": "n"}}, {}), ("POST", f"{CORE}/namespaces/{scene.ns}/serviceaccounts/default/token", {"spec": {"expirationSeconds": 600}}, {}),
        ("POST", f"{CORE}/namespaces/{scene.ns}/serviceaccounts/none/token", {"spec": {}}, {}), ("POST", f"{CORE}/namespaces/{scene.ns}/serviceaccounts/default/token", {"spec": {"expirationSeconds": 5}}, {}), ("PUT", f"{CORE}/namespaces/{scene.ns}/finalize", {"metadata": {"name": scene.ns}, "spec": {"finalizers": ["kubernetes"]}}, {}),
        ("PATCH", f"{maps}/one", {"data": {"s": "t"}}, {"content": "application/strategic-merge-patch+json"}), ("PATCH", f"{maps}/one", {"unknown": 1}, {"content": "application/merge-patch+json", "query": {"fieldValidation": "Strict"}}), ("PATCH", f"{maps}/one", {}, {"content": "application/apply-patch+yaml"}),
        ("PATCH", f"{maps}/one", {"data": {}}, {"content": "application/merge-patch+json", "query": {"force": "true"}}), ("PATCH", f"{maps}/one", {"data": {"q": "r"}}, {"content": "application/merge-patch+json", "query": {"dryRun": "Nope"}}), ("POST", maps, '{"metadata":{"name":"d1"},"data":{"a":"1","a":"2"}}', {"query": {"fieldValidation": "Strict"}}),
    ]
    for method, path, body, rest in dice.sample(calls, 24):
        scene.call(method, path, body, **rest)
    scene.call("GET", maps)


def generated(scene):
    """Names that the server makes, owners, and namespaces that end."""
    dice = scene.dice
    scene.namespace()
    kind = KINDS[dice.choice(["configmaps", "pods", "secrets", "jobs"])]
    collection = kind.collection(scene.ns)
    for number in range(dice.randint(2, 4)):
        body = kind.body(dice, None)
        body["metadata"]["generateName"] = dice.choice(["gen-a-", "gen-b-"])
        scene.call("POST", collection, body, save=f"g{number}")
        scene.call("GET", f"{collection}/@name:g{number}@")
    body = kind.body(dice, None)
    body["metadata"]["generateName"] = dice.choice(["Bad_", "x" * 80 + "-", "gen-c-"])
    scene.call("POST", collection, body)
    body["metadata"]["generateName"] = "gen-d-"
    scene.call("POST", collection, body, query={"dryRun": "All"})
    scene.call("GET", collection)
    owned = {"metadata": {"name": "owned", "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "@name:g0@", "uid": "@uid:g0@", "blockOwnerDeletion": True, "controller": True}]}}
    scene.call("POST", f"{CORE}/namespaces/{scene.ns}/configmaps", owned)
    scene.call("DELETE", f"{collection}/@name:g0@", query={"propagationPolicy": dice.choice(["Background", "Foreground", "Orphan"])})
    scene.call("GET", f"{collection}/@name:g0@")
    events = f"{CORE}/namespaces/{scene.ns}/events"
    scene.call("POST", events, {"metadata": {"name": "e1"}, "involvedObject": {"kind": "Pod", "name": "p", "namespace": dice.choice([scene.ns, "", "default"])}, "reason": "Tested", "message": "hello", "type": dice.choice(["Normal", "Warning", "Other"]), "count": 1, "source": {"component": "judge"}, "firstTimestamp": "2020-01-01T00:00:00Z", "lastTimestamp": "2020-01-01T00:00:00Z"})
    scene.call("GET", events, query={"fieldSelector": dice.choice(["involvedObject.name=p", "reason=Tested", "type=Warning", "involvedObject.kind=Node"])})
    if dice.random() < 0.7:
        scene.call("DELETE", f"{CORE}/namespaces/{scene.ns}")
        scene.call("GET", f"{CORE}/namespaces/{scene.ns}")
        scene.call("POST", f"{CORE}/namespaces/{scene.ns}/configmaps", {"metadata": {"name": "late"}})
        scene.patch("merge", f"{CORE}/namespaces/{scene.ns}", {"metadata": {"labels": {"a": "b"}}})
        scene.call("DELETE", f"{CORE}/namespaces/{scene.ns}")


def custom(scene):
    """A CustomResourceDefinition and objects of its kind."""
    dice = scene.dice
    scene.namespace()
    group = f"j{scene.number}.example.com"
    spec_schema = {"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 10}, "color": {"type": "string", "enum": ["red", "blue"], "default": "red"}, "name": {"type": "string", "maxLength": 5, "pattern": "^[a-z]*$"},
        "ratio": {"type": "number", "multipleOf": 0.5}, "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}, "maxItems": 3},
        "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"], "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "n": {"type": "integer", "default": 7}}}},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "port": {"x-kubernetes-int-or-string": True}, "map": {"type": "object", "additionalProperties": {"type": "integer"}}, "maybe": {"type": "string", "nullable": True},
        "fixed": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "cannot change"}]}}}
    if dice.random() < 0.6:
        spec_schema["x-kubernetes-validations"] = [{"rule": "!has(self.name) || self.size > 2", "message": "size"}, {"rule": "!has(self.tags) || self.tags.all(t, t.size() < 4)"}]
    schema = {"type": "object", "properties": {"spec": spec_schema, "status": {"type": "object", "properties": {"ready": {"type": "boolean"}, "count": {"type": "integer"}, "selector": {"type": "string"}}}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
               "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}, {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1}, {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]}
    subresources = {}
    if dice.random() < 0.7:
        subresources["status"] = {}
    if dice.random() < 0.5:
        subresources["scale"] = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.count", "labelSelectorPath": ".status.selector"}
    if subresources:
        version["subresources"] = subresources
    if dice.random() < 0.3:
        version["selectableFields"] = [{"jsonPath": ".spec.color"}]
    namespaced = dice.random() < 0.7
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"widgets.{group}"},
           "spec": {"group": group, "scope": "Namespaced" if namespaced else "Cluster", "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]}, "versions": [version]}}
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    if dice.random() < 0.3:
        scene.call("POST", crds, crd | {"metadata": {"name": "wrong"}})
        broken = copy.deepcopy(crd)
        # The real server panics over selectable fields of a version without a schema.
        broken["spec"]["versions"][0].pop("selectableFields", None)
        set_at(broken, *dice.choice([("spec.versions.0.storage", False), ("spec.scope", "Nowhere"), ("spec.versions.0.schema", {}), ("spec.names.plural", "Bad"), ("spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.size.type", "nonsense"), ("spec.group", ""), ("spec.versions", [])]))
        scene.call("POST", crds, broken)
    scene.call("POST", crds, crd)
    scene.wait_established(f"{crds}/widgets.{group}")
    scene.call("GET", f"{crds}/widgets.{group}")
    root = f"/apis/{group}/v1"
    collection = f"{root}/namespaces/{scene.ns}/widgets" if namespaced else f"{root}/widgets"
    scene.call("GET", root)
    scene.watch(collection)
    api = {"apiVersion": f"{group}/v1", "kind": "Widget"}
    specs = [{"size": 3}, {"size": 3, "color": "blue", "name": "abc"}, {"size": 0}, {"size": 11}, {"size": "x"}, {}, {"size": 2, "color": "green"}, {"size": 1, "name": "ABC"}, {"size": 1, "name": "toolong"}, {"size": 5, "ratio": 1.25}, {"size": 5, "ratio": 1.5},
             {"size": 4, "tags": ["a", "a"]}, {"size": 4, "tags": ["a", "b"]}, {"size": 4, "tags": ["a", "b", "c", "d"]}, {"size": 4, "tags": ["abcdef"]}, {"size": 4, "parts": [{"id": "a"}, {"id": "b", "n": 1}]}, {"size": 4, "parts": [{"id": "a"}, {"id": "a"}]}, {"size": 4, "parts": [{"n": 1}]},
             {"size": 4, "any": {"x": {"y": 1}}}, {"size": 4, "unknown": 1}, {"size": 4, "port": "http"}, {"size": 4, "port": 80}, {"size": 4, "port": True}, {"size": 4, "map": {"a": 1}}, {"size": 4, "map": {"a": "x"}}, {"size": 4, "maybe": None}, {"size": 4, "color": None}, {"size": 4, "fixed": "a"}, {"size": 2.0}, {"size": 2.5}, {"size": None}]
    for number in range(dice.randint(4, 8)):
        scene.call("POST", collection, api | {"metadata": {"name": f"w{number}"}, "spec": dice.choice(specs), "status": {"ready": True}}, save=f"w{number}", query=dice.choice([{}, {}, {"fieldValidation": "Strict"}]))
    for _ in range(dice.randint(6, 12)):
        path = f"{collection}/w{dice.randint(0, 4)}"
        how = dice.randint(0, 11)
        if how == 0:
            scene.patch("merge", path, {"spec": dice.choice(specs)})
        elif how == 1:
            scene.patch("merge", path, {"spec": {"fixed": dice.choice(["a", "b"])}})
        elif how == 2:
            scene.patch("json", path, [{"op": "replace", "path": "/spec/size", "value": dice.choice([5, 50])}])
        elif how == 3:
            scene.patch("strategic", path, {"spec": {"size": 5}})
        elif how == 4:
            scene.patch("apply", path, api | {"metadata": {"name": path.rsplit("/", 1)[1]}, "spec": dice.choice(specs)}, query={"fieldManager": dice.choice(["one", "two"])})
        elif how == 5:
            scene.patch("merge", path + "/status", {"status": {"ready": False, "count": 2, "selector": "app=web"}, "spec": {"size": 9}})
        elif how == 6:
            scene.call("GET", path + "/scale")
            scene.patch("merge", path + "/scale", {"spec": {"replicas": dice.choice([3, 99])}})
        elif how == 7:
            scene.call("GET", collection, accept=TABLE)
        elif how == 8:
            scene.call("GET", collection, query={"fieldSelector": dice.choice(["spec.color=red", "metadata.name=w1", "spec.size=3"])})
        elif how == 9:
            scene.call("PUT", path, api | {"metadata": {"name": path.rsplit("/", 1)[1], "resourceVersion": f"@rv:{path}@"}, "spec": dice.choice(specs)})
        elif how == 10:
            scene.call("PUT", path, api | {"metadata": {"name": path.rsplit("/", 1)[1]}, "spec": {"size": 3}})
        else:
            scene.call("DELETE", path)
    scene.call("GET", collection)
    if dice.random() < 0.3:
        scene.call("DELETE", f"{crds}/widgets.{group}")
        scene.wait_gone(f"{crds}/widgets.{group}")
        scene.call("GET", collection)


SCENES = [(life, 40), (faults, 14), (apply_two, 10), (lists_patch, 6), (evictions, 10), (pages, 6), (watches, 6), (access, 6), (bad_requests, 6), (generated, 6), (custom, 6),
          (policies, 3), (tokens, 4), (subresources, 6), (selectors, 6), (definitions, 6), (generations, 10)]


def write(number, dice, only=None):
    chosen = [(scene, weight) for scene, weight in SCENES if only is None or scene.__name__ == only]
    (function,) = dice.choices([s for s, _ in chosen], [w for _, w in chosen])
    scene = Scene(function.__name__, number, dice)
    function(scene)
    return scene
