"""The real side of the judge: etcd and kube-apiserver alone. No controller, scheduler or kubelet interferes, so that what a script
does is all that happens."""
import json
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "e2e" / "controlplane"))
from controlplane import ControlPlane  # noqa: E402

# Users of the scripts: token, name, uid, groups. The embedded server is given the same.
USERS = [
    ("judge-admin-token", "judge-admin", "1", ["system:masters"]),
    ("judge-alice-token", "alice", "2", ["developers"]),
    ("judge-bob-token", "bob", "3", []),
]


class RealServer(ControlPlane):
    def __init__(self, programs):
        memory = pathlib.Path("/dev/shm")
        directory = pathlib.Path(tempfile.mkdtemp(prefix="tamp-judge-", dir=memory if memory.is_dir() else None))
        tokens = directory / "tokens.csv"
        tokens.write_text("".join(",".join([token, name, uid, *([f'"{",".join(groups)}"'] if groups else [])]) + "\n" for token, name, uid, groups in USERS))
        super().__init__(programs, directory, apiserver_flags=[
            f"--token-auth-file={tokens}",
            # Every script is one busy client; fairness would only slow it down.
            "--enable-priority-and-fairness=false", "--audit-policy-file=", "--audit-log-path=",
        ])

    def start(self):
        for name in ("logs", "etcd", "pki"):
            (self.directory / name).mkdir(parents=True, exist_ok=True)
        self.prepare_files()
        self.add_processes()
        self.up("etcd")
        self.up("kube-apiserver")

    def stop(self):
        super().stop()
        shutil.rmtree(self.directory, ignore_errors=True)  # where there is /dev/shm, it holds memory

    @property
    def address(self):
        return "127.0.0.1", self.port["apiserver"], str(self.authority.certificate)


if __name__ == "__main__":  # real.py PROGRAMS: runs one until it is interrupted
    with RealServer(sys.argv[1]) as server:
        print(json.dumps({"server": server.server, "directory": str(server.directory)}), flush=True)
        server.ended.wait()
