# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives of a real nginx in a booted host: large, in parts, by TLS, by way of redirects, slow and cut off."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest

from .conftest import host_with_command

SIZE = 40
CONFIG = """
log_format requests '$server_port $request_method $uri $status range=$http_range '
    'auth=$http_authorization token=$http_x_token';
access_log /var/log/nginx/requests.log requests;
server {
    listen 127.0.0.1:8080;
    root /srv/www;
    location /slow/ { alias /srv/www/; limit_rate 8m; }
    location /crawl/ { alias /srv/www/; limit_rate 100k; }
    location /whole/ { alias /srv/www/; limit_rate 8m; max_ranges 0; }
    location /moved/ { rewrite ^/moved/(.*)$ /$1 redirect; }
    location /away/ { rewrite ^/away/(.*)$ http://127.0.0.2:8081/$1 redirect; }
    location /busy/ { return 503; }
    location /secret/ { alias /srv/www/; auth_basic secret; auth_basic_user_file /etc/nginx/users; }
}
server { listen 127.0.0.2:8081; root /srv/www; }
server {
    listen 127.0.0.1:8443 ssl;
    server_name localhost;
    root /srv/www;
    ssl_certificate /srv/tls/server.crt;
    ssl_certificate_key /srv/tls/server.key;
}
"""
PREPARE = f"""
apt-get update -q && apt-get install -y -q --no-install-recommends nginx-light
mkdir -p /srv/www /srv/tls /srv/tree/app /srv/dl
head -c {SIZE}M /dev/urandom > /srv/tree/app/large
echo hello > /srv/tree/app/run
tar -C /srv/tree -czf /srv/www/a.tar.gz app
cd /srv/tls
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=test-authority 2>&1
openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost 2>&1
printf 'subjectAltName=DNS:localhost' > names
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt 2>&1
echo "ann:$(openssl passwd -apr1 s3cret)" > /etc/nginx/users
rm -f /etc/nginx/sites-enabled/default
echo '127.0.0.1 localhost' >> /etc/hosts
systemctl restart nginx
"""
HTTP = "http://127.0.0.1:8080"


@pytest.fixture(scope="module")
def web():
    """A Debian 12 host with nginx."""
    with host_with_command("bookworm", network=True) as host:
        host.write("/etc/nginx/conf.d/archives.conf", CONFIG)
        host.run(PREPARE, env={"DEBIAN_FRONTEND": "noninteractive"})
        yield host


@pytest.fixture(autouse=True)
def _empty(web):
    web.run("rm -rf /srv/dl /srv/out; mkdir /srv/dl; : > /var/log/nginx/requests.log; killall -q -HUP nginx || true")


def ensure(web, url, options="", env=None, **properties):
    """The event of one archive, in /srv/dl and with what it holds in /srv/out."""
    properties = {
        "name": "/srv/dl/a.tar.gz",
        "ensure": "present",
        "url": url,
        "owner": "root",
        "group": "root",
        "extract_parent": "/srv/out",
        "creates": "/srv/out/app/run",
        **properties,
    }
    request = {"protocol": "io.choria.ccm.v1.resource.ensure.request", "type": "archive", "properties": properties}
    done = web.run(f"ccm ensure {options} api pipe", input=json.dumps(request), env=env)
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)["state"], done


def asked(web):
    """What nginx was asked for: a request is logged when it is done, at the latest when nginx ends."""
    web.run("systemctl reset-failed nginx; systemctl restart nginx")
    return web.read("/var/log/nginx/requests.log").splitlines()


def is_whole(web):
    web.run("cmp /srv/tree/app/large /srv/out/app/large && cmp /srv/www/a.tar.gz /srv/dl/a.tar.gz")
    assert web.run("ls -A /srv/dl /srv/out").stdout.split() == ["/srv/dl:", "a.tar.gz", "/srv/out:", "app"]


def nothing_stays(web):
    assert web.run("ls -A /srv/dl").stdout.split() == []
    assert web.run("test -e /srv/out", check=False).returncode


def test_a_large_archive_takes_little_memory(web):
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
    script += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    command = f"{HTTP}/a.tar.gz --extract /srv/dl --creates /srv/dl/app/run"
    done = web.run(["python3", "-c", script, "ccm", "ensure", "archive", "/srv/dl/a.tar.gz", *command.split()])
    assert "changed" in done.stdout
    memory = int(done.stdout.split()[-1]) / 1024
    print(f"{memory:.1f} MiB for an archive of {SIZE} MiB")
    assert memory < 40
    web.run("cmp /srv/tree/app/large /srv/dl/app/large")


def test_what_was_cut_off_is_fetched_on(web):
    """nginx's workers are killed while they send; the rest is asked for, and the checksum is of the whole archive."""
    checksum = web.run("sha256sum /srv/www/a.tar.gz").stdout.split()[0]
    end = threading.Timer(1.5, lambda: web.run("pkill -9 -f 'nginx: worker'", check=False))
    end.start()
    event, done = ensure(web, f"{HTTP}/slow/a.tar.gz", checksum=checksum)
    end.join()
    assert event["changed"], event["error"]
    is_whole(web)
    assert re.search(r"tried again after \d+ bytes", done.stderr)
    ranges = [re.search(r" (\d+) range=(\S+)", line).groups() for line in asked(web)]
    assert ranges[-1][0] == "206"
    assert int(ranges[-1][1][len("bytes=") : -1]) > 1 << 20


