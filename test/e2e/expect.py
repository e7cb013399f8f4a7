"""What the tests here expect: checks and stories that are counted, programs that succeed, conditions that come true."""

import os
import subprocess
import sys
import time
import traceback

passed = failed = 0


def check(name, good, text=""):
    """Says what is wrong, and goes on."""
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name}\n{text}", flush=True)


def equal(name, got, wanted):
    check(name, got == wanted, f"got {got!r}, wanted {wanted!r}")


def story(name, tell):
    """One check: it is told to its end. Whatever is wrong, the others are still to be told."""
    begin = time.monotonic()
    try:
        tell()
    except Exception:
        check(name, False, traceback.format_exc())
    else:
        check(name, True)
        print(f"ok {name} ({time.monotonic() - begin:.1f} s)", flush=True)


def count():
    """The last line of every test (run.py), and its exit status."""
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def command(*words, data=None, **more):
    """Whether it succeeded, and all that it printed."""
    done = subprocess.run(list(map(str, words)), input=data, capture_output=True, text=True, **more)
    return done.returncode == 0, done.stdout + done.stderr


def must(*words, **more):
    good, text = command(*words, **more)
    if not good:
        raise AssertionError(f"{' '.join(map(str, words))}: {text}")
    return text


def kubectl(*words, **more):
    return must("kubectl", *words, **more)


def control(*words):
    """One command for the control plane; see controlplane.py."""
    return must(sys.executable, os.environ["TAMP_E2E_CONTROLPLANE"], *words, os.environ["TAMP_E2E_DIRECTORY"]).strip()


def wait_until(what, ask, seconds=30):
    """What it answered."""
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"still not after {seconds} s: {what}")
        time.sleep(0.2)
