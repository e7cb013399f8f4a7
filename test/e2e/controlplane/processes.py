"""Child processes that cannot outlive their parent, that can be killed, frozen and started again, and whose output is kept."""

import ctypes
import os
import signal
import socket
import subprocess
import time

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def dies_with_parent():
    """For Popen's preexec_fn. The kernel kills the child when the thread that started it ends."""
    parent = os.getpid()

    def in_child():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return in_child


class Process:
    """One program. `ready` says whether it can be used; it is asked until it says yes."""

    def __init__(self, name, command, log, ready, environment=None):
        self.name, self.command, self.log, self.ready = name, [str(c) for c in command], log, ready
        self.environment = {**os.environ, **(environment or {})}
        self.child = None
        self.frozen = False

    def start(self):
        """The thread that calls this must live as long as the process: the kernel kills the process when it ends."""
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                                          start_new_session=True, preexec_fn=dies_with_parent())
        self.frozen = False

    def running(self):
        return self.child is not None and self.child.poll() is None

    def wait_ready(self, seconds=180):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.running():
                break
            if self.ready():
                return
            time.sleep(0.05)
        what = "is not ready" if self.running() else f"ended with status {self.child.returncode}"
        raise RuntimeError(f"{self.name} {what}:\n{self.last_lines()}")

    def last_lines(self, count=15):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-count:])

    def send(self, number):
        if not self.running():
            raise RuntimeError(f"{self.name} is not running")
        os.killpg(self.child.pid, number)

    def freeze(self):
        self.send(signal.SIGSTOP)
        self.frozen = True

    def thaw(self):
        self.send(signal.SIGCONT)
        self.frozen = False

    def kill(self, number=signal.SIGKILL):
        if self.running():
            os.killpg(self.child.pid, number)
            if self.frozen:
                os.killpg(self.child.pid, signal.SIGCONT)
            self.child.wait()
        self.frozen = False

    def state(self):
        if not self.running():
            return "stopped" if self.child is None else f"ended with status {self.child.returncode}"
        return f"{'frozen' if self.frozen else 'running'}, pid {self.child.pid}"
