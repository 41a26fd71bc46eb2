# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""jet.jsonl: a Jet template rendered by the function jet(), by a scaffold, or as the resources of a manifest."""

from __future__ import annotations

import copy
import pathlib

from ccm.data.environment import Environment
from ccm.data.functions import Functions
from ccm.data.jet import Context, jet_functions
from ccm.lang import yaml
from ccm.lang.expr.errors import ExprFunctionError
from ccm.lang.jet.template import JetError, TemplateSet
from ccm.manifest.loader import Inputs, load_manifest

from ..compare import Refused, text
from . import scaffolds
from .resources import shown
from .values import Environments, refusing


def own(environment, world):
    """The same environment over data of its own, which templates may assign into; no directory where none is named."""
    directory = "" if environment.directory == world.scratch else environment.directory
    return Environment(
        copy.deepcopy(environment.facts), copy.deepcopy(environment.data), environment.environ, directory
    )


def function(given, environment):
    """The function jet() of expressions."""
    delimiters = [given[side] for side in ("left_delimiter", "right_delimiter") if side in given]
    return Functions(environment).jet(given["template"], *delimiters)


def scaffold(given, environment):
    """A text rendered as a scaffold would, under the name that the recordings have."""
    left, right = given.get("left_delimiter", ""), given.get("right_delimiter", "")
    functions = {**jet_functions(Functions(environment)), "write": write}
    variables = Context(environment).variables()
    rendered = TemplateSet(None, functions, left, right).alone(given["template"], "string").render(variables, variables)
    if given.get("skip_empty") and not rendered.strip():
        raise JetError("skipped rendering")
    return rendered


def write(arguments):
    """A replacement for the function of scaffolds, which checks only the number of its arguments."""
    arguments.require("write", 2, 2)


def manifest(given, environment):
    """The resources of a manifest whose resources_jet_file is the template; its data is the environment's."""
    directory = pathlib.Path(environment.directory, "m")
    directory.mkdir(exist_ok=True)
    (directory / "resources.jet").write_text(given["template"], encoding="utf-8")
    document = yaml.load("ccm: {resources_jet_file: resources.jet}\n", "manifest.yaml")
    inputs = Inputs(facts=environment.facts or {}, environ=environment.environ or {}, data=dict(environment.data or {}))
    loaded = load_manifest(document, "manifest.yaml", str(directory), inputs)
    return [{resource.type.name: shown(resource)} for resource in loaded.resources]


MODES = {"function": function, "scaffold": scaffold}


def prepare(world):
    environments = Environments(world)

    def answer(given):
        if given["mode"] == "tree":
            return scaffolds.tree(given, own(environments.of(given), world), "jet", world)
        if given["mode"] == "manifest":
            return refusing(manifest, given, environments.of(given))
        mode = MODES[given["mode"]]
        try:
            return text(mode(given, own(environments.of(given), world)))
        except (JetError, ExprFunctionError) as err:
            raise Refused(str(err)) from err

    return answer
