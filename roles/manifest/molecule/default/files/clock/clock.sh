#!/bin/sh
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# A service that notes with which settings it starts.
cat /etc/clock.conf >> /var/lib/clock/starts
exec sleep infinity
