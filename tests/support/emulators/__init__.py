"""Faithful local stand-ins for the paid services, to be used in tests and for trying Towpath offline."""

from __future__ import annotations

from tests.support.emulators.document_intelligence import DocumentIntelligenceEmulator
from tests.support.emulators.faults import Fault
from tests.support.emulators.openai import OpenAIEmulator
from tests.support.emulators.speechkit import SpeechKitEmulator

__all__ = ["DocumentIntelligenceEmulator", "Fault", "OpenAIEmulator", "SpeechKitEmulator"]
