# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long large regular expressions take: python -m tests.bench.regexps

Each is compiled, then it is searched, and all its matches with their groups are found, in a text of 20 kB. The shortest
CPU time of several rounds is shown, which is the time on a quiet machine. At most `--max-ms` is a success.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from ccm.lang.go.regexp.program import Regexp

SIZE = 20_000


def _words(count):
    chosen = random.Random(count)
    return sorted({"".join(chosen.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _number in range(count)})


def _text(parts):
    return " ".join(parts * (SIZE // len(" ".join(parts)) + 1))[:SIZE]


WORDS = _words(2000)
_NAMES = [f"w{number}x" for number in random.Random(1).choices(range(500), k=500)]
#: The name: expression, text, how many matches that do not overlap there are.
LARGE_PATTERNS = {
    "(a?){200}a{200}": ("(a?){200}a{200}", "a" * 200, 1),
    "2000 words": ("|".join(WORDS), _text(WORDS), SIZE // 9),
    "2000 words in \\b": (rf"\b(?:{'|'.join(WORDS)})\b", _text(WORDS), SIZE // 9),
    "2000 words, any case": (f"(?i){'|'.join(WORDS)}", _text(WORDS).upper(), SIZE // 9),
    "500 groups": ("|".join(f"(w{number}x)" for number in range(500)), _text(_NAMES), _text(_NAMES).count("x")),
}


def milliseconds(pattern, text):
    """Return the times for compiling, for searching once and for finding everything, with nothing kept before."""
    begin = time.process_time()
    expression = Regexp(pattern)
    compiled = time.process_time()
    expression.search(text)
    searched = time.process_time()
    expression.find_all(text)
    found = time.process_time()
    return 1000 * (compiled - begin), 1000 * (searched - compiled), 1000 * (found - searched)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.regexps", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-ms", type=float, default=1000, help="milliseconds: fail when all three take longer")
    args = parser.parse_args()
    slow = []
    print(f"{'expression':24}{'compile':>10}{'search':>10}{'find all':>10}   ms")
    for name, (pattern, text, _count) in LARGE_PATTERNS.items():
        best = min((milliseconds(pattern, text) for _round in range(args.rounds)), key=sum)
        print(f"{name:24}" + "".join(f"{took:10.1f}" for took in best))
        if sum(best) > args.max_ms:
            slow.append(f"{name}: {sum(best):.0f} ms, at most {args.max_ms:.0f}")
    print(*slow, sep="\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
