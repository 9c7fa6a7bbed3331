"""OCR of the same pages after damage: turned by 90 degrees, skewed by 4 degrees, or with noise and blur."""

from __future__ import annotations

import atexit
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from bench.reading import ocr_truth
from bench.reading.task import Sample, Tool
from bench.reading.tasks import ocr as undamaged

SUMMARY = "text of rotated, skewed and noisy pages; fewer character errors are better"
METRICS = ocr_truth.METRICS
SEED = 20260101


def load(data: Path) -> list[Sample]:
    """Each page with one kind of damage, in turn."""
    folder = tempfile.TemporaryDirectory(prefix="bench-damaged-")
    atexit.register(folder.cleanup)
    random = np.random.default_rng(SEED)
    samples: list[Sample] = []
    for index, sample in enumerate(undamaged.load(data)):
        kind = ("rotated", "skewed", "noisy")[index % 3]
        path = Path(folder.name, f"{index:04}-{kind}.png")
        with Image.open(sample.path) as image:
            _damage(image.convert("L"), kind, random).save(path)
        samples.append(Sample(f"{sample.name} {kind}", path, sample.truth))
    return samples


def _damage(image: Image.Image, kind: str, random: np.random.Generator) -> Image.Image:
    if kind == "rotated":
        return image.rotate(90 * int(random.integers(1, 4)), expand=True)
    if kind == "skewed":
        degrees = float(random.choice([-4.0, 4.0]))
        return image.rotate(degrees, expand=True, fillcolor=255, resample=Image.Resampling.BICUBIC)
    pixels = np.asarray(image.filter(ImageFilter.GaussianBlur(0.8)), dtype=np.float32)
    noisy = np.clip(pixels + random.normal(0.0, 35.0, pixels.shape), 0, 255).astype(np.uint8)
    speckled = np.where(random.random(pixels.shape) < 0.01, 0, noisy).astype(np.uint8)
    return Image.fromarray(speckled)


def tools() -> list[Tool]:
    return undamaged.tools()
