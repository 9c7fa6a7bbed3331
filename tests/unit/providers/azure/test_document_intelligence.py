"""The Document Intelligence client starts, polls and deletes analyses, pays once and translates errors."""

from __future__ import annotations

import hashlib
import re
import socket
import sys
from collections.abc import AsyncIterator
from email.utils import formatdate

import pytest
from aiohttp import web

from tests.support.emulators import DocumentIntelligenceEmulator, Fault
from tests.support.emulators.faults import Kind
from tests.support.emulators.sample_sources import BytesSource, Text, invoice_pdf, pdf
from towpath.errors import Ambiguous, ConfigError, Refused, Rejected, Throttled, Transient
from towpath.model.provider_answer import Answer, Pending
from towpath.providers.azure.document_intelligence import DocumentIntelligence
from towpath.providers.azure.errors import error_from_response, retry_after
from towpath.providers.contract import LongRunning

ONE_PAGE = BytesSource(pdf([Text("A short letter.")]))


async def finish(analyzer: DocumentIntelligence, operation: str) -> Answer:
    while isinstance(answer := await analyzer.poll(operation), Pending):
        pass
    return answer


async def test_an_analysis_is_started_once_and_polled_until_it_is_ready(
    service: DocumentIntelligenceEmulator, analyzer: DocumentIntelligence
) -> None:
    assert isinstance(analyzer, LongRunning)
    operation = await analyzer.start(BytesSource(invoice_pdf()))

    assert await analyzer.poll(operation) == Pending()
    answer = await analyzer.poll(operation)

    assert isinstance(answer, Answer)
    assert answer.units == {"pages": 2.0}
    assert answer.cost == pytest.approx(0.02)
    assert service.bill.operations == 1
    assert service.bill.by_content == {hashlib.sha256(invoice_pdf()).hexdigest(): 1}
    query = service.requests[0]["path"]
    assert "stringIndexType=unicodeCodePoint" in query
    assert "features=keyValuePairs" in query
    assert "outputContentFormat=markdown" in query


async def test_another_process_continues_with_the_operation_id_alone(
    service: DocumentIntelligenceEmulator, analyzer: DocumentIntelligence
) -> None:
    operation = await analyzer.start(ONE_PAGE)
    successor = DocumentIntelligence(service.url, service.key)

    assert (await finish(successor, operation)).units == {"pages": 1.0}
    assert service.bill.operations == 1
    await successor.aclose()


async def test_retry_after_of_a_poll_is_used(service: DocumentIntelligenceEmulator) -> None:
    service.retry_after = 7
    analyzer = DocumentIntelligence(service.url, service.key)
    operation = await analyzer.start(ONE_PAGE)

    assert await analyzer.poll(operation) == Pending(7.0)
    await analyzer.aclose()


async def test_a_deleted_analysis_is_gone_from_the_service(analyzer: DocumentIntelligence) -> None:
    operation = await analyzer.start(ONE_PAGE)
    await finish(analyzer, operation)
    await analyzer.delete_remote_copy(operation)
    await analyzer.delete_remote_copy(operation)

    with pytest.raises(Transient, match="expired"):
        await analyzer.poll(operation)


async def test_an_expired_operation_says_so(
    service: DocumentIntelligenceEmulator, analyzer: DocumentIntelligence
) -> None:
    operation = await analyzer.start(ONE_PAGE)
    service.faults.add(Fault("poll", "expired"))

    with pytest.raises(Transient, match=r"expired.*24 hours.*started again"):
        await analyzer.poll(operation)


async def test_an_operation_that_never_ends_stays_pending(
    service: DocumentIntelligenceEmulator, analyzer: DocumentIntelligence
) -> None:
    operation = await analyzer.start(ONE_PAGE)
    service.faults.add(Fault("poll", "running", times=-1))

    assert [await analyzer.poll(operation) for _ in range(5)] == [Pending()] * 5


async def test_the_service_can_download_a_document_by_url(
    service: DocumentIntelligenceEmulator, unused_tcp_port: int
) -> None:
    async def give(_: web.Request) -> web.Response:
        return web.Response(body=ONE_PAGE.data)

    app = web.Application()
    app.add_routes([web.get("/letter.pdf", give)])
    storage = web.AppRunner(app)
    await storage.setup()
    await web.TCPSite(storage, "127.0.0.1", unused_tcp_port).start()
    address = f"http://127.0.0.1:{unused_tcp_port}/letter.pdf"
    analyzer = DocumentIntelligence(service.url, service.key, by_url=True)

    operation = await analyzer.start(BytesSource(ONE_PAGE.data, address=address))

    assert (await finish(analyzer, operation)).units == {"pages": 1.0}
    assert service.requests[0]["bytes"] < 200
    await analyzer.aclose()
    await storage.cleanup()


