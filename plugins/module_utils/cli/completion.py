# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Completion in shells: the scripts, and the answers that they ask for at every key."""

from __future__ import annotations

import sys

from .command import Argument, Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .command import Flag, Values

#: What a script calls, with the words after `ccm` up to the one being typed; also the original's name for it.
ENTRY = "--completion-bash"

_BASH = f"""\
# Completion of ccm for bash. In ~/.bashrc: eval "$(ccm completion bash)"
_ccm_complete() {{
    local IFS=$'\\n'
    COMPREPLY=($(ccm {ENTRY} "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null))
}}
complete -o default -F _ccm_complete ccm
"""

_ZSH = f"""\
#compdef ccm
# Completion of ccm for zsh. In ~/.zshrc, after compinit: eval "$(ccm completion zsh)"
_ccm() {{
    local -a found
    found=(${{(f)"$(ccm {ENTRY} "${{(@)words[2,CURRENT]}}" 2>/dev/null)"}})
    if (( ${{#found}} )); then
        compadd -a found
    else
        _files
    fi
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
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c ccm -f -a '(__ccm_complete)'
"""

_SCRIPTS = {"bash": _BASH, "fish": _FISH, "zsh": _ZSH}


def answer(words: Sequence[str]) -> int:
    """Handle a hidden flag for shells, `words[0]`: print candidates, or a script under the original's name for it."""
    if words[0] == ENTRY:
        sys.stdout.writelines(f"{word}\n" for word in candidates(words[1:] or [""]))
        return 0
    sys.stdout.write(_SCRIPTS[words[0].rpartition("-")[2]])
    return 0


def is_hidden_flag(word: str) -> bool:
    """Whether a word is one of the flags that `answer` handles."""
    return word == ENTRY or word in ("--completion-script-bash", "--completion-script-zsh")


def candidates(words: Sequence[str]) -> list[str]:
    """What the last of the words after `ccm` can become; nothing where a path, or anything, may stand."""
    from .root import ROOT

    *before, current = words
    place = _Place(ROOT)
    for word in before:
        if not place.advance(word):
            return []
    return [word for word in place.offers(current) if word.startswith(current)]


class _Place:
    """How far a command line has got."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._flags: dict[str, Flag] = _named(command.flags)
        self._given: set[str] = set()
        self._waiting: Flag | None = None
        self._arguments = 0

    def advance(self, word: str) -> bool:
        """Take one whole word; False when nobody knows what may follow it."""
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
        """The words that may stand here."""
        if self._waiting is not None:
            return list(self._waiting.offered)
        if current.startswith("-"):
            return [name for name, flag in self._flags.items() if name.startswith("--") and self._may_come(flag)]
        if self._command.find is not None:
            return [name for name, _help in self._command.commands]
        arguments = self._command.arguments
        return list(arguments[self._arguments].offered) if self._arguments < len(arguments) else []

    def _may_come(self, flag: Flag) -> bool:
        return flag.repeats or flag.name not in self._given


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


COMPLETION = Command(
    "completion",
    "Print a script that completes ccm's words in a shell",
    details="""Have the shell read it when it starts:

  bash   eval "$(ccm completion bash)"       in ~/.bashrc
  zsh    eval "$(ccm completion zsh)"        in ~/.zshrc, after compinit
  fish   ccm completion fish | source        in ~/.config/fish/config.fish""",
    arguments=(Argument("shell", "bash, fish or zsh", required=True, choices=("bash", "fish", "zsh")),),
    run=_print_script,
)
