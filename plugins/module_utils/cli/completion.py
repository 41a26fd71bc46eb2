# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Completion in shells: the scripts, and the answers that they request at every key."""

from __future__ import annotations

import sys

from ..model.flags import Argument
from .command import Command
from .root import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.flags import Flag, Values

#: What a script calls, with the words after `ccm` up to the one being typed; also the original's name for it.
ENTRY = "--completion-bash"

# Exit statuses for what may follow where there are no words to propose.
_FILES, _NOTHING, _DIRECTORIES = 0, 3, 4
#: Words that end in one of these are not complete.
_UNFINISHED = ".=#"

_BASH = f"""\
# Completion of ccm for bash. In ~/.bashrc: eval "$(ccm completion bash)"
_ccm_complete() {{
    local IFS=$'\\n' found
    found=$(ccm {ENTRY} "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null)
    case $? in
        {_NOTHING}) compopt +o default 2>/dev/null ;;
        {_DIRECTORIES}) compopt -o dirnames +o default 2>/dev/null ;;
    esac
    COMPREPLY=($found)
    [[ ${{COMPREPLY[0]-}} != *[{_UNFINISHED}] ]] || compopt -o nospace 2>/dev/null
}}
complete -o default -F _ccm_complete ccm
"""

_ZSH = f"""\
#compdef ccm
# Completion of ccm for zsh. In ~/.zshrc, after compinit: eval "$(ccm completion zsh)"
_ccm() {{
    local said
    local -a found kind
    said=$(ccm {ENTRY} "${{(@)words[2,CURRENT]}}" 2>/dev/null)
    case $? in
        {_NOTHING}) return 1 ;;
        {_DIRECTORIES}) kind=(-/) ;;
    esac
    found=(${{(f)said}})
    if (( ! ${{#found}} )); then
        [[ $PREFIX != --*=* ]] || compset -P 1 '*='
        _files $kind
        return
    fi
    local -a whole going_on
    going_on=(${{(M)found:#*[{_UNFINISHED}]}})
    whole=(${{found:#*[{_UNFINISHED}]}})
    (( ! ${{#going_on}} )) || compadd -S '' -a going_on
    (( ! ${{#whole}} )) || compadd -a whole
}}
if [[ "${{funcstack[1]}}" == _ccm ]]; then
    _ccm "$@"
else
    compdef _ccm ccm
fi
"""

_FISH = f"""\
# Completion of ccm for fish. In ~/.config/fish/config.fish: ccm completion fish | source
function __ccm_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc) "$current"
    set -l found (ccm {ENTRY} $words[2..-1] 2>/dev/null)
    switch $status
        case {_NOTHING}
            return
        case {_DIRECTORIES}
            __fish_complete_directories "$current"
            return
    end
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c ccm -f -a '(__ccm_complete)'
"""

_SCRIPTS = {"bash": _BASH, "fish": _FISH, "zsh": _ZSH}


def complete(words: Sequence[str]) -> int:
    """Handle a hidden flag for shells, `words[0]`: print candidates, or a script under the original's name for it.

    The exit status is 3 where neither `ccm` nor the shell can propose words, and 4 where a directory may follow.
    """
    if words[0] == ENTRY:
        found, otherwise = proposals(words[1:] or [""])
        sys.stdout.writelines(f"{word}\n" for word in found)
        return 0 if found else otherwise
    sys.stdout.write(_SCRIPTS[words[0].rpartition("-")[2]])
    return 0


def is_hidden_flag(word: str) -> bool:
    """Return whether a word is one of the flags that `complete` handles."""
    return word == ENTRY or word in ("--completion-script-bash", "--completion-script-zsh")


def candidates(words: Sequence[str]) -> list[str]:
    """Return what the last of the words after `ccm` can become; nothing where a path, or anything, may follow."""
    return proposals(words)[0]


