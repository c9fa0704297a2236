"""Generates the completions for bash and zsh from the tool's outline.

An argument's name determines its completion. A name that is missing in COMPLETED is an error, so that the author of a
new argument must choose a completion.
"""
NOTHING, FILES, FOLDERS, VALUES = "nothing", "files", "folders", "values"
COMPLETED = {"FILE": FILES, "FILTER": FILES, "FIRST": FILES, "SECOND": FILES, "FILE|DB": FILES, "DB": FOLDERS, "DIR": FOLDERS, "KIND": VALUES, "COMMAND": VALUES,
             "KEY": NOTHING, "N": NOTHING, "RATE": NOTHING, "BYTES": NOTHING, "TIME": NOTHING, "WINDOW": NOTHING, "POLICY": NOTHING, "NAME": NOTHING,
             "WHAT": NOTHING, "PROGRAM": FILES}


def completed(argument):
    if argument not in COMPLETED:
        raise SystemExit(f"completion: an argument must be one of {', '.join(COMPLETED)}, got {argument}")
    return COMPLETED[argument]


# ---- bash

BASH = r"""# Completion for crivo(1); generated from the tool's options.
_crivo()
{
    local cur prev words cword split command
    _init_completion -s -n : || return
    command=${words[1]/#%rocksdb/sst}
    ((cword < 3)) || [[ $command != sst ]] || command="sst ${words[2]}"
    if ((cword == 1)); then
        COMPREPLY=($(compgen -W "@COMMANDS@" -- "$cur"))
        return
    fi
    case $command,$prev in
@VALUES@
    esac
    $split && return
    case $command in
@OPTIONS@
    esac
} &&
    complete -F _crivo crivo
"""


def bash_words(words):
    return f"COMPREPLY=($(compgen -W \"{' '.join(words)}\" -- \"$cur\"))"


def bash_value(command, option):
    """The branch for the word after an option that takes an argument."""
    pattern = " | ".join(f'"{command},{name}"' for name in option.names)
    action = {NOTHING: [], FILES: ["_filedir"], FOLDERS: ["_filedir -d"],
              VALUES: [bash_words(option.values), '__ltrim_colon_completions "$cur"']}[completed(option.argument)]
    return "\n            ".join([f"        {pattern})", *action, "return", ";;"])


def bash_command(name, command, subcommands):
    """The branch for every other word of a command: an option or a positional argument."""
    options = bash_words([name for option in command.options for name in option.names])
    kinds = {completed(positional.name) for positional in command.positionals}
    values = [value for positional in command.positionals for value in positional.values]
    others = (bash_words(values) if values else "_filedir" if FILES in kinds else "_filedir -d" if FOLDERS in kinds else
              bash_words([each.name for each in subcommands]))
    lines = [f'        "{name}")', "if [[ $cur == -* ]]; then", f"    {options}", "else", f"    {others}", "fi", ";;"]
    return "\n            ".join(lines)


def bash(tool, sst):
    """The file for bash-completion's folder `completions`."""
    named = [(command.name, command, sst[1:] if command.name == "sst" else []) for command in tool[1:]]
    named += [(f"sst {command.name}", command, []) for command in sst[1:]]
    values = [bash_value(name, option) for name, command, _ in named for option in command.options if option.argument]
    first = [name for option in tool[0].options for name in option.names] + [command.name for command in tool[1:]]
    first += ["rocksdb"] if sst else []  # another name of sst
    text = BASH.replace("@COMMANDS@", " ".join(first)).replace("@VALUES@", "\n".join(values))
    return text.replace("@OPTIONS@", "\n".join(bash_command(*each) for each in named))


# ---- zsh

ZSH = r"""#compdef crivo
# Completion for crivo(1); generated from the tool's options.

@FUNCTIONS@

_crivo "$@"
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_action(argument, values):
    escaped = " ".join(value.replace(":", r"\:") for value in values)
    return {NOTHING: " ", FILES: "_files", FOLDERS: "_files -/", VALUES: f"({escaped})"}[completed(argument)]


def zsh_option(option):
    about = "[" + option.text.replace("[", r"\[").replace("]", r"\]") + "]"
    value = f":{option.argument}:{zsh_action(option.argument, option.values)}" if option.argument else ""
    others = "" if option.many else f"({' '.join([*option.names, *option.excludes])})"
    for name in option.names:
        mark = "" if not option.argument else "=" if name.startswith("--") else "+"
        yield quoted(f"{'*' if option.many else others}{name}{mark}{about}{value}")


def zsh_positional(positional):
    return quoted(f"{'*' if positional.many else ''}:{positional.name}:{zsh_action(positional.name, positional.values)}")


def zsh_command(function, command):
    """A shell function that completes one command's arguments."""
    specs = [spec for option in command.options for spec in zsh_option(option)]
    specs += [zsh_positional(positional) for positional in command.positionals]
    return f"{function}() {{\n  _arguments -s -S \\\n    " + " \\\n    ".join(specs) + "\n}"


def zsh_group(function, commands):
    """The function of a command with subcommands; the first of `commands` is the command itself."""
    main, *subcommands = commands
    options = " \\\n    ".join(spec for option in main.options for spec in zsh_option(option))
    described = "\n    ".join(quoted(f"{command.name}:{command.text}") for command in subcommands)
    return f"""{function}() {{
  local curcontext=$curcontext state line
  local -a commands=(
    {described}
  )
  _arguments -C \\
    {options} \\
    '1: :->command' '*:: :->arguments'
  case $state in
    command) _describe -t commands command commands ;;
    arguments) (( $+functions[{function}_$line[1]] )) && {function}_$line[1] ;;
  esac
}}"""


def zsh(tool, sst):
    """The file _crivo for a folder of zsh's fpath."""
    functions = [zsh_group("_crivo", tool)]
    functions += [zsh_command(f"_crivo_{command.name}", command) for command in tool[1:] if command.name != "sst"]
    if sst:
        functions.append(zsh_group("_crivo_sst", sst))
        functions.append('_crivo_rocksdb() {\n  _crivo_sst "$@"\n}')
        functions += [zsh_command(f"_crivo_sst_{command.name}", command) for command in sst[1:]]
    return ZSH.replace("@FUNCTIONS@", "\n\n".join(functions))
