"""Local HTTP emulators of Azure Document Intelligence, OpenAI and Yandex SpeechKit for tests and offline use."""

from __future__ import annotations

from tests.support.emulators.document_intelligence import DocumentIntelligenceEmulator
from tests.support.emulators.faults import Fault
from tests.support.emulators.openai import OpenAIEmulator
from tests.support.emulators.speechkit import SpeechKitEmulator

__all__ = ["DocumentIntelligenceEmulator", "Fault", "OpenAIEmulator", "SpeechKitEmulator"]
