# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Ask our package every vector of a directory: python -m tests.conformance.vectors DIR

One line a file: `expr: N passed, N failed`, with the ids that failed below it. The exit status is 1 when a vector
failed, or when there was nothing to ask.

A file KIND.jsonl is answered by adapters/KIND.py. Its `prepare(world)` answers a function that takes a vector's
`input` and answers in the form of the recordings or raises `compare.Refused`; its `wanted(vector)`, where there is
one, brings a vector's `want` into the form that the function answers in. Environments are ours and those of DIR's
envs.json.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import shutil
import string
import sys
import traceback

from . import compare

OURS = pathlib.Path(__file__).with_name("vectors")
SHOWN = 20
RECORDED_DIR = "/srv/ccm-test"
NO_ANSWER = "no answer"


class World:
    """What vectors are asked in: the named environments, and the scratch directory in place of the recorded one."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.envs = {}
        for envs in (OURS / "envs.json", self.directory / "envs.json"):
            if envs.exists():
                self.envs.update(json.loads(envs.read_text(encoding="utf-8")))
        self.scratch = self._make_scratch()

    @staticmethod
    def _make_scratch():
        """A directory whose name is as long as the recorded one: columns in error texts stay what they were."""
        room = len(RECORDED_DIR) - len("/tmp/ccm")
        while True:
            letters = string.ascii_letters + string.digits
            name = "/tmp/ccm" + "".join(letters[byte % len(letters)] for byte in os.urandom(room))
            try:
                os.mkdir(name, 0o700)
            except FileExistsError:
                continue
            return name

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def here(self, value):
        """A vector's value with the scratch directory in place of the recorded one."""
        return _replace(value, RECORDED_DIR, self.scratch)

    def there(self, value):
        """An answer with the recorded directory in place of the scratch directory."""
        return _replace(value, self.scratch, RECORDED_DIR)

    def env(self, env):
        """An environment, by name or as written: facts, data, environ, directory, and whether facts are gathered ones.

        What it does not give is None. Its files are in place when this returns.
        """
        found = self.here(self.envs[env] if isinstance(env, str) else env)
        facts = found.get("facts")
        if found.get("fact_numbers") == "float64":
            facts = _floats(facts)
        directory = found.get("working_dir", self.scratch)
        for name, text in found.get("files", {}).items():
            path = pathlib.Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return {
            "facts": facts,
            "data": found.get("data"),
            "environ": found.get("environ"),
            "directory": directory,
            "host_struct": bool(found.get("host_struct")),
        }


def _replace(value, old, new):
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [_replace(entry, old, new) for entry in value]
    if isinstance(value, dict):
        return {_replace(key, old, new): _replace(entry, old, new) for key, entry in value.items()}
    return value


def _floats(value):
    if isinstance(value, dict):
        return {key: _floats(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_floats(entry) for entry in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Tally:
    """What became of one file's vectors."""

    def __init__(self):
        self.passed = 0
        self.failed = []  # (id, wanted, got)

    def line(self, name):
        return f"{name}: {self.passed} passed, {len(self.failed)} failed"


def read(path):
    """The vectors of a file, without its line of documentation."""
    with open(path, encoding="utf-8") as handle:
        vectors = [json.loads(line) for line in handle if line.strip()]
    return [vector for vector in vectors if "id" in vector]


def ask(adapter, answer, world, vector):
    """The verdict on one vector: None, or (wanted, got)."""
    if hasattr(adapter, "wanted") and "want" in vector:
        vector = dict(vector, want=adapter.wanted(vector))
    try:
        got = answer(world.here(vector["input"]))
    except compare.Refused as err:
        return compare.verdict(vector, refused=compare.text(world.there(str(err))))
    except Exception as err:  # a defect of ours in one vector must not hide the others
        where = traceback.extract_tb(err.__traceback__)[-1]
        return compare.verdict(vector, got=NO_ANSWER)[
            0
        ], f"{type(err).__name__}: {err} ({where.filename}:{where.lineno})"
    return compare.verdict(vector, got=world.there(got))


def run_file(path, world, only=None):
    """Ask every vector of a file; ONLY keeps those whose id holds it."""
    tally = Tally()
    adapter = importlib.import_module(f"{__package__}.adapters.{path.stem}")
    answer = adapter.prepare(world)
    for vector in read(path):
        if only is None or only in vector["id"]:
            problem = ask(adapter, answer, world, vector)
            if problem is None:
                tally.passed += 1
            else:
                tally.failed.append((vector["id"], *problem))
    return tally


def report(name, tally, everything):
    """Print one file's line, and below it what failed."""
    print(tally.line(name))
    shown = tally.failed if everything else tally.failed[:SHOWN]
    for identity, wanted, got in shown:
        lines = f"  {identity}\n    want {wanted}\n    got  {got}"
        print(lines.encode("utf-8", "backslashreplace").decode())
    if len(shown) < len(tally.failed):
        print(f"  and {len(tally.failed) - len(shown)} more (--verbose shows all)")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.vectors", description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--file", action="append", help="only this kind, such as expr; may be given again")
    parser.add_argument("--only", help="only vectors whose id holds this text")
    parser.add_argument("--verbose", action="store_true", help="show every failure, not the first of them")
    args = parser.parse_args(arguments)
    paths = [path for path in sorted(args.directory.glob("*.jsonl")) if not args.file or path.stem in args.file]
    for kind in args.file or ["*"]:
        if not list(args.directory.glob(f"{kind}.jsonl")):
            parser.error(f"there is no {args.directory}/{kind}.jsonl")
    world = World(args.directory)
    bad = False
    try:
        for path in paths:
            try:
                tally = run_file(path, world, args.only)
            except ImportError as err:
                print(f"{path.stem}: cannot be asked: {err}")
                bad = True
                continue
            report(path.stem, tally, args.verbose)
            bad = bad or bool(tally.failed)
    finally:
        world.close()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
