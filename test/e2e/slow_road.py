"""A way to the API server that is slow in one direction: what a client sends arrives so many seconds later, what it is told at once. A run that
stores its phase and goes on stays in that phase for as long, also where there is nothing to wait for: time to look, and to kill it there."""

import contextlib
import json
import pathlib
import queue
import socket
import threading
import time
import urllib.parse


class SlowRoad:
    def __init__(self, seconds):
        self.seconds = seconds
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.server = None

    def lead(self, kubeconfig):
        """A copy of the kubeconfig that goes this way; its path."""
        path = pathlib.Path(kubeconfig)
        config = json.loads(path.read_text())
        cluster = config["clusters"][0]["cluster"]
        address = urllib.parse.urlparse(cluster["server"])
        if self.server is None:
            self.server = address.hostname, address.port
            threading.Thread(target=self.accept, daemon=True).start()
        cluster["server"] = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        slow = path.with_suffix(".slow")
        slow.write_text(json.dumps(config))
        return str(slow)

    def accept(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(self.server)
                for end in (client, server):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                late = queue.SimpleQueue()
                threading.Thread(target=self.read, args=(client, late), daemon=True).start()
                threading.Thread(target=self.write_late, args=(late, server), daemon=True).start()
                threading.Thread(target=self.pass_on, args=(server, client), daemon=True).start()

    def read(self, client, late):
        data = b"x"
        while data:
            try:
                data = client.recv(65536)
            except OSError:
                data = b""
            late.put((time.monotonic() + self.seconds, data))

    @staticmethod
    def write_late(late, server):
        with contextlib.suppress(OSError):
            while True:
                due, data = late.get()
                time.sleep(max(0, due - time.monotonic()))
                if not data:
                    break
                server.sendall(data)
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def pass_on(server, client):
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self):
        self.listener.close()