async def test_the_free_tier_reads_two_pages_and_the_count_shows_it() -> None:
    async with DocumentIntelligenceEmulator(free_tier=True) as service:
        analyzer = DocumentIntelligence(service.url, service.key)
        operation = await analyzer.start(BytesSource(pdf(*[[Text(f"Page {n}")] for n in range(5)])))

        assert (await finish(analyzer, operation)).units == {"pages": 2.0}
        await analyzer.aclose()


async def test_a_wrong_key_is_refused(service: DocumentIntelligenceEmulator) -> None:
    unauthorized = DocumentIntelligence(service.url, "stolen")

    with pytest.raises(Refused, match="invalid subscription key"):
        await unauthorized.start(ONE_PAGE)
    assert service.bill.operations == 0
    await unauthorized.aclose()


async def test_an_unknown_model_is_refused(service: DocumentIntelligenceEmulator) -> None:
    analyzer = DocumentIntelligence(service.url, service.key, model="my-model")

    with pytest.raises(Refused, match="model"):
        await analyzer.start(ONE_PAGE)
    await analyzer.aclose()


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault("*", "status", status=403), Refused),
        (Fault("*", "status", status=500), Transient),
        (Fault("*", "status", status=502), Transient),
        (Fault("*", "status", status=503), Transient),
        (Fault("*", "status", status=503, retry_after=5), Throttled),
    ],
)
async def test_error_answers_mean_the_same_at_start_and_at_poll(
    service: DocumentIntelligenceEmulator,
    analyzer: DocumentIntelligence,
    fault: Fault,
    error: type[Exception],
) -> None:
    fault.times = -1
    service.faults.add(fault)

    with pytest.raises(error):
        await analyzer.start(ONE_PAGE)
    with pytest.raises(error):
        await analyzer.poll("any")
    assert service.count("analyze") == 1, "the SDK must not repeat a paid request by itself"
    assert service.bill.operations == 0


async def test_throttling_carries_retry_after(
    service: DocumentIntelligenceEmulator, analyzer: DocumentIntelligence
) -> None:
    service.faults.add(Fault("analyze", "status", status=429, retry_after=13))

    with pytest.raises(Throttled, match="rate limit") as caught:
        await analyzer.start(ONE_PAGE)
    assert caught.value.retry_after == 13.0
    assert service.count("analyze") == 1


@pytest.mark.parametrize("kind", ["drop", "hang"])
async def test_an_answer_lost_after_sending_is_ambiguous(
    service: DocumentIntelligenceEmulator, kind: Kind
) -> None:
    service.faults.add(Fault("analyze", kind))
    analyzer = DocumentIntelligence(service.url, service.key, read_timeout=0.3)

    with pytest.raises(Ambiguous, match="may be billed"):
        await analyzer.start(BytesSource(invoice_pdf()))
    assert service.bill.operations == 1
    await analyzer.aclose()


@pytest.mark.parametrize("kind", ["drop", "hang"])
async def test_an_answer_lost_while_polling_costs_nothing(
    service: DocumentIntelligenceEmulator, kind: Kind
) -> None:
    analyzer = DocumentIntelligence(service.url, service.key, read_timeout=0.3)
    operation = await analyzer.start(ONE_PAGE)
    service.faults.add(Fault("poll", kind, times=2))  # aiohttp repeats a GET once by itself

    with pytest.raises(Transient):
        await analyzer.poll(operation)
    service.faults.clear()
    assert (await finish(analyzer, operation)).units == {"pages": 1.0}
    assert service.bill.operations == 1
    await analyzer.aclose()


async def test_an_unreachable_server_is_a_transient_error(unused_tcp_port: int) -> None:
    analyzer = DocumentIntelligence(f"http://127.0.0.1:{unused_tcp_port}", "key")

    with pytest.raises(Transient, match="did not answer"):
        await analyzer.start(ONE_PAGE)
    await analyzer.aclose()


