#!/usr/bin/env python3
"""Types lines with a tab into a real shell, and checks the words with which the shell then starts the tool.

usage: complete.py bash|zsh CRIVO COMPLETION_FILE

The expected completions come from the tool's --help, not from the source of the completion file: each option of each
command, each kind with each of its options, and files.
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
# A function replaces the tool, and prints its arguments.
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "bind 'set bell-style none'; source {library}; source {file}\n"),
    "zsh": (["zsh", "-f", "-i"],
            "autoload -Uz compinit; fpath=({folder} $fpath); compinit -u -D; unsetopt beep list_beep\n"),
}
FUNCTION = "crivo() {{ printf '<%s>' \"$@\"; printf '\\n'; }}; PS1=; stty -echo\n"


def shown_by(crivo, *command):
    return subprocess.run([crivo, *command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def options_of(crivo, *command):
    """The long options in a command's --help, except options that are only mentioned."""
    lines = [line for line in shown_by(crivo, *command).splitlines() if re.match(r" +-", line)]
    return sorted({name for line in lines for name in re.findall(r"--[a-z-]+", line.strip().split("  ")[0])})


def subcommands_of(crivo, *command):
    listed = re.split(r"(?i)^subcommands:\n", shown_by(crivo, *command), flags=re.MULTILINE)
    return re.findall(r"^  ([a-z]+)", listed[1], re.MULTILINE) if len(listed) > 1 else []


def kinds_of(crivo):
    """The names in "One of a, b, c[:option: 4, 8 or 16], d[:growth: 2 to 16], e[:length: a power of two up to 2^31]",
    each with its options."""
    text = " ".join(shown_by(crivo, "build").split())
    listed = re.search(r"One of (\w+(?:\[.*?\])?(?:, \w+(?:\[.*?\])?)*)", text)[1]
    for name, option in re.findall(r"(\w+)(?:\[:([^\]]*)\])?", listed):
        yield name
        numbers = [int(number) for number in re.findall(r"\d+", option)]
        if "a power of two up to" in option:
            numbers = [2**power for power in range(numbers[1] + 1)]
        elif " to " in option:
            numbers = range(numbers[0], numbers[1] + 1)
        for number in numbers:
            yield f"{name}:{number}"


def typed(word, words):
    """The shortest prefix of a word that no other word has, or None if the word is a prefix of another. The words do
    not include short options, which begin with one dash."""
    others = [other for other in words if other != word]
    return next((word[:end] for end in range(3 if word.startswith("--") else 1, len(word)) if
                 not any(other.startswith(word[:end]) for other in others)), None)


def cases(crivo):
    """Yields (words before, typed text, expected result)."""
    top = subcommands_of(crivo)
    for command in top:
        yield [], typed(command, top), command
    nested = [["sst", name] for name in subcommands_of(crivo, "sst")] if "crivo sst" in shown_by(crivo, "sst") else []
    for _, name in nested:
        yield ["sst"], typed(name, [other for _, other in nested]), name
    for command in [*([name] for name in top if name != "sst"), *nested]:
        options = options_of(crivo, *command)
        for option in options:
            yield command, typed(option, options), option
    kinds = list(kinds_of(crivo))
    for kind in kinds:
        yield ["build", "--kind"], typed(kind, kinds), kind
    yield ["build"], "some", "some_keys"
    yield ["build", "-o"], "some", "some_keys"
    yield ["build", "--output"], "some", "some_keys"
    for command in ("add", "union", "query", "info", "verify"):
        yield [command], "some", "some_keys"
    for command in top:
        yield ["help"], typed(command, top), command
    for _, name in nested:
        yield ["sst", name], "a_f", "a_folder"


def answers(shell, file, lines, folder):
    """The lines that the shell prints, each of which starts the tool."""
    command, start = START[shell]
    start = start.format(library=BASH_COMPLETION, file=file, folder=file.parent)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, {**os.environ, "TERM": "dumb", "INPUTRC": "/dev/null", "HOME": folder})
    text = "".join([start, FUNCTION.format(), *(f"{line}\t\n" for line in lines), "exit\n"])
    got = b""
    with open(terminal, "r+b", buffering=0) as stream:
        stream.write(text.encode())
        try:
            while chunk := stream.read(1 << 16):
                got += chunk
        except OSError:
            pass  # Linux reports an error for a terminal without writers
    os.waitpid(child, 0)
    return re.findall(r"((?:<[^<>\r\n]*>)+)\r?\n", got.decode(errors="replace"))


def main(shell, crivo, file):
    lacks = shutil.which(shell) is None or (shell == "bash" and not pathlib.Path(BASH_COMPLETION).exists())
    if lacks:
        print(f"skipped: needs Debian's package {'bash-completion' if shell == 'bash' else shell}")
        return SKIP
    wanted = [case for case in cases(crivo) if case[1]]
    lines = [" ".join(["crivo", *front, start]) for front, start, _ in wanted]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "some_keys").touch()
        pathlib.Path(folder, "a_folder").mkdir()
        got = answers(shell, pathlib.Path(file).resolve(), lines, folder)
    must = ["".join(f"<{word}>" for word in [*front, whole]) for front, _, whole in wanted]
    got = [words.replace("/>", ">") for words in got]  # zsh removes the slash after a folder
    for line, expected, printed in zip(lines, must, [*got, *(["nothing"] * len(must))]):
        if expected != printed:
            print(f"{line}: must become {expected}, got {printed}")
    print(f"{len(lines)} lines typed")
    return 0 if got == must and len(must) > 50 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
