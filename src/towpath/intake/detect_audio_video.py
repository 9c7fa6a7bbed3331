"""Detects audio and video files by the signatures of their containers."""

from __future__ import annotations

from pathlib import PurePath

_IMAGE_BRANDS = (
    b"heic",
    b"heix",
    b"heim",
    b"hevc",
    b"mif1",
    b"msf1",
    b"avif",
    b"avis",
    b"crx ",
    b"jp2 ",
    b"jpx ",
)
_AUDIO_BRANDS = (b"M4A ", b"M4B ", b"M4P ")
_QUICKTIME_BOXES = (b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
_SIGNATURES = (
    (b"fLaC", "audio/flac"),
    (b"#!AMR", "audio/amr"),
    (b"caff\x00", "audio/x-caf"),
    (b".snd\x00", "audio/basic"),
    (b"FLV\x01", "video/x-flv"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf"),
    (b"\x00\x00\x01\xba", "video/mpeg"),
    (b"\x00\x00\x01\xb3", "video/mpeg"),
)
_AUDIO_ONLY_SUFFIXES = {
    ("video/mp4", ".m4a"): "audio/mp4",
    ("video/mp4", ".m4b"): "audio/mp4",
    ("video/mp4", ".aac"): "audio/mp4",
    ("video/webm", ".weba"): "audio/webm",
    ("video/x-matroska", ".mka"): "audio/x-matroska",
}
# kbit/s by the index in the frame header; 0 if unspecified.
_BITRATES = {
    (1, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_SAMPLE_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


def is_heif_image(head: bytes) -> bool:
    """Whether the file is HEIC, AVIF or JPEG 2000, which use the same container as video."""
    return head[4:8] == b"ftyp" and head[8:12] in _IMAGE_BRANDS


def media_type(head: bytes, name: str) -> str | None:
    """The type of an audio or video file; None for anything else.

    The name decides only whether a video container holds audio alone.
    """
    for magic, detected in _SIGNATURES:
        if head.startswith(magic):
            return detected
    for recognize in (_riff, _aiff, _mp4, _matroska, _ogg, _mpeg_audio, _transport_stream):
        if detected := recognize(head):
            return _AUDIO_ONLY_SUFFIXES.get((detected, PurePath(name).suffix.lower()), detected)
    return None


def _riff(head: bytes) -> str | None:
    if head[:4] in (b"RIFF", b"RF64", b"BW64"):
        return {b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}.get(head[8:12])
    return None


def _aiff(head: bytes) -> str | None:
    return "audio/aiff" if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC") else None


def _mp4(head: bytes) -> str | None:
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        if brand in _AUDIO_BRANDS:
            return "audio/mp4"
        if brand == b"qt  ":
            return "video/quicktime"
        return "video/3gpp" if brand.startswith(b"3g") else "video/mp4"
    # Files from before 2001 start with their first box, which is shorter than 16 MB or reaches to the end.
    return "video/quicktime" if head[4:8] in _QUICKTIME_BOXES and head[0] == 0 else None


def _matroska(head: bytes) -> str | None:
    if not head.startswith(b"\x1a\x45\xdf\xa3"):
        return None
    return "video/webm" if b"webm" in head[:64] else "video/x-matroska"


def _ogg(head: bytes) -> str | None:
    if not head.startswith(b"OggS"):
        return None
    return "video/ogg" if b"\x80theora" in head[:512] else "audio/ogg"


def _mpeg_audio(head: bytes) -> str | None:
    if head[:3] == b"ID3" and len(head) > 9 and 2 <= head[3] <= 4:
        size = sum((byte & 0x7F) << shift for byte, shift in zip(head[6:10], (21, 14, 7, 0), strict=True))
        return "audio/flac" if head[size + 10 : size + 14] == b"fLaC" else "audio/mpeg"
    if head[:1] == b"\xff" and len(head) > 6 and head[1] & 0xF6 == 0xF0:
        length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
        return "audio/aac" if length > 7 and _has_sync_at(head, length, 0xF6, 0xF0) else None
    length = _frame_length(head)
    # One frame may be a coincidence (the byte order mark of UTF-16 looks like one), so require two.
    return "audio/mpeg" if length and _has_sync_at(head, length, 0xE0, 0xE0) else None


def _has_sync_at(head: bytes, offset: int, mask: int, sync: int) -> bool:
    return len(head) > offset + 1 and head[offset] == 0xFF and head[offset + 1] & mask == sync


def _frame_length(head: bytes) -> int:
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return 0
    version, layer = head[1] >> 3 & 3, 4 - (head[1] >> 1 & 3)
    bitrate_index, rate_index, padding = head[2] >> 4, head[2] >> 2 & 3, head[2] >> 1 & 1
    if version == 1 or layer == 4 or bitrate_index in (0, 15) or rate_index == 3:
        return 0
    bitrate = _BITRATES[1 if version == 3 else 2, layer][bitrate_index] * 1000
    rate = _SAMPLE_RATES[version][rate_index]
    if layer == 1:
        return (12 * bitrate // rate + padding) * 4
    return (144 if layer == 2 or version == 3 else 72) * bitrate // rate + padding


def _transport_stream(head: bytes) -> str | None:
    packets = head[: 188 * 4 + 1 : 188]
    return "video/mp2t" if len(packets) == 5 and set(packets) == {0x47} else None
