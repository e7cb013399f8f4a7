#!/usr/bin/env python3
"""Plays the same generated scripts of API calls against the real kube-apiserver and the embedded one, and compares what they
answer: status codes, reasons, causes, resulting objects, tables, and the sequences of watches.

    judge.py --embedded PROGRAM --programs BUILT [--calls N] [--seed S[,S]…] [--scene NAME] [--number K] [--all]

Several scenes are played at a time; each has names of its own. What must differ is masked (mask.py). A difference that docs/reference/embedded-api.md lists under "Differences" is counted; any
other one fails. A scene that differs is not played further. Ends with "N passed, M failed", counted in calls.
"""
import argparse
import collections
import http.client
import json
import pathlib
import random
import re
import sys
import threading
import time

from client import Client
from embedded import EmbeddedServer
from mask import Mask, differences
from real import USERS, RealServer
from scene import WatchCall
import scenes

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parents[2] / "docs" / "reference" / "embedded-api.md"
WATCH_SECONDS = 1
PAUSE_SECONDS = 0.4
TRIES = 2
SHOWN = 60


class Known:
    """A row of the table of differences: | `call` | `where` | reason |, both regular expressions."""

    def __init__(self, call, where, reason):
        self.call, self.where, self.reason, self.count = re.compile(call), re.compile(where), reason, 0


def read_known(path):
    known, inside = [], False
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if line.startswith("#"):
            inside = "Differences" in line
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if inside and len(cells) == 3 and cells[0].startswith("`"):
            call, where, reason = cells
            known.append(Known(call.strip("`").replace("\\|", "|"), where.strip("`").replace("\\|", "|"), reason))
    return known


class Player:
    """One server in one scene."""

    def __init__(self, client):
        self.client, self.mask, self.memory, self.watches = client, Mask(), {}, []

    def remember(self, call, answer):
        body = answer.body
        if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict):
            return
        metadata = body["metadata"]
        if call.save and isinstance(body.get("status"), dict) and body["status"].get("token"):
            self.memory[f"token:{call.save}"] = body["status"]["token"]
        names = [call.save] if call.save else []
        if metadata.get("name") and answer.status < 300 and "dryRun" not in call.query:
            path = call.path.removesuffix("/status")
            names.append(path if path.endswith("/" + metadata["name"]) else f"{path}/{metadata['name']}")
        for name in names:
            for key, field in (("rv", "resourceVersion"), ("uid", "uid"), ("name", "name"), ("continue", "continue")):
                if metadata.get(field):
                    self.memory[f"{key}:{name}"] = metadata[field]

    def ask(self, call):
        self.client.send(call.method, call.target(self.memory), call.headers(self.memory), call.text(self.memory))

    def hear(self, call):
        answer = self.client.receive()
        self.remember(call, answer)
        masked = self.mask.body(answer.body) if isinstance(answer.body, dict) else answer.body
        out = {"code": answer.status, "body": masked if call.accept != "text/html" and isinstance(masked, dict) else type(masked).__name__}
        if answer.headers.get("Retry-After"):
            out["retryAfter"] = answer.headers["Retry-After"]
        return out, answer

    def wait(self, call):
        """For a definition to be established and its resource to be served, or for it to be gone."""
        answer = None
        for _ in range(100):
            answer = self.client.call("GET", call.target(self.memory), call.headers(self.memory))
            if answer.status == 404:
                break
            if call.method == "GONE":
                time.sleep(0.05)
                continue
            conditions = {c["type"]: c["status"] for c in (answer.body.get("status") or {}).get("conditions") or []}
            spec = answer.body["spec"]
            if conditions.get("Established") == "True":
                if self.client.call("GET", f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}", call.headers(self.memory)).status == 200:
                    break
            time.sleep(0.05)
        return {"code": answer.status}, answer

    def repeat(self, call):
        for _ in range(200):
            self.ask(call)
            if self.client.receive().status == call.until:
                return
            time.sleep(0.1)

    def open(self, call):
        target = call.target(self.memory)
        if not call.live and "timeoutSeconds" not in call.query:
            target += f"&timeoutSeconds={WATCH_SECONDS}"
        self.watches.append((call, self.client.watch(target, call.headers(self.memory))))

    def sequence(self, watch):
        if watch.status != 200:
            try:
                body = json.loads(watch.refusal)
            except (ValueError, AttributeError):
                body = None
            return {"code": watch.status, "body": self.mask.body(body)}
        events = []
        for event in watch.events:
            item = event.get("object", {})
            if event.get("type") == "BOOKMARK":
                annotations = item.get("metadata", {}).get("annotations") or {}
                if "k8s.io/initial-events-end" not in annotations:
                    continue
                item = {"kind": item.get("kind"), "annotations": annotations}
            events.append({"type": event.get("type"), "object": self.mask.body(item)})
        return {"code": 200, "events": events}


