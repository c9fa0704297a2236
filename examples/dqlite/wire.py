"""A minimal client of dqlite. Its wire protocol consists of little-endian words of 8 bytes.

A message is a header (the number of words in the body, the type, two fields that are 0 here) and a body. A text ends
with a zero byte and is padded to whole words. dqlite answers each request with one message, or with several if there
are many rows.
"""
import socket
import struct

PROTOCOL = 1
LEADER, OPEN, EXEC_SQL, QUERY_SQL, ADD, ASSIGN = 0, 3, 8, 9, 12, 13   # requests
FAILURE, SERVER, DB, RESULT, ROWS, EMPTY = 0, 1, 4, 6, 7, 8           # answers
INTEGER, FLOAT, TEXT, BLOB, NULL = 1, 2, 3, 4, 5                      # types of values
MORE_ROWS, NO_MORE_ROWS = 0xEEEEEEEEEEEEEEEE, 0xFFFFFFFFFFFFFFFF
VOTER = 0
BUSY, NOT_LEADER, LEADERSHIP_LOST = 5, 10250, 10506                   # SQLite's code, and those of dqlite


class DqliteError(Exception):
    """The node answered that the request failed."""


class TryAgain(Exception):
    """The node is busy, is not the leader, or has died. Repeat the request to the current leader."""


def word(number):
    return struct.pack("<Q", number)


def padded(data):
    return data + bytes(-len(data) % 8)


def text(string):
    return padded(string.encode() + b"\0")


def parameters(values):
    """The encoded parameters of a statement: their number, their types, their values."""
    if not values:
        return b""
    return padded(bytes([len(values), *[TEXT] * len(values)])) + b"".join(text(str(value)) for value in values)


class Body:
    """Decodes an answer field by field."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, size):
        start, self.at = self.at, self.at + size + -size % 8
        return self.data[start:start + size]

    def word(self):
        return struct.unpack("<Q", self.bytes(8))[0]

    def text(self):
        return self.bytes(self.data.index(b"\0", self.at) + 1 - self.at)[:-1].decode()

    def value(self, kind):
        if kind == TEXT:
            return self.text()
        if kind == BLOB:
            return self.bytes(self.word())
        raw = self.bytes(8)
        return {INTEGER: "<q", FLOAT: "<d"}.get(kind) and struct.unpack({INTEGER: "<q", FLOAT: "<d"}[kind], raw)[0]

    def row(self, columns):
        """The next row, or None at the end of this message. A row starts with its types, four bits each."""
        if self.data[self.at:self.at + 8] in (word(MORE_ROWS), word(NO_MORE_ROWS)):
            return None
        types = self.bytes((columns + 1) // 2)
        return tuple(self.value(types[i // 2] >> 4 * (i % 2) & 15) for i in range(columns))


class Client:
    """A connection to one node. Only the leader executes statements."""

    def __init__(self, address, database=None, timeout=600):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout)
        self.socket.sendall(word(PROTOCOL))
        self.database = 0
        if database is not None:
            answer = self.ask(OPEN, text(database) + word(0) + text(""), DB)
            self.database = answer.word() & 0xFFFFFFFF

    def close(self):
        self.socket.close()

    def send(self, kind, body):
        self.socket.sendall(struct.pack("<IBBH", len(body) // 8, kind, 0, 0) + body)

    def receive(self, wanted):
        words, kind, _, _ = struct.unpack("<IBBH", self.read(8))
        body = Body(self.read(8 * words))
        if kind == FAILURE:
            code = body.word()
            raise (TryAgain if code in (BUSY, NOT_LEADER, LEADERSHIP_LOST) else DqliteError)(f"{code}: {body.text()}")
        if kind != wanted:
            raise DqliteError(f"answer must be of type {wanted}, got {kind}")
        return body

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise TryAgain("the node closed the connection")
            data += more
        return data

    def ask(self, kind, body, wanted):
        self.send(kind, body)
        return self.receive(wanted)

    def leader(self):
        """(id, address) of the leader that this node knows; the address is empty if there is none."""
        answer = self.ask(LEADER, word(0), SERVER)
        return answer.word(), answer.text()

    def add(self, node, address):
        """Adds the node to the cluster as a voter."""
        self.ask(ADD, word(node) + text(address), EMPTY)
        self.ask(ASSIGN, word(node) + word(VOTER), EMPTY)

    def send_execute(self, sql, *values):
        """Sends a statement without waiting for the answer."""
        self.send(EXEC_SQL, word(self.database) + text(sql) + parameters(values))

    def execute(self, sql, *values):
        """Executes a statement and returns the number of changed rows. By then, a majority of the nodes has them."""
        self.send_execute(sql, *values)
        answer = self.receive(RESULT)
        answer.word()
        return answer.word()

    def query(self, sql, *values):
        """The rows of a SELECT."""
        self.send(QUERY_SQL, word(self.database) + text(sql) + parameters(values))
        rows = []
        while True:
            answer = self.receive(ROWS)
            columns = answer.word()
            for _ in range(columns):
                answer.text()
            while (row := answer.row(columns)) is not None:
                rows.append(row)
            if answer.word() == NO_MORE_ROWS:
                return rows
