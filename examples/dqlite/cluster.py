"""Three dqlite nodes on the loopback interface, and a session with the current leader."""
import socket
import subprocess
import time

from wire import Client, TryAgain

NODES = (1, 2, 3)
DATABASE = "example.db"


def try_until_it_works(action, seconds=600):
    """Repeats the action until it succeeds, and returns its result. Nodes need time to start and to elect a leader."""
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
    """The processes of the nodes. Each node has its own address and folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.addresses = dict(zip(NODES, free_addresses(len(NODES))))
        self.processes = {}

    def __enter__(self):
        for node in NODES:
            self.start(node)
        leader = Client(self.addresses[1])  # the first node starts as a cluster of one, which it leads
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
        """Waits until a running node reports a running leader, and returns the leader."""

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
    """Sends each statement to the leader, and repeats it if there is no answer. The statement may then run twice, which
    does not change a filter.
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
