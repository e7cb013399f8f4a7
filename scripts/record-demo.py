#!/usr/bin/env python3
"""record-demo.py TAMP [ARGS…]: runs `tamp demo ARGS…` in a terminal of its own and prints pictures of its screen, one every SECONDS
for FRAMES times, with a form feed between two: what ansi2svg.py draws as one moving picture. After the first it approves the plan, if there is one."""
import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HOME = b"\x1b[H"


def screens(program, args, columns, rows, seconds, frames):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    with tempfile.TemporaryDirectory() as directory:
        child = subprocess.Popen([os.path.abspath(program), "demo", "--kubeconfig", "demo.kubeconfig", *args], stdin=slave, stdout=slave,
                                 stderr=subprocess.DEVNULL, cwd=directory, env={**os.environ, "TMPDIR": ".", "TERM": "xterm", "COLUMNS": str(columns)})
        os.close(slave)
        data, taken, due = b"", [], None
        while len(taken) < frames:
            if select.select([master], [], [], 0.1)[0]:
                data += os.read(master, 65536)
            *_, whole, rest = [b"", b"", *data.split(HOME)]
            if not whole:
                continue
            due = due or time.monotonic() + seconds
            if time.monotonic() >= due:
                taken.append(whole.decode(errors="replace"))
                if len(taken) == 1 and (plan := re.search(r"tamp approve ([0-9a-f]{12})", taken[0])):
                    subprocess.run([os.path.abspath(program), "approve", plan[1], "--kubeconfig", "demo.kubeconfig"], cwd=directory,
                                   stdout=subprocess.DEVNULL, check=False)
                due += seconds
                data = HOME + rest
        child.send_signal(signal.SIGINT)
        time.sleep(0.2)
        os.set_blocking(master, False)
        try:
            while os.read(master, 65536):
                pass
        except OSError:
            pass
        child.wait(10)
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--rows", type=int, default=38)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--frames", type=int, default=10)
    parser.add_argument("program")
    args, rest = parser.parse_known_args()
    pictures = []
    for screen in screens(args.program, rest, args.columns, args.rows, args.seconds, args.frames):
        lines = [re.sub(r"\x1b\[[0-9;?]*[A-LN-Za-ln-z]", "", line).rstrip() for line in screen.replace("\r", "").split("\n")]
        text = re.sub(r"\./tamp-demo-\d+", "./tamp-demo", "\n".join(lines).rstrip())
        pictures.append(text)
    sys.stdout.write("\f".join(pictures))


if __name__ == "__main__":
    main()
