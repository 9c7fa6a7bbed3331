"""The SpeechKit client starts, polls and deletes recognitions, pays once and translates errors."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web

from tests.support.emulators import Fault, SpeechKitEmulator
from tests.support.emulators.faults import Kind
from tests.support.emulators.ogg import silence
from tests.support.emulators.sample_sources import BytesSource
from towpath.errors import Ambiguous, Refused, Rejected, Throttled, Transient
from towpath.model.provider_answer import Answer, Pending
from towpath.providers.contract import LongRunning
from towpath.providers.yandex.errors import error_from_response
from towpath.providers.yandex.parse_transcript import parse_transcript
from towpath.providers.yandex.prices import billed_seconds
from towpath.providers.yandex.speechkit_v2 import SpeechKitV2
from towpath.providers.yandex.speechkit_v3 import SpeechKit

CALL = BytesSource(silence(61.3), "audio/ogg")


async def finish(speechkit: SpeechKit | SpeechKitV2, operation: str) -> Answer:
    while isinstance(answer := await speechkit.poll(operation), Pending):
        pass
    return answer


async def test_a_recording_is_sent_once_and_polled_until_the_transcript_is_ready(
    service: SpeechKitEmulator, speechkit: SpeechKit
) -> None:
    assert isinstance(speechkit, LongRunning)
    operation = await speechkit.start(CALL)

    assert await speechkit.poll(operation) == Pending()
    answer = await speechkit.poll(operation)

    assert isinstance(answer, Answer)
    assert answer.units["seconds"] == pytest.approx(61.3, abs=0.02)
    assert answer.cost == pytest.approx(62 * 0.000128)
    assert service.bill.operations == 1
    assert service.bill.units == {"seconds": 62.0}
    assert service.bill.by_content == {hashlib.sha256(CALL.data).hexdigest(): 1}
    transcript = parse_transcript(answer.body)
    assert transcript.segments[0].text == "Good morning, this is the harbour office, how can I help you?"
    assert {segment.speaker for segment in transcript.segments} == {"Speaker 1", "Speaker 2"}


async def test_recordings_of_every_length_arrive_unchanged(
    service: SpeechKitEmulator, speechkit: SpeechKit
) -> None:
    for label in ("", "a", "ab"):  # the three remainders of a length divided by three
        recording = silence(2.0, label)
        await speechkit.start(BytesSource(recording, "audio/ogg"))
        assert service.bill.by_content[hashlib.sha256(recording).hexdigest()] == 1


async def test_another_process_continues_with_the_operation_id_alone(
    service: SpeechKitEmulator, speechkit: SpeechKit
) -> None:
    operation = await speechkit.start(CALL)
    successor = SpeechKit(service.key, stt_url=service.url, operations_url=service.url)

    assert (await finish(successor, operation)).units["seconds"] > 60
    assert service.bill.operations == 1
    await successor.aclose()


async def test_a_finished_operation_without_data_stays_pending() -> None:
    async with SpeechKitEmulator(late_data=2, polls=0) as service:
        speechkit = SpeechKit(service.key, stt_url=service.url, operations_url=service.url)
        operation = await speechkit.start(CALL)

        assert [await speechkit.poll(operation) for _ in range(2)] == [Pending(), Pending()]
        assert isinstance(await speechkit.poll(operation), Answer)
        await speechkit.aclose()


async def test_a_deleted_recognition_is_gone_from_the_service(speechkit: SpeechKit) -> None:
    operation = await speechkit.start(CALL)
    await finish(speechkit, operation)
    await speechkit.delete_remote_copy(operation)
    await speechkit.delete_remote_copy(operation)

    with pytest.raises(Transient, match="expired"):
        await speechkit.poll(operation)


async def test_an_expired_operation_says_so(service: SpeechKitEmulator, speechkit: SpeechKit) -> None:
    operation = await speechkit.start(CALL)
    await speechkit.poll(operation)
    service.faults.add(Fault("poll", "expired"))

    with pytest.raises(Transient, match=r"expired.*3 days.*started again"):
        await speechkit.poll(operation)


async def test_a_missing_transcript_of_an_old_operation_has_expired(
    service: SpeechKitEmulator, speechkit: SpeechKit
) -> None:
    operation = await speechkit.start(CALL)
    service.polls = 0
    service.operations[operation].finished_at = datetime.now(UTC) - timedelta(days=3)
    service.faults.add(Fault("result", "expired"))

    with pytest.raises(Transient, match=r"expired.*3 days.*started again"):
        await speechkit.poll(operation)


async def test_an_operation_that_never_ends_stays_pending(
    service: SpeechKitEmulator, speechkit: SpeechKit
) -> None:
    operation = await speechkit.start(CALL)
    service.faults.add(Fault("poll", "running", times=-1))

    assert [await speechkit.poll(operation) for _ in range(5)] == [Pending()] * 5


@pytest.mark.parametrize(
    ("code", "error"), [("3", Rejected), ("8", Transient), ("13", Transient), ("16", Refused)]
)
async def test_a_failed_recognition_raises_the_translated_error(
    service: SpeechKitEmulator, speechkit: SpeechKit, code: str, error: type[Exception]
) -> None:
    operation = await speechkit.start(CALL)
    service.faults.add(Fault("poll", "failed", code=code))

    with pytest.raises(error, match="Recognition failed"):
        await speechkit.poll(operation)


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, Refused), (403, Refused), (429, Throttled), (500, Transient), (503, Transient), (504, Transient)],
)
async def test_error_answers_mean_the_same_at_start_and_at_poll(
    service: SpeechKitEmulator, speechkit: SpeechKit, status: int, error: type[Exception]
) -> None:
    service.faults.add(Fault("*", "status", status=status, times=-1))

    with pytest.raises(error):
        await speechkit.start(CALL)
    with pytest.raises(error):
        await speechkit.poll("any")
    assert service.count("recognize") == 1
    assert service.bill.operations == 0


async def test_a_wrong_key_is_refused_with_the_role_it_needs(service: SpeechKitEmulator) -> None:
    unauthorized = SpeechKit("stolen", stt_url=service.url, operations_url=service.url)

    with pytest.raises(Refused, match=r"ai\.speechkit-stt\.user"):
        await unauthorized.start(CALL)
    await unauthorized.aclose()


@pytest.mark.parametrize("kind", ["drop", "hang"])
async def test_an_answer_lost_after_sending_is_ambiguous(service: SpeechKitEmulator, kind: Kind) -> None:
    service.faults.add(Fault("recognize", kind))
    speechkit = SpeechKit(service.key, stt_url=service.url, operations_url=service.url, timeout=0.3)

    with pytest.raises(Ambiguous, match="may be billed"):
        await speechkit.start(CALL)
    assert service.bill.operations == 1
    await speechkit.aclose()


async def test_an_answer_lost_while_polling_costs_nothing(
    service: SpeechKitEmulator, speechkit: SpeechKit
) -> None:
    operation = await speechkit.start(CALL)
    service.faults.add(Fault("poll", "drop"))

    with pytest.raises(Transient):
        await speechkit.poll(operation)
    assert (await finish(speechkit, operation)).units["seconds"] > 60
    assert service.bill.operations == 1


async def test_an_unreachable_server_is_a_transient_error(unused_tcp_port: int) -> None:
    nowhere = f"http://127.0.0.1:{unused_tcp_port}"
    speechkit = SpeechKit("key", stt_url=nowhere, operations_url=nowhere)

    with pytest.raises(Transient, match="could not be reached"):
        await speechkit.start(CALL)
    with pytest.raises(Transient, match="did not answer"):
        await speechkit.poll("any")
    await speechkit.aclose()


async def test_a_connection_closed_during_the_upload_is_a_transient_error() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        speechkit = SpeechKit("key", stt_url=f"http://127.0.0.1:{listener.getsockname()[1]}")

        class Cut(BytesSource):
            async def stream(self) -> AsyncIterator[bytes]:
                yield self.data[:100]
                listener.accept()[0].close()
                for _ in range(100):
                    yield self.data[:100_000]

        with pytest.raises(Transient):
            await speechkit.start(Cut(bytes(10_000_100), "audio/ogg"))
        await speechkit.aclose()


async def test_a_short_stored_file_is_not_reported_as_ambiguous(
    service: SpeechKitEmulator, speechkit: SpeechKit
) -> None:
    with pytest.raises(Transient, match="has 4 bytes; 9 bytes were expected"):
        await speechkit.start(BytesSource(b"OggS", "audio/ogg", stated_size=9))
    assert service.bill.operations == 0


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (BytesSource(b"", "audio/ogg"), "empty"),
        (BytesSource(b"RIFF", "audio/flac"), "unsupported"),
        (BytesSource(b"", "audio/ogg", stated_size=48_000_000), "too_large"),
    ],
    ids=["empty", "flac", "too large"],
)
async def test_an_invalid_recording_is_not_sent(
    service: SpeechKitEmulator, speechkit: SpeechKit, source: BytesSource, code: str
) -> None:
    with pytest.raises(Rejected) as caught:
        await speechkit.start(source)
    assert caught.value.code == code
    assert service.requests == []


async def test_bytes_that_are_not_audio_are_rejected(speechkit: SpeechKit) -> None:
    with pytest.raises(Rejected, match="cannot be decoded"):
        await speechkit.start(BytesSource(b"just some words", "audio/ogg"))


async def test_version_2_downloads_the_recording_by_its_url(
    service: SpeechKitEmulator, speechkit_v2: SpeechKitV2, unused_tcp_port: int
) -> None:
    async def give(_: web.Request) -> web.Response:
        return web.Response(body=CALL.data)

    app = web.Application()
    app.add_routes([web.get("/call.ogg", give)])
    bucket = web.AppRunner(app)
    await bucket.setup()
    await web.TCPSite(bucket, "127.0.0.1", unused_tcp_port).start()
    address = f"http://127.0.0.1:{unused_tcp_port}/call.ogg"

    operation = await speechkit_v2.start(BytesSource(CALL.data, "audio/ogg", address))
    assert await speechkit_v2.poll(operation) == Pending()
    answer = await finish(speechkit_v2, operation)
    await speechkit_v2.delete_remote_copy(operation)

    first = parse_transcript(answer.body).segments[0]
    assert first.text.startswith("Good morning, this is the harbour office")
    assert (first.start, first.words[0].text) == (0.0, "good")
    assert 55 < answer.units["seconds"] < 62
    assert service.bill.operations == 1
    await bucket.cleanup()


async def test_version_2_needs_a_signed_url(speechkit_v2: SpeechKitV2) -> None:
    with pytest.raises(Refused, match="Use API v3"):
        await speechkit_v2.start(CALL)
    with pytest.raises(Rejected, match="OGG Opus"):
        await speechkit_v2.start(BytesSource(b"x", "audio/wav"))


def test_an_error_page_without_json_is_classified_by_status() -> None:
    assert isinstance(error_from_response(502, {}, b"<html>"), Transient)
    throttled = error_from_response(429, {"Retry-After": "9"}, b"<html>")
    assert isinstance(throttled, Throttled)
    assert throttled.retry_after == 9.0


def test_billing_is_by_the_second_and_for_15_at_least() -> None:
    assert [billed_seconds(s) for s in (0.5, 15.0, 15.5)] == [15, 15, 16]
