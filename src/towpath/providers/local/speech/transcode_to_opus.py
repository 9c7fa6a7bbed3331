"""Transcodes the audio of any audio or video file to OGG Opus, in one pass and a few megabytes of memory.

The same pass measures what later stages need: the duration, whether each channel has its own speaker, and
the pauses where the recording can be cut.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from towpath.errors import Rejected
from towpath.model.codec import encode
from towpath.model.extracted_audio import Recording
from towpath.providers.local.speech.audio_levels import AudioLevels
from towpath.rejections import calls_unavailable, corrupt

if TYPE_CHECKING:
    from av import AudioFrame
    from av.audio.resampler import AudioResampler

Progress = Callable[[int, int], None]

SAMPLE_RATE = 48_000
#: Bits per second and channel for a service that gets the whole recording in one request of limited size.
SERVICE_BIT_RATE = 24_000
#: Bits per second and channel for speech models. At 24,000 Whisper base takes more words for others, above all in
#: languages other than English (docs/guides/calls.md).
MODEL_BIT_RATE = 64_000
#: A shorter recording counts as empty.
MIN_SECONDS = 0.2
#: A file that misses more of its declared duration than this is rejected as truncated.
MAX_MISSING_SHARE, MAX_MISSING_SECONDS = 0.1, 2.0
PROGRESS_INTERVAL = 0.5


def extract_audio(
    source: str, target: str, keep_stereo: bool, bit_rate: int, window_seconds: float, progress: Progress
) -> bytes:
    """Write the Opus file and return the JSON of the Recording; runs in a child process.

    ``keep_stereo`` keeps the two channels of a stereo file. Otherwise all channels are mixed into one.
    ``bit_rate`` is per channel.
    """
    av = _import_av()
    try:
        container = av.open(source, metadata_errors="replace")
    except (av.FFmpegError, ValueError) as error:
        raise corrupt("recording", _error_text(error)) from error
    with container:
        stream = container.streams.best("audio")
        if stream is None:
            raise _no_audio(has_pictures=bool(container.streams.video))
        layout = "stereo" if keep_stereo and stream.codec_context.channels == 2 else "mono"
        job = _Transcoder(av, container, stream, layout, _declared_seconds(container, stream, Path(source)))
        damaged = job.write(target, bit_rate, progress)
    return encode(_build_recording(job, damaged, Path(target), window_seconds))


class _Transcoder:
    def __init__(self, av: Any, container: Any, stream: Any, layout: str, declared: float | None) -> None:
        self.av = av
        self.container = container
        self.stream = stream
        self.layout = layout
        self.declared_seconds = declared
        self.codec = str(stream.codec_context.name)
        self.channels = int(stream.codec_context.channels)
        self.levels = AudioLevels(2 if layout == "stereo" else 1, SAMPLE_RATE)

    def write(self, target: str, bit_rate: int, progress: Progress) -> int:
        """Decode, measure and encode. Returns the number of packets that could not be decoded."""
        damaged = 0
        total = int(self.declared_seconds or 0)
        next_report = 0.0
        # Without this flag each file gets a random serial number, and the same audio another hash.
        with self.av.open(target, "w", format="ogg", options={"fflags": "+bitexact"}) as out:
            opus = out.add_stream("libopus", rate=SAMPLE_RATE)
            opus.layout = self.layout
            opus.bit_rate = bit_rate * (2 if self.layout == "stereo" else 1)
            # A higher compression level takes twice the time and does not improve speech at this bit rate.
            options = {"frame_duration": "60", "compression_level": "5"}
            # "voip" filters the sound for listeners at a low bit rate; "audio" stays close to the original.
            options["application"] = "voip" if bit_rate <= SERVICE_BIT_RATE else "audio"
            opus.codec_context.options = options
            written = 0
            for frame in self._frames():
                if frame is None:
                    damaged += 1
                    continue
                self.levels.add_samples(frame.to_ndarray())
                frame.pts = written
                written += frame.samples
                out.mux(opus.encode(frame))
                if time.monotonic() > next_report:
                    next_report = time.monotonic() + PROGRESS_INTERVAL
                    done = int(self.levels.seconds)
                    progress(done, max(done, total))
            out.mux(opus.encode(None))
        return damaged

    def _frames(self) -> Iterator[AudioFrame | None]:
        """Yield frames at one sample rate; None for a damaged packet."""
        resampler = self._resampler()
        for packet in self._packets():
            try:
                decoded: list[Any] = packet.decode()
            except self.av.FFmpegError:
                yield None
                continue
            for frame in decoded:
                try:
                    ready = resampler.resample(frame)
                except ValueError:
                    # Some encoders change the rate or the channels inside a file.
                    yield from self._resample(resampler, None)
                    resampler = self._resampler()
                    ready = self._resample(resampler, frame)
                yield from ready
        yield from resampler.resample(None)

    def _resample(self, resampler: AudioResampler, frame: AudioFrame | None) -> list[AudioFrame]:
        try:
            return resampler.resample(frame)
        except (self.av.FFmpegError, ValueError) as error:
            raise Rejected(
                "unsupported_audio",
                f"The {self.channels} channels of this recording cannot be mixed into one. "
                "Export it as mono or stereo and upload it again.",
            ) from error

    def _packets(self) -> Iterator[Any]:
        """Yield the packets of the container up to its end, or to the first unreadable place."""
        packets = self.container.demux(self.stream)
        while True:
            try:
                packet = next(packets, None)
            except self.av.FFmpegError:
                return
            if packet is None:
                return
            yield packet

    def _resampler(self) -> AudioResampler:
        return self.av.AudioResampler(format="s16", layout=self.layout, rate=SAMPLE_RATE)


def _no_audio(*, has_pictures: bool) -> Rejected:
    if not has_pictures:
        return corrupt("recording", "it contains no audio")
    return Rejected(
        "no_audio",
        "This file has a video track but no audio track. Upload a recording with audio.",
    )


def _build_recording(transcoder: _Transcoder, damaged_packets: int, target: Path, window: float) -> Recording:
    seconds = transcoder.levels.seconds
    if seconds < MIN_SECONDS:
        if damaged_packets:
            raise corrupt("recording", "none of its audio can be decoded")
        raise Rejected("empty", "This recording is empty. Upload a file with audio.")
    warnings: list[str] = []
    if (
        transcoder.declared_seconds is not None
        and transcoder.declared_seconds - seconds > MAX_MISSING_SECONDS
    ):
        missing = (
            f"its header declares {_format_duration(transcoder.declared_seconds)}, "
            f"but it contains {_format_duration(seconds)}"
        )
        if transcoder.declared_seconds - seconds > MAX_MISSING_SHARE * transcoder.declared_seconds:
            raise Rejected(
                "truncated",
                f"This recording is truncated: {missing}. Upload a complete copy.",
            )
        warnings.append(f"The recording is incomplete: {missing}.")
    if transcoder.levels.is_silent:
        raise Rejected(
            "silent",
            f"This recording is silent for its whole length ({_format_duration(seconds)}). "
            "Check the microphone or the export and upload a recording with audible speech.",
        )
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Recording(
        seconds=round(seconds, 3),
        codec=transcoder.codec,
        channels=transcoder.channels,
        speaker_per_channel=transcoder.levels.speaker_per_channel,
        windows=transcoder.levels.windows(window),
        sha256=digest,
        size=target.stat().st_size,
        warnings=tuple(warnings),
    )


def _declared_seconds(container: Any, stream: Any, source: Path) -> float | None:
    """The duration declared by the file; None if the container only estimates it from the size."""
    kinds = set(container.format.name.split(","))
    if kinds & {"aac", "amr"}:
        return None
    if "mp3" in kinds:
        with source.open("rb") as file:
            head = file.read(256 << 10)
        if b"Xing" not in head and b"Info" not in head:
            return None
    if stream.duration is not None and stream.time_base is not None:
        declared = float(stream.duration * stream.time_base)
    else:
        declared = None if container.duration is None else container.duration / 1_000_000
    return declared and declared * (_declared_size_ratio(source) if "wav" in kinds else 1.0)


def _declared_size_ratio(wav: Path) -> float:
    """Declared size of a WAV file divided by its real size. FFmpeg derives the duration from the real size."""
    with wav.open("rb") as file:
        head = file.read(8)
    claimed = int.from_bytes(head[4:8], "little") + 8
    # A recorder that does not know the length writes 0 or the largest number.
    unknown_length = head[:4] != b"RIFF" or claimed >= 0xFFFFFF00
    return 1.0 if unknown_length else max(1.0, claimed / max(1, wav.stat().st_size))


def _import_av() -> Any:
    try:
        import av
        from av import logging
    except ImportError as error:
        raise calls_unavailable("av") from error
    logging.set_level(None)
    return av


def _error_text(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error).lower()


def _format_duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
