# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locales that are not UTF-8, for programs that tests start."""

from __future__ import annotations

import os
import subprocess

import pytest

#: Where the sources of locales are; the package `locales` of Debian has them.
SOURCES = "/usr/share/i18n/locales"
# By locale: the language and the encoding; in EUC-JP Python cannot encode each text again that it decoded.
_MADE = {"de_DE.ISO-8859-1": ("de_DE", "ISO-8859-1"), "ja_JP.EUC-JP": ("ja_JP", "EUC-JP")}
OTHER_LOCALES = ["C", *(pytest.param(name, marks=pytest.mark.needs("locales")) for name in _MADE)]


def variables_of(locale, folder):
    """Return the variables with which a program has a locale, which is made in a folder."""
    if locale == "C":
        return {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    language, encoding = _MADE[locale]
    made = os.path.join(folder, "locales", locale)
    os.makedirs(os.path.dirname(made), exist_ok=True)
    subprocess.run(["localedef", "-i", language, "-f", encoding, made], check=True, capture_output=True)
    return {"LC_ALL": locale, "LOCPATH": os.path.dirname(made)}
