"""HTTP to one of the two servers: calls on a connection that is kept, and watches."""
import http.client
import json
import socket
import ssl
import threading


class Answer:
    def __init__(self, status, headers, text):
        self.status, self.headers, self.text = status, headers, text
        try:
            self.body = json.loads(text) if text else None
        except ValueError:
            self.body = text


class Client:
    """One server, as all of its users. Not thread-safe; watches are."""

    def __init__(self, host, port, authority):
        self.host, self.port = host, port
        self.tls = ssl.create_default_context(cafile=authority)
        self.tls.check_hostname = False
        self.connection = None
        self.broke_off = False  # no answer, also when asked again

    def connect(self, timeout=60):
        connection = http.client.HTTPSConnection(self.host, self.port, context=self.tls, timeout=timeout)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def send(self, method, target, headers, body=None):
        """The other server can be asked before this one's answer is read by receive()."""
        data = body.encode() if body is not None else None
        self.asked = method, target, data, headers
        try:
            if self.connection is None:
                self.connection = self.connect()
            self.connection.request(*self.asked)
        except (http.client.HTTPException, OSError):
            self.hang_up()

    def receive(self):
        for attempt in (0, 1):
            try:
                if self.connection is None:
                    self.connection = self.connect()
                    self.connection.request(*self.asked)
                answer = self.connection.getresponse()
                return Answer(answer.status, answer.headers, answer.read().decode(errors="replace"))
            except (http.client.HTTPException, OSError):
                self.hang_up()
                if attempt:
                    self.broke_off = True
                    raise

    def hang_up(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def call(self, method, target, headers, body=None):
        self.send(method, target, headers, body)
        return self.receive()

    def watch(self, target, headers):
        return Watch(self.connect(), target, headers)


class Watch:
    """Collects the events of a watch on a thread of its own until it ends or is closed."""

    def __init__(self, connection, target, headers):
        self.connection, self.sock = connection, connection.sock
        self.events = []
        self.changed = threading.Condition()
        self.ended = False
        connection.request("GET", target, None, headers)
        self.response = connection.getresponse()
        self.status = self.response.status
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            if self.status != 200:
                self.refusal = self.response.read().decode(errors="replace")
            else:
                for line in self.response:
                    if line.strip():
                        with self.changed:
                            self.events.append(json.loads(line))
                            self.changed.notify_all()
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            pass
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait_end(self, most):
        with self.changed:
            self.changed.wait_for(lambda: self.ended, most)

    def wait_quiet(self, quiet):
        """Until nothing has come for so many seconds."""
        with self.changed:
            while not self.ended:
                count = len(self.events)
                if not self.changed.wait_for(lambda: self.ended or len(self.events) > count, quiet):
                    return

    def close(self):
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(5)
        self.connection.close()
