"""``python -m tests.support.emulators``: run all emulators in one process and print the settings for them."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal

from tests.support.emulators import DocumentIntelligenceEmulator, OpenAIEmulator, SpeechKitEmulator


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.emulators", description=__doc__)
    for name, port in (("document-intelligence", 41200), ("openai", 41300), ("speechkit", 41350)):
        parser.add_argument(f"--{name}-port", type=int, default=port, help="0 takes any free port")
    parser.add_argument("--polls", type=int, default=1, help="polls that find an operation still running")
    parser.add_argument("--seconds", type=float, default=0.0, help="how long an operation takes at least")
    parser.add_argument("--key", default="emulator-key", help="the key that all of them accept")
    parser.add_argument("--free-tier", action="store_true", help="Document Intelligence reads two pages only")
    parser.add_argument("--json", action="store_true", help="print the settings as one line of JSON")
    asyncio.run(_serve(parser.parse_args()))


async def _serve(asked: argparse.Namespace) -> None:
    pace = {"key": asked.key, "polls": asked.polls, "seconds": asked.seconds}
    documents = DocumentIntelligenceEmulator(free_tier=asked.free_tier, **pace)
    openai = OpenAIEmulator(**pace)
    speech = SpeechKitEmulator(**pace)
    await documents.start(asked.document_intelligence_port)
    await openai.start(asked.openai_port)
    await speech.start(asked.speechkit_port)
    settings = {
        "TOWPATH_DOCUMENT_INTELLIGENCE_ENDPOINT": documents.url,
        "TOWPATH_DOCUMENT_INTELLIGENCE_KEY": asked.key,
        "TOWPATH_OPENAI_BASE_URL": openai.base_url,
        "TOWPATH_OPENAI_API_KEY": asked.key,
        "TOWPATH_SPEECHKIT_STT_URL": speech.url,
        "TOWPATH_SPEECHKIT_OPERATIONS_URL": speech.url,
        "TOWPATH_SPEECHKIT_TRANSCRIBE_URL": speech.url,
        "TOWPATH_SPEECHKIT_API_KEY": asked.key,
    }
    if asked.json:
        print(json.dumps(settings), flush=True)
    else:
        print("\n".join(f"export {name}={value}" for name, value in settings.items()), flush=True)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    for emulator in (documents, openai, speech):
        await emulator.stop()


if __name__ == "__main__":
    main()
