"""Makes a cluster about which the two disagree as small as it gets while they still do: first fewer objects, then fewer fields."""
import copy
import json
import pathlib


def shrink(cluster, disagree, most=600):
    """`disagree(cluster)` says whether the disagreement is still there; it is asked at most so often."""
    left = [most]

    def still(candidate):
        if left[0] <= 0:
            return False
        left[0] -= 1
        return disagree(candidate)

    items = fewer_objects(cluster["items"], lambda kept: still({**cluster, "items": kept}))
    changed = True
    while changed and left[0] > 0:
        changed = False
        for number, item in enumerate(items):
            for path in paths(item):
                smaller = without(item, path)
                if still({**cluster, "items": items[:number] + [smaller] + items[number + 1:]}):
                    items = items[:number] + [smaller] + items[number + 1:]
                    item, changed = smaller, True
    return {**cluster, "items": items}


def fewer_objects(items, still):
    size = max(1, len(items) // 2)
    while True:
        at = 0
        while at < len(items):
            kept = items[:at] + items[at + size:]
            if kept and still(kept):
                items = kept
            else:
                at += size
        if size == 1:
            return items
        size = max(1, size // 2)


def paths(value, prefix=()):
    """What may be left out: everything but what says which object it is."""
    found = []
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(entries):
        path = prefix + (key,)
        if path not in (("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace"), ("metadata", "uid"), ("spec",)):
            found.append(path)
        found += paths(inner, path)
    return found


def without(item, path):
    smaller = copy.deepcopy(item)
    at = smaller
    try:
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]
    except (KeyError, IndexError, TypeError):
        return smaller
    return smaller


def keep(cluster, directory, name):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / f"{name}.json"
    file.write_text(json.dumps(cluster, indent=1) + "\n")
    return file
