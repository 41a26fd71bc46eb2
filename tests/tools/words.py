# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find words that this code base used in a sense of its own: python -m tests.tools.words

It reads docstrings and comments of plugins and tests, and the guides. A word that is meant as everybody means it is
in words.txt beside this file, with the file and the reason. The exit status is 1 for words that are left, and for
entries of the list that nothing needs.
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
    r"riddles?|house": "plain words",
    r"stood|stands?(?!-in)": "is, occurs",
}
PATTERN = re.compile("|".join(rf"\b(?:{words})\b" for words in WORDS), re.IGNORECASE)
FENCE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def prose(path):
    """Yield the lines of text of a file: the number and the text of each."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        kept = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
        yield from enumerate(kept.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            constant = node.body[0].value
            for offset, line in enumerate(re.sub(r"`[^`\n]+`", "", constant.value).splitlines()):
                yield constant.lineno + offset, line


def files():
    """Return what is looked through."""
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


def main():
    """Print the words that are left, and return the exit status."""
    entries = allowed()
    needed, left = set(), []
    for path in files():
        name = str(path.relative_to(ROOT))
        for number, line in prose(path):
            for found in PATTERN.finditer(line):
                word = found.group().lower()
                by = [at for at, (pattern, words) in enumerate(entries) if fnmatch.fnmatch(name, pattern)]
                by = [at for at in by if entries[at][1] & {word, "*"}]
                needed.update(by)
                if not by:
                    advice = next(there for words, there in WORDS.items() if re.fullmatch(words, word))
                    left.append(f"{name}:{number}: {found.group()}: write {advice}")
    left += [f"words.txt: nothing needs {entries[at][0]}" for at in sorted(set(range(len(entries))) - needed)]
    if len(entries) > MOST_ALLOWED:
        left.append(f"words.txt: {len(entries)} entries, and {MOST_ALLOWED} are the most")
    print("\n".join(left) if "--count" not in sys.argv else len(left))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
