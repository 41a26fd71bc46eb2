# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The flags among the words of a command line."""

from __future__ import annotations

from ..model.flags import is_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Flag


class GivenFlags:
    """Collects flags among words into `raw`; `unknown` is the first other flag, "" for none.

    With `keeps_others` other flags are words like all that are no flags.
    """

    def __init__(
        self, flags: tuple[Flag, ...], words: list[str], raw: dict[str, list[str]], *, keeps_others: bool = False
    ) -> None:
        self.unknown = ""
        self._keeps_others = keeps_others
        self._words = words
        self._raw = raw
        #: Each way to write a flag, with the flag and what it means where no value is written.
        self._known: dict[str, tuple[Flag, str]] = {}
        for flag in flags:
            if flag.short:
                self._known["-" + flag.short] = (flag, "true")
            self._known["--" + flag.name] = (flag, "true")
            if flag.kind == "switch":
                self._known["--no-" + flag.name] = (flag, "false")

    def take(self, only_leading: bool) -> list[str]:
        """Collect the flags and return the other words. Raises ValueError for a flag that is not written right."""
        words = self._words
        others: list[str] = []
        at = 0
        while at < len(words):
            word = words[at]
            name, text = self._parts(word)
            if name:
                at = self._take_flag(name, text, at + 1)
                continue
            if only_leading and (word == "--" or self._can_be_value(word)):
                others = words[at:]
                break
            if self._keeps_others or not is_flag(word):
                others.append(word)
            elif not self.unknown:
                self.unknown = word.partition("=")[0]
            at += 1
        return others

    def _take_flag(self, name: str, text: str | None, at: int) -> int:
        """Collect a flag with this text after its name in the same word, and return the place of the next word.

        `at` is the place of the word after it, which may be its value.
        """
        flag, meaning = self._known[name]
        while text is not None and not flag.takes_value:
            # Short flags without values can be in one word, before another one.
            following = "-" + text[:1]
            if name.startswith("--") or following not in self._known:
                raise ValueError(f"flag '{self._as_written(name)}' takes no value")
            self._raw.setdefault(flag.key, []).append(meaning)
            name, text = following, text[1:] or None
            flag, meaning = self._known[name]
        if text is None and flag.takes_value:
            if at == len(self._words) or not self._can_be_value(self._words[at]):
                raise ValueError(f"expected argument for flag '{self._as_written(name)}'")
            text = self._words[at]
            at += 1
        self._raw.setdefault(flag.key, []).append(meaning if text is None else text)
        return at

    def _parts(self, word: str) -> tuple[str, str | None]:
        """Return the flag at the start of a word and the text after it, None if there is none; "" for another word."""
        if word in self._known:
            return word, None
        name, equals, text = word.partition("=")
        if equals and name in self._known:
            return name, text
        return (word[:2], word[2:]) if word[:2] in self._known else ("", None)

    def _can_be_value(self, word: str) -> bool:
        """Return whether the word can be a value: it is no flag, or an unknown one with a space, or a number."""
        if not is_flag(word):
            return True
        return not self._parts(word)[0] and (" " in word or _is_negative(word))

    def _as_written(self, name: str) -> str:
        """Return the name of a flag that is a word of its own, else its long name."""
        names = [each for each, meaning in self._known.items() if meaning == self._known[name]]
        return next((each for each in names if each in self._words), names[-1])


def _is_negative(word: str) -> bool:
    """Return whether a word that begins with `-` is a number, which an end of the line can follow."""
    whole, point, fraction = (word[1:-1] if word.endswith("\n") else word[1:]).partition(".")
    return (fraction.isdecimal() and (whole + "0").isdecimal()) if point else whole.isdecimal()
