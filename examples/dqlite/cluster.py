"""Three dqlite nodes on the loopback, and a session with whichever leads."""
import socket
import subprocess
import time

from wire import Client, TryAgain

NODES = (1, 2, 3)
DATABASE = "example.db"


def try_until_it_works(action, seconds=600):
    """What the action returns: nodes take a moment to start, and to agree on a leader."""
    end = time.monotonic() + seconds
    while True:
        try:
            return action()
        except (OSError, TryAgain):
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def free_addresses(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = ["127.0.0.1:%d" % each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return addresses


class Cluster:
    """The nodes' processes; each has an address and a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.addresses = dict(zip(NODES, free_addresses(len(NODES))))
        self.processes = {}

    def __enter__(self):
        for node in NODES:
            self.start(node)
        leader = Client(self.addresses[1])  # the first node is a cluster of one, and leads it
        for node in NODES[1:]:
            try_until_it_works(lambda: leader.add(node, self.addresses[node]))
        leader.close()
        return self

    def __exit__(self, *_):
        for node in list(self.processes):
            self.kill(node)

    def start(self, node):
        folder = self.folder / str(node)
        folder.mkdir(exist_ok=True)
        self.processes[node] = subprocess.Popen([self.program, str(node), self.addresses[node], folder])
        try_until_it_works(lambda: Client(self.addresses[node]).close())

    def kill(self, node):
        process = self.processes.pop(node)
        process.kill()  # SIGKILL
        process.wait()

    def leader(self):
        """Waits until a running node takes a running node for the leader."""

        def ask():
            for node, process in self.processes.items():
                if process.poll() is not None:
                    raise RuntimeError(f"node {node} must be running, but ended with {process.returncode}")
                client = Client(self.addresses[node])
                leader, _ = client.leader()
                client.close()
                if leader in self.processes:
                    return leader
            raise TryAgain("no node leads")

        return try_until_it_works(ask)


class Session:
    """Sends each statement to the leader, and again if no answer came. Then it may have been carried out twice, which
    changes nothing in a filter.
    """

    def __init__(self, cluster):
        self.cluster, self.client = cluster, None

    def connect(self):
        if self.client is None:
            self.client = Client(self.cluster.addresses[self.cluster.leader()], DATABASE)
        return self.client

    def close(self):
        if self.client is not None:
            self.client.close()
        self.client = None

    def _try(self, call, *arguments):
        def attempt():
            try:
                return call(self.connect(), *arguments)
            except (OSError, TryAgain):
                self.close()
                raise

        return try_until_it_works(attempt)

    def execute(self, sql, *values):
        return self._try(Client.execute, sql, *values)

    def query(self, sql, *values):
        return self._try(Client.query, sql, *values)
