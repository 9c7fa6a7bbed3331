"""A page of another site can neither read nor write through the browser of a person who runs a server.

Requests come from a raw socket: the headers are what a browser sends for a page of an attacker.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.raw_http import send
from tests.support.servers import Client, Server
from towpath.server.cross_site_check import HostAllowList, foreign_write_reason

BOUNDARY = "frontier"
UPLOAD = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    f"A note.\r\n--{BOUNDARY}--\r\n"
).encode()
FORM = f"Content-Type: multipart/form-data; boundary={BOUNDARY}"
READ_PATHS = (
    "/",
    "/docs",
    "/openapi.json",
    "/documents",
    "/search?q=a",
    "/jobs",
    "/metrics",
    "/operations",
    "/audit",
)


class TestDnsRebinding:
    """The name of the attacker points to 127.0.0.1; Host and Origin agree with each other."""

    @pytest.mark.parametrize("path", READ_PATHS)
    @pytest.mark.parametrize(
        "host",
        [
            "evil.example",
            "evil.example:8000",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "a@localhost",
        ],
    )
    def test_a_foreign_host_reads_nothing(self, server: Server, path: str, host: str) -> None:
        assert send(server.port, "GET", path, f"Host: {host}").status in (400, 403)

    def test_a_foreign_host_writes_nothing(self, server: Server) -> None:
        headers = ("Host: evil.example", "Origin: http://evil.example", "Sec-Fetch-Site: same-origin", FORM)
        refused = send(server.port, "POST", "/documents", *headers, body=UPLOAD)
        assert refused.status == 403
        assert b"urn:towpath:host-not-allowed" in refused.body

    def test_no_host_and_two_hosts_are_refused(self, server: Server) -> None:
        assert send(server.port, "GET", "/documents").status in (400, 403)
        two = ("Host: 127.0.0.1", "Host: evil.example")
        assert send(server.port, "GET", "/documents", *two).status in (400, 403)
        assert send(server.port, "GET", "/documents", *reversed(two)).status in (400, 403)

    @pytest.mark.parametrize(
        "host", ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.53:1", "[::1]:8000"]
    )
    def test_names_of_this_machine_are_allowed(self, server: Server, host: str) -> None:
        assert send(server.port, "GET", "/documents", f"Host: {host}").status == 200

    @pytest.mark.parametrize("path", ["/health", "/ready"])
    def test_probes_may_use_any_host_and_learn_no_names(self, server: Server, path: str) -> None:
        answer = send(server.port, "GET", path, "Host: 10.1.2.3:8000")
        assert answer.status == 200
        assert b'"differences":[]' in answer.body or path == "/health"

    def test_the_setting_allows_more_names(self, tmp_path: Path) -> None:
        names = {"TOWPATH_ALLOWED_HOSTS": "papers.example, other.example:8443"}
        with Server(tmp_path / "data", settings=names) as named:
            for host, status in (
                ("papers.example", 200),
                ("papers.example:80", 200),
                ("other.example:8443", 200),
                ("other.example", 403),
                ("evil.example", 403),
            ):
                assert send(named.port, "GET", "/documents", f"Host: {host}").status == status, host


class TestCrossSiteRequests:
    """The page sends a request to this server; the browser adds its own headers, whatever the page adds."""

    @pytest.mark.parametrize(
        "headers",
        [
            ("Origin: https://evil.example",),
            ("Origin: https://evil.example", "Authorization: Bearer"),
            ("Origin: null",),
            ("Origin: http://127.0.0.1:1",),
            ("Origin: https://evil.example", "Sec-Fetch-Site: same-origin"),
            ("Sec-Fetch-Site: cross-site",),
            ("Sec-Fetch-Site: same-site",),
            ("Sec-Fetch-Site: cross-site", "Content-Type: text/plain"),
            ("Origin: ",),
            ("Origin: {own}", "Origin: https://evil.example"),
            ("Origin: http://evil.example@{host}",),
            ("Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"),
        ],
    )
    def test_writes_are_refused(self, server: Server, headers: tuple[str, ...]) -> None:
        host = f"Host: 127.0.0.1:{server.port}"
        name = f"127.0.0.1:{server.port}"
        headers = tuple(header.format(host=name, own=f"http://{name}") for header in headers)
        total = Client(server.url).get("/documents")["total"]
        for method, path in (
            ("POST", "/documents"),
            ("POST", "/jobs/retry"),
            ("POST", "/keys"),
            ("DELETE", "/documents/00000000-0000-7000-8000-000000000001"),
        ):
            answer = send(server.port, method, path, host, *headers, FORM, body=UPLOAD)
            assert answer.status in (401, 403), (method, path, answer.body)
        assert Client(server.url).get("/documents")["total"] == total

    def test_a_valid_key_does_not_open_the_door_to_other_origins(self, server: Server) -> None:
        created = Client(server.url).http.post("/keys", json={"name": "page"}).json()
        key = f"Authorization: Bearer {created['secret']}"
        host = f"Host: 127.0.0.1:{server.port}"
        for foreign in ("Origin: https://evil.example", "Sec-Fetch-Site: cross-site"):
            assert (
                send(server.port, "POST", "/documents", host, key, foreign, FORM, body=UPLOAD).status == 403
            )
        # A program sends neither header, and may use any name of the server.
        assert send(server.port, "POST", "/documents", "Host: papers", key, FORM, body=UPLOAD).status == 200

    def test_the_page_itself_and_programs_write(self, server: Server) -> None:
        host = f"Host: 127.0.0.1:{server.port}"
        own = (f"Origin: http://127.0.0.1:{server.port}", "Sec-Fetch-Site: same-origin")
        assert send(server.port, "POST", "/documents", host, *own, FORM, body=UPLOAD).status == 200
        assert (
            send(server.port, "POST", "/documents", host, "Sec-Fetch-Site: none", FORM, body=UPLOAD).status
            == 200
        )
        assert send(server.port, "POST", "/documents", host, FORM, body=UPLOAD).status == 200

    def test_responses_cannot_be_embedded_or_opened_by_other_sites(self, server: Server) -> None:
        headers = send(server.port, "GET", "/documents", "Host: localhost").headers
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in headers


def test_a_proxy_that_ends_tls_is_the_same_origin() -> None:
    none = HostAllowList("127.0.0.1", ())
    assert foreign_write_reason("papers.example", "https://papers.example", "same-origin", none) is None
    assert foreign_write_reason("papers.example:8443", "https://papers.example:8443", None, none) is None
    assert foreign_write_reason("papers.example", "https://papers.example:8443", None, none) is not None
    # A proxy that sends its own Host: the setting names the origin.
    named = HostAllowList("127.0.0.1", ("papers.example",))
    assert foreign_write_reason("127.0.0.1:8000", "https://papers.example", "same-origin", named) is None
    assert foreign_write_reason("127.0.0.1:8000", "https://papers.example:1", None, named) is not None
