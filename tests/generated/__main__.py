# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Make and evaluate thousands of texts of each kind: python -m tests.generated [--examples N] [--seed N] [KIND ...]

Each must end in a value or in a proper error; at least 40 of 100 in a value. The share is printed.
"""

import argparse
import importlib
import sys

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.seed import SEED

KINDS = ("expressions", "templates", "manifests", "gjson_paths", "gotemplates", "jet_templates")
LEAST_SHARE = 0.4
#: Texts of a kind that does not say its own number in EXAMPLES.
EXAMPLES = 1000


def run(kind, examples, number):
    """Print what became of the texts of a kind, by the seed of a number; whether enough of them had a value."""
    module = importlib.import_module(f".{kind}", __package__)
    examples = examples or getattr(module, "EXAMPLES", EXAMPLES)
    made = valued = 0

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(module.MADE)
    def evaluate(text):
        nonlocal made, valued
        made += 1
        valued += module.attempt(text)

    evaluate()
    share = valued / made
    print(f"{kind}: {made} made, {valued} with a value ({share:.0%})", flush=True)
    return made >= examples and share >= LEAST_SHARE


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--examples", type=int, help="texts of each kind")
    parser.add_argument("--seed", type=int, default=SEED, help="of what is chosen at random (CCM_SEED)")
    options = parser.parse_args()
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}")
    outcomes = [run(kind, options.examples, options.seed) for kind in options.kinds or KINDS]
    sys.exit(0 if all(outcomes) else 1)


if __name__ == "__main__":
    main()
