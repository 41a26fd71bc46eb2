# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""validate.jsonl: which properties and manifests are accepted, and what becomes of them."""

from __future__ import annotations

from ccm.lang import yaml
from ccm.manifest.loader import Inputs, load_manifest, validate_declarations

from .resources import declarations_of, shown
from .values import Environments, encode, refusing

NAME = "manifest.yaml"


def model(given, environment):
    """The properties of one resource, or a list of them, with the eager expressions resolved."""
    declarations = refusing(declarations_of, given, environment)
    refusing(validate_declarations, declarations, environment)
    return {"accepted": True, "properties": [shown(declaration.resource) for declaration in declarations]}


def manifest(given, environment):
    """A whole manifest as a run would have it; its data is its own."""
    inputs = Inputs(facts=environment.facts or {}, environ=environment.environ or {})
    document = refusing(yaml.load, given["manifest"], NAME)
    loaded = refusing(load_manifest, document, NAME, environment.directory, inputs)
    return {
        "accepted": True,
        "resources": [{resource.type.name: shown(resource)} for resource in loaded.resources] or None,
        "data": encode(loaded.data),
        "fail_on_error": loaded.fail_on_error,
        "pre_message": loaded.pre_message,
        "post_message": loaded.post_message,
    }


MODES = {"model": model, "manifest": manifest}


def prepare(world):
    environments = Environments(world)

    def answer(given):
        return MODES[given["mode"]](given, environments.of(given))

    return answer
