# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find words of a private sense, and pronouns in place of nouns: python -m tests.tools.words

It reads docstrings and comments of plugins and tests, and the guides. A word that is meant as everybody means it is
in words.txt beside this file, with the file and the reason. The exit status is 1 for words that remain, for entries
of the list that nothing needs, and for more phrases than PHRASES_ALLOWED. `--phrases` prints where all phrases are.
"""

from __future__ import annotations

import ast
import fnmatch
import io
import pathlib
import re
import sys
import tokenize

ROOT = pathlib.Path(__file__).parents[2]
ALLOWED = pathlib.Path(__file__).with_name("words.txt")
MOST_ALLOWED = 30
# Each with what to write in its place.
WORDS = {
    r"doors?": "front end",
    r"disturbance": "change",
    r"patience": "timeout",
    r"lineage": "chain of manifests",
    r"told|tells?": "describe, return, report",
    r"nobody|somebody|anybody": "name who",
    r"whoever|whatever|wherever": "name who, what or where",
    r"what there is not": "what does not exist",
    r"what (?:there is|is there|is left)": "name it: the file, the state, the rest",
    r"riddles?|house": "plain words",
    r"stood|stands?(?!-in)": "is, occurs",
    r"shall": "should, must, has to",
}
PATTERN = re.compile("|".join(rf"\b(?:{words})\b" for words in WORDS).replace(" ", r"\s+"), re.IGNORECASE)
# Pronouns where docstrings and comments of plugins can have the noun: "the owner of the file" for "that of the file",
# "resources that wait" for "those that wait", "the file at the path" for "what is at the path". Only a direct question
# may begin with "what is". plugins had 571 of them when this check began (2d4e0c0b); ccm.api may have none.
PHRASES = re.compile(r"\b(?:(?:that|those) of|those that|ones? that|what is(?![^.:;]*\?))\b".replace(" ", r"\s+"), re.I)
PHRASES_ALLOWED = 20
CODE = re.compile(r"``(?:[^\n]|\n(?!\s*\n))+?``|`(?:[^`\n]|\n(?!\s*\n))+`")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def blank(found):
    """Return a match without its words; its lines stay."""
    return re.sub(r"[^\n]", "`", found.group())


def comments(text):
    """Yield the number of the first line and the text of comments; adjacent lines of comments are one."""
    lines = text.splitlines()
    first, run = 0, []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            number, alone = token.start[0], lines[token.start[0] - 1].lstrip().startswith("#")
            if not (run and alone and number == first + len(run)):
                yield first, "\n".join(run)
                first, run = number, []
            run.append(token.string.lstrip("#:"))
    yield first, "\n".join(run)


def prose(path):
    """Yield the texts of a file without code: the number of the first line, and the text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield 1, CODE.sub(blank, FENCE.sub(blank, text))
        return
    for number, comment in comments(text):
        yield number, CODE.sub(blank, comment)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            constant = node.body[0].value
            yield constant.lineno, CODE.sub(blank, constant.value)


def occurrences(pattern, path):
    """Yield the number of the line and the words of each match, in lower case and with single spaces."""
    for first, text in prose(path):
        for found in pattern.finditer(text):
            yield first + text.count("\n", 0, found.start()), " ".join(found.group().lower().split())


def files():
    """Return the files that are read."""
    guides = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    return sorted([*(ROOT / "plugins").rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *guides])


def allowed():
    """Return the list of exceptions: a pattern of files, and the words in lower case."""
    entries = []
    for line in ALLOWED.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, words, _reason = (part.strip() for part in line.split("|"))
            entries.append((pattern, set(words.split(", "))))
    return entries


def wrong_words():
    """Return a line for each word that must be replaced, and for each entry of the list that nothing needs."""
    entries = allowed()
    needed, left = set(), []
    for path in files():
        name = str(path.relative_to(ROOT))
        for number, word in occurrences(PATTERN, path):
            by = [at for at, (pattern, words) in enumerate(entries) if fnmatch.fnmatch(name, pattern)]
            by = [at for at in by if entries[at][1] & {word, "*"}]
            needed.update(by)
            if not by:
                advice = next(advice for words, advice in WORDS.items() if re.fullmatch(words, word))
                left.append(f"{name}:{number}: {word}: write {advice}")
    left += [f"words.txt: nothing needs {entries[at][0]}" for at in sorted(set(range(len(entries))) - needed)]
    if len(entries) > MOST_ALLOWED:
        left.append(f"words.txt: {len(entries)} entries, and {MOST_ALLOWED} are the most")
    return left


def phrases():
    """Return a line for each pronoun of PHRASES in plugins, and for each in the descriptions of ccm.api."""
    everywhere = [
        f"{path.relative_to(ROOT)}:{number}: {words}: write the noun"
        for path in sorted((ROOT / "plugins").rglob("*.py"))
        for number, words in occurrences(PHRASES, path)
    ]
    guide = (ROOT / "docs/writing-a-type.md").read_text(encoding="utf-8")
    listing = guide.partition("## Signatures")[2].partition("```text\n")[2].rpartition("```")[0]
    public = PHRASES.findall(CODE.sub(blank, re.sub(r"^ *#", "", listing, flags=re.MULTILINE)))
    return everywhere, [f"ccm.api: {words}: write the noun" for words in public]


def main():
    """Print the words that must be replaced, and return the exit status."""
    left = wrong_words()
    everywhere, public = phrases()
    left += public
    if len(everywhere) > PHRASES_ALLOWED or "--phrases" in sys.argv:
        left += everywhere
        left.append(f"{len(everywhere)} pronouns in place of nouns in plugins, and {PHRASES_ALLOWED} are the most")
    print("\n".join(left) if "--count" not in sys.argv else len(left))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