def proposals(words: Sequence[str]) -> tuple[list[str], int]:
    """Return what the last of the words after `ccm` can become, and the exit status for files if there is nothing.

    bash splits `--flag=value` into three words, other shells do not.
    """
    *before, current = _joined(words)
    place = _Place(ROOT)
    for word in before:
        if not place.advance(word):
            return [], _NOTHING
    lead = ""
    if current.startswith("--") and "=" in current and words[-1] == current:
        name, _equals, current = current.partition("=")
        lead = f"{name}="
        if not place.advance(name):
            return [], _NOTHING
    found = [lead + word for word in place.offers(current) if word.startswith(current)]
    return found, place.path_status()


def _joined(words: Sequence[str]) -> list[str]:
    """Return the words as other shells give them, where bash split them at `=`: a flag, then its value."""
    found: list[str] = []
    for at, word in enumerate(words):
        if word == "=" and at and words[at - 1].startswith("--"):
            if at == len(words) - 1:
                found.append("")
            continue
        found.append(word)
    return found


class _Place:
    """The state of a command line after some of its words."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._flags: dict[str, Flag] = _named(command.flags)
        self._given: set[str] = set()
        self._waiting: Flag | None = None
        self._arguments = 0

    def advance(self, word: str) -> bool:
        """Take one whole word; return False when it is unknown what may follow it."""
        if self._waiting is not None:
            self._waiting = None
            return True
        if word.startswith("-") and len(word) > 1:
            name, equals, _value = word.partition("=")
            flag = self._flags.get(name)
            if flag is None:
                return False
            self._given.add(flag.name)
            self._waiting = flag if flag.takes_value and not equals else None
            return True
        if self._command.find is None:
            self._arguments += 1
            return True
        found = self._command.find(word)
        if found is None:
            return False
        self._command = found
        self._flags.update(_named(found.flags))
        return True

    def offers(self, current: str) -> list[str]:
        """Return the words that may be here; `current` is the begun word."""
        if self._waiting is not None:
            return _offered(self._waiting, current)
        if current.startswith("-"):
            return [name for name, flag in self._flags.items() if name.startswith("--") and self._may_come(flag)]
        if self._command.find is not None:
            return [name for name, _help in self._command.all_commands]
        argument = self._argument()
        return [] if argument is None else _offered(argument, current)

    def path_status(self) -> int:
        """Return the exit status for the files that may be here, when no word fits."""
        place = self._waiting or self._argument()
        if place is None or not place.path:
            return _NOTHING
        return _DIRECTORIES if place.path == "directory" else _FILES

    def _argument(self) -> Argument | None:
        """Return the argument at this place; the last of them may take any number of words."""
        arguments = self._command.arguments
        if self._command.find is not None or not arguments:
            return None
        if self._arguments < len(arguments):
            return arguments[self._arguments]
        return arguments[-1] if arguments[-1].repeats else None

    def _may_come(self, flag: Flag) -> bool:
        return flag.repeats or flag.name not in self._given


def _offered(place: Argument | Flag, current: str) -> list[str]:
    return list(place.offered(current) if callable(place.offered) else place.offered)


def _named(flags: Sequence[Flag]) -> dict[str, Flag]:
    named = {}
    for flag in flags:
        named["--" + flag.name] = flag
        if flag.kind == "switch":
            named["--no-" + flag.name] = flag
        if flag.short:
            named["-" + flag.short] = flag
    return named


def _print_script(values: Values) -> int:
    sys.stdout.write(_SCRIPTS[values.shell])
    return 0


COMMAND = Command(
    "completion",
    "Print a script that completes ccm's words in a shell",
    details="""Have the shell read it when it starts:

  bash   eval "$(ccm completion bash)"       in ~/.bashrc
  zsh    eval "$(ccm completion zsh)"        in ~/.zshrc, after compinit
  fish   ccm completion fish | source        in ~/.config/fish/config.fish""",
    arguments=(Argument("shell", "bash, fish or zsh", required=True, choices=("bash", "fish", "zsh")),),
    run=_print_script,
)
