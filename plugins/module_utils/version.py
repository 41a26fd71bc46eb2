# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The version of the collection and of the command, the one place it is written down."""

VERSION = "0.2.0"
