"""Measures a program: its CPU time, and its peak memory.

Wall-clock time would include the machine's other work, and the program that writes the list into the pipe.
"""
import contextlib
import os
import resource
import signal
import subprocess
import tempfile
from dataclasses import dataclass


class Failure(Exception):
    """An error that ends the demo; the message is printed instead of a report."""


@dataclass
class Took:
    seconds: float  # user and system time of all threads
    peak_bytes: int

    def __add__(self, other):
        return Took(self.seconds + other.seconds, max(self.peak_bytes, other.peak_bytes))


def floor_bytes():
    """The smallest meaningful peak_bytes: in Linux, a new process starts with the peak of its parent."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@contextlib.contextmanager
def uninterrupted():
    """Defers the signals that end the demo. Otherwise a signal during a program's start could leave it running."""
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
    """Runs a command and waits for it. `source` is a file to read, or a command whose output it reads. `fine` contains
    the exit codes of success, `environment` additional variables."""
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
                source.close()  # otherwise the source would not get SIGPIPE when the reader ends
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in fine:
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip()
                raise Failure(f"{os.path.basename(command[0])} ended with {process.returncode}: {said}")
        if children[0].wait() not in (0, *fine):
            raise Failure(f"{os.path.basename(children[0].args[0])} ended with {children[0].returncode}")
    finally:
        for child in children:  # still running only after an interruption or a failure
            if child.returncode is None:
                child.kill()
                child.wait()
    return Took(used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)
