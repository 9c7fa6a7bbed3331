"""The OpenAI embedder fits batches into limits, keeps the order of vectors and translates errors."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from tests.support.emulators import Fault, OpenAIEmulator
from tests.support.emulators.faults import Kind
from tests.support.timeouts import REQUEST_SECONDS
from towpath.errors import Ambiguous, BatchTooLarge, ConfigError, Refused, Rejected, Throttled, Transient
from towpath.providers.openai.embeddings import EmbeddingRequestLimits, OpenAIEmbedder
from towpath.providers.openai.errors import retry_after


@pytest.fixture
async def embedder(service: OpenAIEmulator) -> AsyncIterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder(service.key, base_url=service.base_url, timeout=REQUEST_SECONDS)
    yield embedder
    await embedder.aclose()


async def test_similar_texts_get_similar_unit_vectors(
    service: OpenAIEmulator, embedder: OpenAIEmbedder
) -> None:
    texts = ["The invoice for oak barrels", "Invoices about barrels of oak", "Whales sleep upright"]

    embedded = await embedder.embed(texts)

    assert embedded.vectors.shape == (3, embedder.dimension)
    assert embedded.vectors.dtype == np.float32
    assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx(1.0, abs=1e-6)
    near, far = embedded.vectors[0] @ embedded.vectors[1], embedded.vectors[0] @ embedded.vectors[2]
    assert near > far + 0.3
    assert embedded.units == {"tokens": service.bill.units["tokens"]}
    assert embedded.cost == pytest.approx(embedded.units["tokens"] * 0.02 / 1e6)
    assert service.bill.by_content[hashlib.sha256(texts[0].encode()).hexdigest()] == 1


async def test_vectors_keep_the_order_of_their_texts_when_the_answer_does_not(
    service: OpenAIEmulator, embedder: OpenAIEmbedder
) -> None:
    texts = ["apple", "bridge", "candle"]
    expected = (await embedder.embed(texts)).vectors
    service.faults.add(Fault("embeddings", "shuffle"))

    assert (await embedder.embed(texts)).vectors == pytest.approx(expected)


async def test_shorter_vectors_can_be_asked_for(service: OpenAIEmulator) -> None:
    embedder = OpenAIEmbedder(service.key, dimensions=256, base_url=service.base_url)

    vectors = (await embedder.embed(["apple"])).vectors

    assert vectors.shape == (1, 256)
    assert np.linalg.norm(vectors) == pytest.approx(1.0, abs=1e-6)
    await embedder.aclose()


async def test_an_empty_batch_sends_no_request(service: OpenAIEmulator, embedder: OpenAIEmbedder) -> None:
    assert embedder.batches([]) == []
    assert (await embedder.embed([])).vectors.shape == (0, 1536)
    assert service.requests == []


async def test_an_unpaired_surrogate_is_replaced(embedder: OpenAIEmbedder) -> None:
    assert (await embedder.embed(["torn \ud83d emoji"])).vectors.shape == (1, 1536)


def test_batches_are_cut_at_the_number_of_inputs() -> None:
    assert OpenAIEmbedder("key").batches(["word"] * 4100) == [
        range(2048),
        range(2048, 4096),
        range(4096, 4100),
    ]


def test_batches_are_cut_at_the_number_of_tokens() -> None:
    embedder = OpenAIEmbedder(
        "key", limits=EmbeddingRequestLimits(inputs=10, tokens_per_input=6, tokens_per_request=10)
    )

    counted_3_4_2_1_1 = ["one two three", "one two three four", "one two", "one", "one"]
    assert embedder.batches(counted_3_4_2_1_1) == [range(4), range(4, 5)]


async def test_the_fullest_batch_is_accepted_by_the_service(embedder: OpenAIEmbedder) -> None:
    full = "word " * 8191 + "word"
    texts = [full] * 37

    assert embedder.batches(texts) == [range(36), range(36, 37)]
    embedded = await embedder.embed(texts[:36])

    assert embedded.units == {"tokens": 36 * 8192.0}


def test_a_chunk_that_is_empty_or_too_long_is_rejected_before_sending() -> None:
    embedder = OpenAIEmbedder("key")

    with pytest.raises(Rejected, match="Chunk 2 has 8193 tokens") as caught:
        embedder.batches(["fine", "word " * 8192 + "word"])
    assert caught.value.code == "too_long"
    with pytest.raises(Rejected, match="Chunk 1 is empty"):
        embedder.batches([""])


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["word " * 9000], "provider_rejected"),  # the service sends no code for one input that is too long
        ([""], "provider_rejected"),
    ],
    ids=["one input", "an empty one"],
)
async def test_what_the_service_finds_too_long_is_rejected(
    service: OpenAIEmulator, embedder: OpenAIEmbedder, texts: list[str], code: str
) -> None:
    with pytest.raises(Rejected) as caught:
        await embedder.embed(texts)
    assert caught.value.code == code
    assert service.bill.operations == 0


@pytest.mark.parametrize(
    "texts", [["word " * 8000] * 40, ["word"] * 2049], ids=["all inputs", "number of inputs"]
)
async def test_a_batch_that_the_service_finds_too_large_can_be_sent_in_parts(
    service: OpenAIEmulator, embedder: OpenAIEmbedder, texts: list[str]
) -> None:
    with pytest.raises(BatchTooLarge):
        await embedder.embed(texts)
    assert service.bill.operations == 0


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Too many inputs. The max number of inputs is 16."),
        (400, "<400> InternalError: batch size is invalid, it should not be larger than 10."),
        (422, "Too many texts: at most 96 are allowed."),
        (413, "Request Entity Too Large"),
        (400, "Bad request."),
    ],
)
async def test_a_refused_batch_can_be_sent_in_parts_whatever_the_message_says(
    service: OpenAIEmulator, embedder: OpenAIEmbedder, status: int, message: str
) -> None:
    service.faults.add(Fault("embeddings", "status", status=status, message=message, times=2))

    with pytest.raises(BatchTooLarge, match=re.escape(message)):
        await embedder.embed(["one", "two"])
    with pytest.raises(Rejected):
        await embedder.embed(["one"])


async def test_the_head_of_a_refusal_is_kept_without_the_key(
    service: OpenAIEmulator, embedder: OpenAIEmbedder
) -> None:
    message = f"The key {service.key} may not embed this. " + "Think again. " * 200
    service.faults.add(Fault("embeddings", "status", status=400, message=message))

    with pytest.raises(Rejected) as caught:
        await embedder.embed(["word"])
    assert "The key *** may not embed this. Think again." in caught.value.reason
    assert len(caught.value.reason) < 600
    assert caught.value.provider == "openai"


async def test_an_account_without_credit_is_refused(
    service: OpenAIEmulator, embedder: OpenAIEmbedder
) -> None:
    service.faults.add(Fault("embeddings", "status", status=429, code="insufficient_quota"))

    with pytest.raises(Refused, match=r"no credit left.*Add credit"):
        await embedder.embed(["word"])


async def test_throttling_carries_retry_after(service: OpenAIEmulator, embedder: OpenAIEmbedder) -> None:
    service.faults.add(Fault("embeddings", "status", status=429, retry_after=0.25))

    with pytest.raises(Throttled) as caught:
        await embedder.embed(["word"])
    assert caught.value.retry_after == 0.25
    assert service.count("embeddings") == 1, "the SDK must not repeat a request by itself"


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, Refused), (403, Refused), (409, Transient), (500, Transient), (502, Transient), (503, Transient)],
)
async def test_error_answers(
    service: OpenAIEmulator, embedder: OpenAIEmbedder, status: int, error: type[Exception]
) -> None:
    service.faults.add(Fault("embeddings", "status", status=status))

    with pytest.raises(error):
        await embedder.embed(["word"])
    assert service.count("embeddings") == 1


async def test_a_wrong_key_or_model_is_refused(service: OpenAIEmulator) -> None:
    unauthorized = OpenAIEmbedder("stolen", base_url=service.base_url)
    unknown_model = OpenAIEmbedder(service.key, "text-embedding-9", 8, base_url=service.base_url)

    with pytest.raises(Refused, match="Check the key"):
        await unauthorized.embed(["word"])
    with pytest.raises(Refused, match="text-embedding-9"):
        await unknown_model.embed(["word"])
    await unauthorized.aclose()
    await unknown_model.aclose()


async def test_too_many_dimensions_are_refused(service: OpenAIEmulator) -> None:
    embedder = OpenAIEmbedder(service.key, dimensions=9999, base_url=service.base_url)

    with pytest.raises(Refused, match="settings"):
        await embedder.embed(["word"])
    await embedder.aclose()


def test_an_unknown_dimension_must_be_set() -> None:
    with pytest.raises(ConfigError, match="Set 'dimensions'"):
        OpenAIEmbedder("key", "nomic-embed-text")


async def test_a_missing_package_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    with pytest.raises(ConfigError, match=re.escape("pip install 'towpath[openai]'")):
        await OpenAIEmbedder("key").embed(["word"])


@pytest.mark.parametrize("kind", ["drop", "hang"])
async def test_an_answer_lost_after_sending_is_ambiguous(service: OpenAIEmulator, kind: Kind) -> None:
    service.faults.add(Fault("embeddings", kind))
    embedder = OpenAIEmbedder(service.key, base_url=service.base_url, timeout=0.3)

    with pytest.raises(Ambiguous, match="may be billed"):
        await embedder.embed(["word"])
    assert service.bill.operations == 1
    await embedder.aclose()


async def test_an_unreachable_server_is_a_transient_error(unused_tcp_port: int) -> None:
    embedder = OpenAIEmbedder("key", base_url=f"http://127.0.0.1:{unused_tcp_port}/v1")

    with pytest.raises(Transient, match="could not be reached"):
        await embedder.embed(["word"])
    await embedder.aclose()


async def answering(body: Any, port: int) -> web.AppRunner:
    """A server of another make that gives one and the same answer."""

    async def answer(_: web.Request) -> web.Response:
        return web.json_response(body)

    app = web.Application()
    app.add_routes([web.post("/v1/embeddings", answer)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return runner


async def test_vectors_as_plain_numbers_are_accepted(unused_tcp_port: int) -> None:
    row = {"object": "embedding", "index": 0, "embedding": [3.0, 4.0]}
    server = await answering({"data": [row], "usage": {"total_tokens": 1}}, unused_tcp_port)
    embedder = OpenAIEmbedder("key", "tiny", 2, base_url=f"http://127.0.0.1:{unused_tcp_port}/v1")

    assert (await embedder.embed(["word"])).vectors == pytest.approx(np.array([[0.6, 0.8]]))
    await embedder.aclose()
    await server.cleanup()


async def test_vectors_of_another_length_are_refused(unused_tcp_port: int) -> None:
    row = {"object": "embedding", "index": 0, "embedding": [3.0, 4.0]}
    server = await answering({"data": [row], "usage": {"total_tokens": 1}}, unused_tcp_port)
    embedder = OpenAIEmbedder("key", "tiny", 3, base_url=f"http://127.0.0.1:{unused_tcp_port}/v1")

    with pytest.raises(Refused, match="2 dimensions; 3 were expected"):
        await embedder.embed(["word"])
    await embedder.aclose()
    await server.cleanup()


@pytest.mark.parametrize(
    "rows",
    [[], [{"index": 1, "embedding": [1.0]}], [{"index": 0, "embedding": [float("nan")]}]],
    ids=["missing", "misnumbered", "not a number"],
)
async def test_an_incomplete_answer_gives_no_vectors(
    unused_tcp_port: int, rows: list[dict[str, Any]]
) -> None:
    server = await answering({"data": rows, "usage": {"total_tokens": 1}}, unused_tcp_port)
    embedder = OpenAIEmbedder("key", "tiny", 1, base_url=f"http://127.0.0.1:{unused_tcp_port}/v1")

    with pytest.raises(Ambiguous, match="incomplete"):
        await embedder.embed(["word"])
    await embedder.aclose()
    await server.cleanup()


def test_the_most_exact_retry_header_is_used() -> None:
    assert retry_after({"retry-after-ms": "350", "retry-after": "1"}) == 0.35
    assert retry_after({"retry-after": "20"}) == 20.0
    resets = {"x-ratelimit-reset-requests": "6ms", "x-ratelimit-reset-tokens": "1m30s"}
    assert retry_after(resets) == 90.0
    assert retry_after({"retry-after": "soon"}) is None
