"""The emulator process keeps its state between clients and injects the ordered faults."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from urllib.error import HTTPError

import pytest

from tests.support.emulators.ogg import silence
from tests.support.emulators.process import EmulatorProcess, emulator_process, order_fault, reset, state
from tests.support.emulators.sample_sources import BytesSource, Text, pdf
from towpath.errors import Throttled
from towpath.model.provider_answer import Answer, Pending
from towpath.providers.azure.document_intelligence import DocumentIntelligence
from towpath.providers.openai.embeddings import OpenAIEmbedder
from towpath.providers.yandex.speechkit_v3 import SpeechKit

pytestmark = pytest.mark.slow

LETTER = pdf([Text("A short letter.")])


@pytest.fixture(scope="module")
def running() -> Iterator[EmulatorProcess]:
    with emulator_process("--polls", "2", "--key", "secret") as process:
        yield process


async def test_an_operation_survives_its_client(running: EmulatorProcess) -> None:
    url = running.document_intelligence
    first = DocumentIntelligence(url, "secret")
    operation = await first.start(BytesSource(LETTER))
    await first.aclose()

    second = DocumentIntelligence(url, "secret")
    polls = [await second.poll(operation) for _ in range(3)]
    await second.aclose()

    assert polls[:2] == [Pending(), Pending()]
    assert isinstance(polls[2], Answer)
    billed = state(url)["billed"]
    assert billed["operations"] == 1
    assert billed["by_content"] == {hashlib.sha256(LETTER).hexdigest(): 1}
    assert [request["verb"] for request in state(url)["requests"]] == ["analyze", "poll", "poll", "poll"]


async def test_faults_are_ordered_through_the_control_route(running: EmulatorProcess) -> None:
    url = running.openai
    order_fault(url, on="embeddings", kind="status", status=429, retry_after=3)
    embedder = OpenAIEmbedder("secret", base_url=f"{url}/v1")

    with pytest.raises(Throttled) as caught:
        await embedder.embed(["word"])
    assert caught.value.retry_after == 3.0
    assert (await embedder.embed(["word"])).vectors.shape == (1, 1536)
    await embedder.aclose()

    assert [request["status"] for request in state(url)["requests"]] == [429, 200]


async def test_a_reset_clears_the_state_and_changes_the_duration(running: EmulatorProcess) -> None:
    url = running.speechkit
    speechkit = SpeechKit("secret", stt_url=url, operations_url=url)
    await speechkit.start(BytesSource(silence(2), "audio/ogg"))
    reset(url, polls=0)

    assert state(url)["billed"] == {"operations": 0, "units": {}, "by_content": {}}
    operation = await speechkit.start(BytesSource(silence(2), "audio/ogg"))
    assert isinstance(await speechkit.poll(operation), Answer)
    await speechkit.aclose()


def test_an_invalid_fault_order_is_refused(running: EmulatorProcess) -> None:
    with pytest.raises(HTTPError, match="400"):
        order_fault(running.openai, on="embeddings", kind="explode")