class Tally:
    def __init__(self, known):
        self.known, self.calls, self.failed, self.shown, self.fleeting = known, 0, 0, 0, 0
        self.signatures = collections.Counter()
        self.by_scene = collections.Counter()
        self.lock = threading.Lock()

    def count(self, scene):
        with self.lock:
            self.calls += 1
            self.by_scene[scene.name] += 1

    def unlisted(self, call, found):
        rest = []
        for difference in found:
            entry = next((k for k in self.known if k.call.fullmatch(call.name()) and k.where.fullmatch(difference[0])), None)
            if entry:
                entry.count += 1
            else:
                rest.append(difference)
        return rest

    def show(self, *args):
        with self.lock:
            self.show_one(*args)

    def show_one(self, scene, call, found, real, ours, request):
        self.failed += 1
        path = re.sub(r"j?\d+", "N", call.path)
        wheres = sorted({re.sub(r"\[\d+\]", "[]", where) for where, _, _ in found})
        signature = f"{scene.name} {call.method} {path} {' '.join(wheres)[:160]}"
        self.signatures[signature] += 1
        if self.signatures[signature] > 1 or self.shown >= SHOWN:
            return
        self.shown += 1
        print(f"\n--- scene {scene.name} {scene.label}: {call.name()}")
        if request:
            print(f"    body {request[:1500]}")
        for where, a, b in found[:8]:
            print(f"    {where}: real {brief(a)}, embedded {brief(b)}")
        for name, answer in (("real", real), ("embedded", ours)):
            if found[0][0] == ".code" and answer is not None:
                print(f"    {name}: {brief(answer, 700)}")


def brief(value, most=160):
    text = value if isinstance(value, str) else json.dumps(value, default=repr)
    return text if len(text) <= most else text[:most] + "…"


def play(scene, clients, tally, keep_going):
    """What differed is left in scene.reports."""
    scene.reports = []
    players = [Player(client) for client in clients]
    for call in scene.calls:
        if isinstance(call, WatchCall):
            for player in players if call.live else []:
                player.open(call)
            continue
        scene.current = call
        if call.method == "PAUSE":
            time.sleep(PAUSE_SECONDS)
            continue
        if call.until is not None:
            for player in players:
                player.repeat(call)
            continue
        if call.method in ("WAIT", "GONE"):
            answers = [player.wait(call) for player in players]
        else:
            tally.count(scene)
            for player in players:
                player.ask(call)
            answers = [player.hear(call) for player in players]
        found = tally.unlisted(call, differences(answers[0][0], answers[1][0]))
        if found:
            scene.reports.append((call, found, answers[0][1].text, answers[1][1].text, call.text(players[1].memory)))
            if not keep_going:
                break
    else:
        finish_watches(scene, players, tally)
    for player in players:
        for _, watch in player.watches:
            watch.close()


