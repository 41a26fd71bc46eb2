# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Sphinx needs to know of the site. Its pages are below build/site/source (build.py)."""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

project = "ccm.core"
author = "ccm.core contributors"
copyright = author
release = (ROOT / "plugins/module_utils/version.py").read_text("utf-8").partition('VERSION = "')[2].partition('"')[0]
html_title = f"ccm.core {release}"

extensions = ["myst_parser", "sphinx_antsibull_ext", "tests.site.drawings"]
root_doc = "index"
exclude_patterns: list[str] = []
nitpicky = True
# What is not ours: pages of Ansible's own documentation, to which antsibull-docs links.
nitpick_ignore_regex = [
    ("std:ref", r"ansible_collections\.ansible\..*|action_plugins|common_return_values|ansible_configuration_settings"),
    ("std:envvar", "ANSIBLE_.*"),  # settings of Ansible itself
]
suppress_warnings = [
    "misc.highlighting_failure",  # wrong manifests as examples, and output with dots for the rest
    "myst.header",  # a page that begins with a smaller heading
]

myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_last_updated_fmt = None
html_permalinks_icon = "#"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_theme_options = {"navigation_with_keys": False, "top_of_page_buttons": []}