async def test_a_connection_closed_during_the_upload_is_a_transient_error() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        analyzer = DocumentIntelligence(f"http://127.0.0.1:{listener.getsockname()[1]}", "key")

        class Cut(BytesSource):
            async def stream(self) -> AsyncIterator[bytes]:
                yield self.data[:100]
                listener.accept()[0].close()
                for _ in range(100):
                    yield self.data[:100_000]

        with pytest.raises(Transient):
            await analyzer.start(Cut(bytes(10_000_100)))
        await analyzer.aclose()


async def test_a_short_stored_file_is_not_reported_as_ambiguous(
    service: DocumentIntelligenceEmulator, analyzer: DocumentIntelligence
) -> None:
    with pytest.raises(Transient, match="has 10 bytes; 20 bytes were expected"):
        await analyzer.start(BytesSource(b"%PDF-1.7\n\n", stated_size=20))
    assert service.bill.operations == 0


async def test_an_empty_file_is_not_sent(
    service: DocumentIntelligenceEmulator, analyzer: DocumentIntelligence
) -> None:
    with pytest.raises(Rejected) as caught:
        await analyzer.start(BytesSource(b""))
    assert caught.value.code == "empty"
    assert service.requests == []


async def test_bytes_of_no_known_format_are_rejected_at_once(analyzer: DocumentIntelligence) -> None:
    with pytest.raises(Rejected, match="cannot open this file") as caught:
        await analyzer.start(BytesSource(b"just some words"))
    assert caught.value.code == "corrupt"


@pytest.mark.parametrize(
    "document", [b"%PDF-1.7\nnothing more", pdf([Text("secret")], password="sesame")], ids=["torn", "locked"]
)
async def test_a_pdf_that_cannot_be_opened_is_rejected_at_the_end(
    analyzer: DocumentIntelligence, document: bytes
) -> None:
    operation = await analyzer.start(BytesSource(document))

    with pytest.raises(Rejected) as caught:
        await finish(analyzer, operation)
    assert caught.value.code == "corrupt"


async def test_a_file_too_large_for_the_tier_is_rejected() -> None:
    async with DocumentIntelligenceEmulator(free_tier=True) as service:
        analyzer = DocumentIntelligence(service.url, service.key)
        with pytest.raises(Rejected) as caught:
            await analyzer.start(BytesSource(b"%PDF-" + bytes(4 * 1024 * 1024)))
        assert caught.value.code == "too_large"
        await analyzer.aclose()


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (Fault("poll", "failed", code="InternalServerError"), Transient, "could not finish"),
        (Fault("poll", "failed", code="UnsupportedContent"), Rejected, "PDF"),
        (Fault("poll", "failed", code="Unheard"), Transient, "started again"),
        (Fault("poll", "failed", state="skipped"), Rejected, "skipped"),
        (Fault("poll", "failed", state="canceled", code="Unheard"), Transient, "canceled"),
    ],
)
async def test_a_failed_analysis_raises_the_translated_error(
    service: DocumentIntelligenceEmulator,
    analyzer: DocumentIntelligence,
    fault: Fault,
    error: type[Exception],
    said: str,
) -> None:
    operation = await analyzer.start(ONE_PAGE)
    service.faults.add(fault)

    with pytest.raises(error, match=said):
        await analyzer.poll(operation)


async def test_a_missing_package_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "azure.ai.documentintelligence.aio", None)

    with pytest.raises(ConfigError, match=re.escape("pip install 'towpath[azure]'")):
        await DocumentIntelligence("http://x", "k").start(ONE_PAGE)


def test_an_error_page_without_json_is_classified_by_status() -> None:
    page = b"<html>413 Request Entity Too Large</html>"
    too_large = error_from_response(413, {}, page)

    assert isinstance(too_large, Rejected)
    assert too_large.code == "too_large"
    assert isinstance(error_from_response(415, {}, page), Rejected)
    assert isinstance(error_from_response(504, {}, page), Transient)


def test_retry_after_is_a_number_or_a_date() -> None:
    assert retry_after({"Retry-After": "2.5"}) == 2.5
    assert retry_after({"Retry-After": formatdate(0, usegmt=True)}) == 0.0
    assert retry_after({"Retry-After": "soon"}) is None
    assert retry_after({}) is None


def test_office_files_are_accepted_by_read_and_layout_models_only() -> None:
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

    assert DocumentIntelligence("http://x", "k").accepts(word)
    assert not DocumentIntelligence("http://x", "k", model="prebuilt-invoice").accepts(word)
    assert not DocumentIntelligence("http://x", "k").accepts("application/epub+zip")
