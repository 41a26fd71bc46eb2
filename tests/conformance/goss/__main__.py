# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Record what goss says of the rules in cases/: python -m tests.conformance.goss ORACLE [KIND...]

ORACLE is the program that oracle/main.go becomes. It is asked in a world as in the tests, and what it answers
becomes the `want` of a case: a line a test, with `pass`, `fail` or `skip` before it, or `error: TEXT`. Of a case with
`vague: true` only the outcomes are kept, as the words depend on the machine. Where we say something else, a case has
`ours` beside `want`, and `why`.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

from .world import World

CASES = pathlib.Path(__file__).with_name("cases")
OUTCOMES = ("pass", "fail", "skip")
HEADER = "# Copyright: (c) 2026, ccm.core contributors\n# SPDX-License-Identifier: Apache-2.0\n---\n"


def kinds():
    """The names of the files of cases."""
    return sorted(path.stem for path in CASES.glob("*.yaml"))


def load(kind):
    """The cases of a file."""
    return yaml.safe_load((CASES / f"{kind}.yaml").read_text(encoding="utf-8"))


def brief(case, lines):
    """The lines to compare: of a vague case the outcomes; sorted, as goss runs rules of a kind in any order."""
    return [line.split(" ", 1)[0] for line in lines] if case.get("vague") else sorted(lines, key=_subject)


def _subject(line):
    """What a line is about: the rule, so that the tests of each keep their order."""
    return line.split(": ", 2)[:2][-1]


def _record(world, oracle, case):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=world.directory) as spec:
        yaml.safe_dump(world.fill(case["rules"]), spec)
        spec.flush()
        environment = {**os.environ, "PATH": world.search_path, "MARK": "from the environment"}
        done = subprocess.run(
            [oracle, spec.name], capture_output=True, text=True, check=False, env=environment, cwd=world.directory
        )
        if done.returncode:
            return {"error": "panic"}
        answer = json.loads(done.stdout.splitlines()[-1])
        if "error" in answer:
            return {"error": world.plain(answer["error"]).replace(spec.name.rpartition("/")[2], "SPEC")}
    tests = answer["results"] or []
    lines = [f"{OUTCOMES[test['result']]} {world.plain(test['summary-line-compact'])}" for test in tests]
    return brief(case, lines)


def main(oracle, *chosen):
    world = World()
    try:
        world.start_sleeper()
        for kind in chosen or kinds():
            cases = load(kind)
            for case in cases:
                case["want"] = _record(world, os.path.abspath(oracle), case)
            text = "\n".join(yaml.safe_dump([case], sort_keys=False, allow_unicode=True, width=118) for case in cases)
            (CASES / f"{kind}.yaml").write_text(HEADER + text, encoding="utf-8")
            print(f"{kind}: {len(cases)} cases")
    finally:
        world.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
