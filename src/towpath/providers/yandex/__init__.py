"""Yandex SpeechKit: transcribes calls as a long-running operation."""