def finish_watches(scene, players, tally):
    late = [call for call in scene.calls if isinstance(call, WatchCall) and not call.live]
    for call in late:
        for player in players:
            player.open(call)
    for player in players:
        for call, watch in player.watches:
            if call.live:
                watch.wait_quiet(0.3)
            else:
                watch.wait_end(WATCH_SECONDS + 2)
    for pair in zip(*(player.watches for player in players)):
        call = pair[0][0]
        tally.count(scene)
        if call.live:  # on a busy machine one of them may be late
            for _ in range(30):
                if len({len(watch.events) for _, watch in pair}) == 1:
                    break
                time.sleep(0.1)
        sequences = [player.sequence(watch) for player, (_, watch) in zip(players, pair)]
        found = tally.unlisted(call, differences(*sequences))
        if found:
            texts = [json.dumps([event.get("type") for event in watch.events]) if watch.status == 200 else watch.refusal for _, watch in pair]
            scene.reports.append((call, found, *texts, f"events: real {texts[0]} embedded {texts[1]}"))
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedded", required=True, help="the program embedded-apiserver")
    parser.add_argument("--programs", required=True, help="where etcd and kube-apiserver were built")
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--seconds", type=int, default=3600, help="ends early after so long")
    parser.add_argument("--seed", default="1", help="one or several, with commas; `random` is one that is drawn and printed")
    parser.add_argument("--players", type=int, default=12, help="scenes at a time")
    parser.add_argument("--scene", help="only scenes of this name")
    parser.add_argument("--number", type=int, help="only the scene of this number")
    parser.add_argument("--tamp", help="not used: every judge is given it")
    parser.add_argument("--all", action="store_true", help="play on after a difference")
    parser.add_argument("--real", help="HOST:PORT:CA of a real server that runs already")
    args = parser.parse_args()
    known = read_known(DOCUMENT)
    tally = Tally(known)
    begin = time.monotonic()
    with EmbeddedServer(args.embedded, USERS) as embedded:
        if args.real:
            host, port, authority = args.real.split(":")
            run(args, tally, (host, int(port), authority), embedded)
        else:
            with RealServer(args.programs) as real:
                begin = time.monotonic()
                run(args, tally, real.address, embedded)
    seconds = time.monotonic() - begin
    if tally.signatures:
        print(f"\n{len(tally.signatures)} kinds of differences:")
        for signature, count in tally.signatures.most_common(100):
            print(f"  {count:4} {signature}")
    for entry in known:
        print(f"known, seen {entry.count} times: {entry.reason[:100]}")
    print(f"{tally.calls} calls in {seconds:.0f} s, {tally.calls / seconds:.0f} a second; " + ", ".join(f"{name} {count}" for name, count in sorted(tally.by_scene.items())))
    print(f"{tally.fleeting} scenes differed once and not again")
    print(f"{tally.calls - tally.failed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


class Script:
    """The scenes of the seeds, one after the other, for whoever is free. A scene is a function of its seed and number."""

    def __init__(self, args, tally):
        self.args, self.tally, self.lock = args, tally, threading.Lock()
        self.seeds = [str(random.SystemRandom().randrange(10**6)) if seed == "random" else seed for seed in args.seed.split(",")]
        # On a server that is used again names must not come twice.
        self.base = int(time.time()) % 1000000 * 10000 if args.real else 0
        self.end = time.monotonic() + args.seconds
        self.number = 0

    def again(self, scene, attempt):
        """The same scene under names that were not used yet."""
        seed, number, place = scene.source
        return self.write(seed, number, place + attempt * 1000000)

    def write(self, seed, number, place):
        scene = scenes.write(self.base + place + 1, random.Random(f"{seed}:{number}"), self.args.scene)
        scene.label = f"--seed {seed} --number {number}" + (f" --scene {self.args.scene}" if self.args.scene else "")
        scene.source = seed, number, place
        return scene

    def next(self):
        with self.lock:
            args, place = self.args, self.number
            self.number += 1
            if args.number and place >= len(self.seeds) or self.tally.calls >= args.calls or time.monotonic() > self.end:
                return None
            seed, number = self.seeds[place % len(self.seeds)], args.number or place // len(self.seeds) + 1
        return self.write(seed, number, place)


def run(args, tally, real, embedded):
    script = Script(args, tally)
    print(f"seeds {', '.join(script.seeds)}", flush=True)
    players = [threading.Thread(target=play_all, args=(args, script, tally, real, embedded)) for _ in range(1 if args.number else args.players)]
    for player in players:
        player.start()
    for player in players:
        player.join()


def lasts(scene, script, clients, tally, args):
    """Whether a difference comes again. What does not was a matter of time: two writes fell into one second for one server and
    into two for the other, or a cache had not heard yet. It is counted."""
    for attempt in range(1, 1 + TRIES):
        again = script.again(scene, attempt)
        play(again, clients, tally, args.all)
        if not again.reports:
            with tally.lock:
                tally.fleeting += 1
                call, found = scene.reports[0][:2]
                print(f"once, and not again: scene {scene.name} {scene.label}: {call.name()} {found[0][0]}: real {brief(found[0][1], 60)}, embedded {brief(found[0][2], 60)}")
            return False
    return True


def play_all(args, script, tally, real, embedded):
    clients = [Client(*real), Client(*embedded.address)]
    while scene := script.next():
        try:
            play(scene, clients, tally, args.all)
            if scene.reports and not lasts(scene, script, clients, tally, args):
                continue
            for report in scene.reports:
                tally.show(scene, *report)
        except (OSError, http.client.HTTPException) as problem:
            broken = [(".connection", "broken off" if clients[0].broke_off else "answered", "broken off" if clients[1].broke_off else "answered")]
            with tally.lock:
                if clients[0].broke_off and embedded.alive() and not tally.unlisted(scene.current, broken):
                    clients = [Client(*real), Client(*embedded.address)]
                    continue
                tally.failed += 1
                print(f"\n--- scene {scene.name} {scene.label}: {problem!r} at {scene.current.name()}\n    body {brief(scene.current.body, 1500)}")
                if not embedded.alive():
                    print("    the embedded server died: " + " | ".join((embedded.directory / "log").read_text().splitlines()[-40:])[:3000])
                    embedded.__exit__()
                    embedded.__enter__()
            clients = [Client(*real), Client(*embedded.address)]


if __name__ == "__main__":
    sys.exit(main())