def test_what_was_cut_off_begins_anew_where_there_are_no_parts(web):
    end = threading.Timer(1.5, lambda: web.run("pkill -9 -f 'nginx: worker'", check=False))
    end.start()
    event, _done = ensure(web, f"{HTTP}/whole/a.tar.gz")
    end.join()
    assert event["changed"], event["error"]
    is_whole(web)
    assert {re.search(r"range=(\S+)", line)[1] for line in asked(web)} == {"-"}


def test_a_slow_server_is_given_up_in_time_and_nothing_stays(web):
    manifest = """
ccm:
  engine: {download_timeout: 2s}
  resources:
    - archive:
        - /srv/dl/a.tar.gz:
            {ensure: present, url: "%s", extract_parent: /srv/out, owner: root, group: root}
"""
    web.write("/srv/slow.yaml", manifest % f"{HTTP}/crawl/a.tar.gz")
    before = time.monotonic()
    done = web.run("ccm apply /srv/slow.yaml")
    assert time.monotonic() - before >= 2
    assert "download failed: failed to perform HTTP request: the response took too long" in done.stdout
    nothing_stays(web)
    done = web.run(f"ccm ensure archive /srv/dl/a.tar.gz {HTTP}/crawl/a.tar.gz --download-timeout 1s")
    assert "took too long" in done.stdout


def test_a_busy_server_is_asked_as_often_as_is_said(web):
    done = web.run(f"ccm ensure archive /srv/dl/a.tar.gz {HTTP}/busy/a.tar.gz --download-tries 2")
    assert "HTTP request failed with status 503" in done.stdout
    assert len(asked(web)) == 2
    nothing_stays(web)


def test_redirects_take_secrets_no_further_than_their_server(web):
    secrets = {"username": "ann", "password": "s3cret", "headers": {"X-Token": "t0ken"}}
    for way in ("moved", "away"):
        web.run("rm -rf /srv/dl/* /srv/out")
        event, done = ensure(web, f"{HTTP}/{way}/a.tar.gz", **secrets)
        assert event["changed"], event["error"]
        assert "s3cret" not in done.stdout + done.stderr
        assert "t0ken" not in done.stdout + done.stderr
    first, moved, away, gone = asked(web)
    for line in (first, moved, away):
        assert line.endswith("auth=Basic YW5uOnMzY3JldA== token=t0ken")
    assert gone.startswith("8081 ")
    assert gone.endswith("auth=- token=-")


def test_basic_authentication(web):
    event, _done = ensure(web, f"{HTTP}/secret/a.tar.gz", username="ann", password="wrong")
    assert event["error"] == ["download failed: HTTP request failed with status 401: 401 Unauthorized"]
    nothing_stays(web)
    event, _done = ensure(web, "http://ann:s3cret@127.0.0.1:8080/secret/a.tar.gz")
    assert event["changed"], event["error"]


def test_tls_is_trusted_by_the_authorities_of_the_host_only(web):
    url = "https://localhost:8443/a.tar.gz"
    event, _done = ensure(web, url)
    assert "certificate verify failed" in event["error"][0]
    nothing_stays(web)
    event, _done = ensure(web, url, env={"SSL_CERT_FILE": "/srv/tls/ca.crt"})
    assert event["changed"], event["error"]
    web.run("rm -rf /srv/dl/* /srv/out; cp /srv/tls/ca.crt /usr/local/share/ca-certificates/ && update-ca-certificates")
    event, _done = ensure(web, url)
    assert event["changed"], event["error"]
    event, _done = ensure(web, url.replace("localhost", "127.0.0.1"), name="/srv/dl/b.tar.gz")
    assert "certificate" in event["error"][0]


def test_the_module(web, ansible):
    task = f"""
    - name: archive
      ccm.core.archive:
        name: /srv/dl/a.tar.gz
        ensure: present
        url: {HTTP}/secret/a.tar.gz
        username: ann
        password: s3cret
        extract_parent: /srv/out
        creates: /srv/out/app/run
        owner: root
        group: daemon
        download_timeout: 30s
    """
    node = ansible.on(web)
    run = node.play(task, "--check")
    assert run["archive"].msg == "Would have downloaded. Would have extracted"
    nothing_stays(web)
    run = node.play(task)
    assert run["archive"].outcome == "changed", run.output
    assert run["archive"].msg == "Downloaded. Extracted"
    assert "s3cret" not in run.output
    is_whole(web)
    assert node.play(task)["archive"].outcome == "ok"
    refused = node.play(task.replace("30s", "soon"))
    assert "download_timeout" in refused["archive"].msg
    assert "invalid duration" in refused["archive"].msg
