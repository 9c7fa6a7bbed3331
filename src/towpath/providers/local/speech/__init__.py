"""Extracts audio and transcribes speech on this machine."""
