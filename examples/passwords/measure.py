"""What a program takes: processor time, and the most memory that it had at once.

The clock would count what else the machine does, and, while a list is read from a pipe, the program that makes the list.
"""
import contextlib
import os
import resource
import signal
import subprocess
import tempfile
from dataclasses import dataclass


class Failure(Exception):
    """What a user is told instead of a report."""


@dataclass
class Took:
    seconds: float  # of all its threads, in the program and in the system
    peak_bytes: int

    def __add__(self, other):
        return Took(self.seconds + other.seconds, max(self.peak_bytes, other.peak_bytes))


def floor_bytes():
    """The least peak_bytes that mean anything: Linux counts for a new process what the one had that started it."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@contextlib.contextmanager
def uninterrupted():
    """Puts off the signals that end the demo: one that came while a program is started would leave that behind."""
    came = []
    handlers = {number: signal.signal(number, lambda number, _frame: came.append(number))
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number in came:
        signal.raise_signal(number)


def run(command, source=subprocess.DEVNULL, output=subprocess.DEVNULL, fine=(0,), environment=None):
    """Runs a command from its start to its end. `source` is a file that it reads, or a command whose output it reads;
    `fine` has the exit codes that are no failure, `environment` what it gets beside the user's."""
    children = []
    try:
        if isinstance(source, list):
            with uninterrupted():
                children.append(subprocess.Popen(source, stdout=subprocess.PIPE))
            source = children[0].stdout
        with tempfile.TemporaryFile() as errors:
            with uninterrupted():
                process = subprocess.Popen(command, stdin=source, stdout=output, stderr=errors,
                                           env={**os.environ, **(environment or {})})
                children.append(process)
            if len(children) > 1:
                source.close()  # or the source would never learn that nobody reads any more
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in fine:
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip()
                raise Failure(f"{os.path.basename(command[0])} ended with {process.returncode}: {said}")
        if children[0].wait() not in (0, *fine):
            raise Failure(f"{os.path.basename(children[0].args[0])} ended with {children[0].returncode}")
    finally:
        for child in children:  # they live on only after an interruption or a failure
            if child.returncode is None:
                child.kill()
                child.wait()
    return Took(used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)
