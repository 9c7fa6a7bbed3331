"""Yandex Cloud: SpeechKit puts calls into writing."""
