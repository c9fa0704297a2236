"""Parses the tool's commands and options, as core/tools/outline.h prints them, for the manual and the completions."""
import dataclasses
import subprocess


@dataclasses.dataclass
class Option:
    names: list[str]
    many: bool
    text: str
    argument: str  # empty if the option has no argument
    excludes: list[str]
    values: list[str] = dataclasses.field(default_factory=list)  # all possible arguments, if known


@dataclasses.dataclass
class Positional:
    name: str
    many: bool
    values: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Command:
    name: str  # empty for the program itself
    text: str
    options: list[Option] = dataclasses.field(default_factory=list)
    positionals: list[Positional] = dataclasses.field(default_factory=list)


def parse(text):
    """The program itself, and its subcommands."""
    commands = []
    last = None  # the latest option or positional
    for line in text.splitlines():
        kind, *fields = line.split("\t")
        if kind == "command":
            commands.append(Command(*fields))
        elif kind == "positional":
            name, times = fields
            last = Positional(name, times == "many")
            commands[-1].positionals.append(last)
        elif kind == "option":
            names, times, about, argument, excludes = fields
            last = Option(names.split(","), times == "many", about, argument, excludes.split(",") if excludes else [])
            commands[-1].options.append(last)
        elif kind == "value":
            last.values.append(*fields)
        else:
            raise SystemExit(f"outline: a line must start with a kind that this program knows, got {line!r}")
    return commands


def of(program, *arguments):
    """The commands and options of a program that is started with these arguments."""
    done = subprocess.run([program, *arguments, "--outline"], stdout=subprocess.PIPE, text=True, check=True)
    return parse(done.stdout)
