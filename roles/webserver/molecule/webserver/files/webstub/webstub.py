# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A web server that knows `listen PORT;` and `root DIRECTORY;`: webstub [-t] -c FILE, as nginx is called."""

import argparse
import functools
import http.server
import re
import sys

parser = argparse.ArgumentParser()
parser.add_argument("-t", action="store_true", help="check the configuration only")
parser.add_argument("-c", required=True, help="the configuration")
given = parser.parse_args()
with open(given.c, encoding="utf-8") as file:
    text = file.read()
listen = re.search(r"^\s*listen (\d+);$", text, re.MULTILINE)
root = re.search(r"^\s*root (\S+);$", text, re.MULTILINE)
if not listen or not root:
    sys.exit("webstub: no listen, or no root")
if given.t:
    sys.exit()
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=root[1])
http.server.ThreadingHTTPServer(("127.0.0.1", int(listen[1])), handler).serve_forever()
