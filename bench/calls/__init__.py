"""The calls benchmark: speed of audio extraction and transcription."""
