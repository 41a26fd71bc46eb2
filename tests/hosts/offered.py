# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages that guides install on hosts, in small: programs that check, serve and store as the real ones do."""

from __future__ import annotations

from .aptrepo import Deb


def unit(command):
    """The text of a unit that runs a program."""
    return f"[Service]\nExecStart={command}\n[Install]\nWantedBy=multi-user.target\n"


#: It checks its file as sshd does, as far as a word at the beginning of each line.
SSHD = "#!/bin/sh\n! grep -vE '^(PasswordAuthentication|PermitRootLogin) (yes|no)$' \"$3\"\n"
#: libc6 breaks earlier versions.
OPENSSH = Deb(
    "openssh-server",
    "1:10.0-1",
    files={
        "/usr/sbin/sshd": SSHD,
        "/lib/systemd/system/ssh.service": unit("/bin/sleep infinity"),
        "/etc/ssh/sshd_config.d/empty.conf": "",
    },
)

#: Servers are active before they listen, as real ones are on a busy machine. With the second, the first try of a health
#: check comes too early on a fast machine as well, and guides have to say so; no test waits for it to pass.
SERVER = """#!/usr/bin/python3 -I
import functools, glob, http.server, re, sys, time

def serve(address, port, handler):
    time.sleep(1)
    http.server.ThreadingHTTPServer((address, port), handler).serve_forever()

"""

#: It refuses a line without its semicolon, and serves the directory of one server.
NGINX = Deb(
    "nginx",
    files={
        "/usr/sbin/nginx": SERVER
        + """text = "".join(open(path).read() for path in sorted(glob.glob("/etc/nginx/conf.d/*.conf")))
for line in text.splitlines():
    if line.strip() and line.rstrip()[-1] not in ";{}":
        sys.exit('nginx: [emerg] directive "' + line.split()[0] + '" is not terminated by ";"')
if "-t" not in sys.argv:
    root, port = re.search(r"root (\\S+);", text)[1], int(re.search(r"listen (\\d+);", text)[1])
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=root)
    serve("127.0.0.1", port, handler)
""",
        "/lib/systemd/system/nginx.service": unit("/usr/sbin/nginx"),
        "/etc/nginx/conf.d/empty.conf": "",
    },
)

#: Its databases are directories, and their backup names them.
MARIADB = Deb(
    "mariadb-server",
    files={
        "/usr/bin/mariadb": """#!/bin/sh
case $2 in
"CREATE DATABASE "*) mkdir "/var/lib/mysql/${2##* }" ;;
"USE "*) test -d "/var/lib/mysql/${2##* }" ;;
*) exit 1 ;;
esac
""",
        "/usr/bin/mariadb-dump": "#!/bin/sh\ntest -d /var/lib/mysql/$2 && echo -- $2\n",
        "/lib/systemd/system/mariadb.service": unit("/bin/sleep infinity"),
        "/etc/mysql/mariadb.conf.d/50-server.cnf": "",
        "/var/lib/mysql/ibdata1": "",
    },
)

#: A container serves its volume at the published port.
PODMAN = Deb(
    "podman",
    files={
        "/usr/bin/podman": SERVER
        + """if sys.argv[1] == "run":
    address, port, _inside = sys.argv[sys.argv.index("--publish") + 1].split(":")
    volume = sys.argv[sys.argv.index("--volume") + 1].partition(":")[0]
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=volume)
    serve(address, int(port), handler)
""",
        "/etc/containers/registries.conf.d/empty.conf": "",
    },
)

#: It has one figure.
EXPORTER = Deb(
    "prometheus-node-exporter",
    files={
        "/usr/bin/prometheus-node-exporter": SERVER
        + """
class Figures(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"node_load1 0.25\\n")

serve("127.0.0.1", 9100, Figures)
""",
        "/lib/systemd/system/prometheus-node-exporter.service": unit("/usr/bin/prometheus-node-exporter"),
    },
)

ALL = (OPENSSH, NGINX, MARIADB, PODMAN, EXPORTER)

#: What docs/runner.md names in commands.
NAMED = (
    Deb("openssl", "9.0-1"),
    *(
        Deb(name, "9.0-1", files={f"/lib/systemd/system/{name}.service": unit("/bin/sleep infinity")})
        for name in ("apache2", "rpcbind", "cron")
    ),
)
