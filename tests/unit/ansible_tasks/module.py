# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for AnsibleModule that converts arguments like the real one, and keeps its result."""

from __future__ import annotations

import json

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator


class ModuleEnded(Exception):
    """The module called exit_json or fail_json."""


class Module:
    def __init__(self, argument_spec, arguments, check=False, diff=False):
        validator = ArgumentSpecValidator(argument_spec)
        result = validator.validate(arguments)
        if result.error_messages:
            raise ValueError("; ".join(result.error_messages))
        self.params = result.validated_parameters
        self.check_mode = check
        self._diff = diff
        self.warnings = []
        self.no_log_values = set()
        self.result = None

    def warn(self, text):
        self.warnings.append(text)

    def exit_json(self, **result):
        self.result = json.loads(json.dumps(result))
        raise ModuleEnded

    def fail_json(self, msg, **result):
        assert isinstance(msg, str)
        self.result = json.loads(json.dumps({"failed": True, "msg": msg, **result}))
        raise ModuleEnded


def ran(run, argument_spec, arguments, check=False, diff=False):
    """Return the result of `run(module)`; its warnings are under the key warnings."""
    module = Module(argument_spec, arguments, check, diff)
    try:
        run(module)
    except ModuleEnded:
        return {**module.result, "warnings": module.warnings}
    raise AssertionError("the module was not left")
