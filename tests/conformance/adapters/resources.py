# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources declared by a vector's `type` and `yaml`, for template.jsonl and validate.jsonl."""

from __future__ import annotations

from ccm.engine.templating import resolve_deferred, resolve_properties
from ccm.lang import yaml
from ccm.manifest.declarations import read_declarations
from ccm.manifest.loader import unknown_type
from ccm.manifest.origin import DocumentOrigin
from ccm.model.property import shown_properties
from ccm.resources.types import resource_type

from .values import encode

NAME = "properties.yaml"


def declarations_of(given, environment):
    """The declarations in a vector's yaml, with their expressions."""
    kind = resource_type(given["type"])
    if kind is None:
        raise unknown_type(given["type"])
    document = yaml.load(given["yaml"], NAME)
    return read_declarations(kind, document.value, DocumentOrigin(document, NAME))


def resolved(given, environment):
    """The declared resources after their expressions are resolved: the eager ones, with `deferred` all."""
    resources = []
    for declaration in declarations_of(given, environment):
        resource = resolve_properties(declaration.resource, environment)
        resources.append(resolve_deferred(resource, environment) if given.get("deferred") else resource)
    return [shown(resource) for resource in resources]


def shown(resource):
    """A resource's properties without the empty ones, as events show them but for secrets, which stay as they are."""
    values = vars(resource.properties)
    properties = shown_properties(resource.type.properties, values)
    hidden = {prop.name for prop in resource.type.properties if prop.secret or prop.may_hold_secrets}
    return encode({name: values[name] if name in hidden else value for name, value in properties.items()})
