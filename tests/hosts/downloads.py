# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A web server of a host with one archive, by https and for one user."""

from __future__ import annotations

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.patience import wait_until
from tests.unit.archive_server import zipped

#: The path of the certificate in the host, which is its own authority.
CERTIFICATE = "/srv/downloads/certificate.pem"
CREDENTIALS = "ann:s3cret"
SERVER = f"""
import base64, http.server, ssl
given = "Basic " + base64.b64encode(b"{CREDENTIALS}").decode()

class Archive(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        right = self.headers.get("Authorization") == given
        body = open("/srv/downloads/archive", "rb").read() if right else b""
        self.send_response(200 if right else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("{CERTIFICATE}", "/srv/downloads/key.pem")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Archive)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def serve_archive(host, name, files):
    """Serve a zip of texts by name at each path of https://NAME, which leads to the host itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(subject, subject, key.public_key(), 1, now, now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.TraditionalOpenSSL
    host.write(
        "/srv/downloads/key.pem", key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    )
    host.write(CERTIFICATE, signed.public_bytes(serialization.Encoding.PEM))
    host.write("/srv/downloads/archive", zipped(files))
    host.write("/srv/downloads/server.py", SERVER)
    host.run(f"echo 127.0.0.1 {name} >> /etc/hosts")
    host.run("systemd-run --unit=downloads python3 /srv/downloads/server.py")
    asked = f"python3 -c 'import socket; socket.create_connection((\"{name}\", 443))'"
    wait_until(lambda: host.run(asked, check=False).returncode == 0)
