"""Takes the sound out of any audio or video file, as OGG Opus, in one pass and a few megabytes of memory.

What the later steps want to know is measured on the way: how long it is, whether two people are on two
channels, and the quiet places where it may be cut.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from towpath.errors import ConfigError, Rejected
from towpath.model.encode_call import dump_recording
from towpath.model.recording import Recording
from towpath.providers.local.loudness import Loudness
from towpath.providers.local.refusals import corrupt

if TYPE_CHECKING:
    from av import AudioFrame
    from av.audio.resampler import AudioResampler

Progress = Callable[[int, int], None]

RATE = 48_000
BIT_RATE = 24_000
#: Less than this is a click, not a recording.
SHORTEST = 0.2
#: A file that lacks more of its sound than this was cut off on its way here.
MISSING_SHARE, MISSING_SECONDS = 0.1, 2.0
REPORT_EVERY = 0.5


def extract_sound(source: str, target: str, sides: bool, window: float, progress: Progress) -> bytes:
    """Runs in a child: writes the Opus file, gives the JSON of the Recording.

    ``sides`` keeps the two channels of a stereo file; otherwise everything is mixed into one.
    """
    av = _library()
    try:
        container = av.open(source, metadata_errors="replace")
    except (av.FFmpegError, ValueError) as error:
        raise corrupt("recording", _words(error)) from error
    with container:
        stream = container.streams.best("audio")
        if stream is None:
            raise _soundless(has_pictures=bool(container.streams.video))
        layout = "stereo" if sides and stream.codec_context.channels == 2 else "mono"
        job = _Extraction(av, container, stream, layout, _declared(container, stream, Path(source)))
        damaged = job.write(target, progress)
    return dump_recording(_verdict(job, damaged, Path(target), window))


class _Extraction:
    def __init__(self, av: Any, container: Any, stream: Any, layout: str, declared: float | None) -> None:
        self.av = av
        self.container = container
        self.stream = stream
        self.layout = layout
        self.declared = declared
        self.codec = str(stream.codec_context.name)
        self.channels = int(stream.codec_context.channels)
        self.loudness = Loudness(2 if layout == "stereo" else 1, RATE)

    def write(self, target: str, progress: Progress) -> int:
        """Decode, measure and encode; gives the number of packets that could not be understood."""
        damaged = 0
        total = int(self.declared or 0)
        next_report = 0.0
        # Without the flag each file gets a number by chance, and the same sound another hash.
        with self.av.open(target, "w", format="ogg", options={"fflags": "+bitexact"}) as out:
            opus = out.add_stream("libopus", rate=RATE)
            opus.layout = self.layout
            opus.bit_rate = BIT_RATE * (2 if self.layout == "stereo" else 1)
            # Speech at this rate gains nothing from the encoder's utmost effort, which takes twice the time.
            options = {"application": "voip", "frame_duration": "60", "compression_level": "5"}
            opus.codec_context.options = options
            written = 0
            for frame in self._frames():
                if frame is None:
                    damaged += 1
                    continue
                self.loudness.hear(frame.to_ndarray())
                frame.pts = written
                written += frame.samples
                out.mux(opus.encode(frame))
                if time.monotonic() > next_report:
                    next_report = time.monotonic() + REPORT_EVERY
                    done = int(self.loudness.seconds)
                    progress(done, max(done, total))
            out.mux(opus.encode(None))
        return damaged

    def _frames(self) -> Iterator[AudioFrame | None]:
        """Frames at one rate; None for a packet that is damaged."""
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
                    # Some encoders change rate or channels in the middle.
                    yield from self._mixed(resampler, None)
                    resampler = self._resampler()
                    ready = self._mixed(resampler, frame)
                yield from ready
        yield from resampler.resample(None)

    def _mixed(self, resampler: AudioResampler, frame: AudioFrame | None) -> list[AudioFrame]:
        try:
            return resampler.resample(frame)
        except (self.av.FFmpegError, ValueError) as error:
            raise Rejected(
                "unsupported_sound",
                f"The {self.channels} channels of this recording cannot be mixed into one. "
                "Export it as mono or stereo and upload that.",
            ) from error

    def _packets(self) -> Iterator[Any]:
        """The container's packets up to its end, or to where it breaks off."""
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
        return self.av.AudioResampler(format="s16", layout=self.layout, rate=RATE)


def _soundless(*, has_pictures: bool) -> Rejected:
    if not has_pictures:
        return corrupt("recording", "there is no sound in it")
    return Rejected(
        "no_audio",
        "There is no sound in this file: it has pictures only. Upload the recording with its sound.",
    )


def _verdict(job: _Extraction, damaged: int, target: Path, window: float) -> Recording:
    heard = job.loudness.seconds
    if heard < SHORTEST:
        if damaged:
            raise corrupt("recording", "none of its sound can be decoded")
        raise Rejected("empty", "This recording is empty. Check that it is the file you meant to upload.")
    warnings: list[str] = []
    if job.declared is not None and job.declared - heard > MISSING_SECONDS:
        lacking = f"it should last {_clock(job.declared)}, but only {_clock(heard)} of it are here"
        if job.declared - heard > MISSING_SHARE * job.declared:
            raise Rejected(
                "truncated",
                f"This recording is cut off or damaged: {lacking}. Fetch a whole copy and upload that.",
            )
        warnings.append(f"The recording is incomplete: {lacking}.")
    if job.loudness.silent:
        raise Rejected(
            "silent",
            f"Nothing can be heard in this recording: its {_clock(heard)} are silent. "
            "Check the microphone or the export, and upload a recording with sound.",
        )
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Recording(
        seconds=round(heard, 3),
        codec=job.codec,
        channels=job.channels,
        apart=job.loudness.apart,
        windows=job.loudness.windows(window),
        sha256=digest,
        size=target.stat().st_size,
        warnings=tuple(warnings),
    )


def _declared(container: Any, stream: Any, source: Path) -> float | None:
    """How long the file says it is; None where that would be a guess from its size."""
    kinds = set(container.format.name.split(","))
    if kinds & {"aac", "amr"}:
        return None
    if "mp3" in kinds:
        with source.open("rb") as file:
            head = file.read(256 << 10)
        if b"Xing" not in head and b"Info" not in head:
            return None
    if stream.duration is not None and stream.time_base is not None:
        told = float(stream.duration * stream.time_base)
    else:
        told = None if container.duration is None else container.duration / 1_000_000
    return told and told * (_promised(source) if "wav" in kinds else 1.0)


def _promised(wav: Path) -> float:
    """How many times its size a WAV file says it has; FFmpeg goes by the size it finds."""
    with wav.open("rb") as file:
        head = file.read(8)
    claimed = int.from_bytes(head[4:8], "little") + 8
    # A recorder that does not know the length yet writes nothing or the largest number.
    open_end = head[:4] != b"RIFF" or claimed >= 0xFFFFFF00
    return 1.0 if open_end else max(1.0, claimed / max(1, wav.stat().st_size))


def _library() -> Any:
    try:
        import av
        from av import logging
    except ImportError as error:
        raise ConfigError("Calls need one more package: pip install 'towpath[calls]'") from error
    logging.set_level(None)
    return av


def _words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error).lower()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
