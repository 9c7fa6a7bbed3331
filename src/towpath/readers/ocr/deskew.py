"""Measures and corrects the skew of a scanned page: lines that rise or fall by up to ten degrees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from towpath.model.content import Box
from towpath.readers.ocr.ocr_result import Rectangle
from towpath.readers.pdf.page_model import page_fraction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

#: A smaller skew does no harm to recognition.
MIN_SKEW = 0.4
_MAX_SKEW = 10.0
_SAMPLE_SIDE = 700


def skew_angle(grey: Pixels) -> float:
    """The angle in degrees by which lines of text fall to the right; 0 if there is no clear answer.

    Shears the ink by many angles: rows of text give the sharpest profile when they are level.
    """
    import numpy as np

    step = max(1, max(grey.shape) // _SAMPLE_SIDE)
    height, width = grey.shape[0] // step * step, grey.shape[1] // step * step
    if min(height, width) < 100:
        return 0.0
    small = grey[:height, :width].reshape(height // step, step, width // step, step).min(axis=(1, 3))
    paper = float(np.median(small))
    rows, columns = np.nonzero(np.abs(small.astype(np.float32) - paper) > 60)
    if not 200 < len(rows) < 0.4 * small.size:
        return 0.0
    columns = columns - small.shape[1] / 2

    def sharpness(degrees: float) -> float:
        heights = rows - columns * math.tan(math.radians(degrees))
        profile = np.bincount((heights - heights.min()).astype(np.int64))
        return float(np.square(np.diff(profile)).sum())

    coarse = max(np.arange(-_MAX_SKEW, _MAX_SKEW + 0.1, 0.5), key=sharpness)
    best = float(max(np.arange(coarse - 0.4, coarse + 0.41, 0.1), key=sharpness))
    is_clear = sharpness(best) > 1.15 * sharpness(0.0)
    return best if is_clear and MIN_SKEW <= abs(best) < _MAX_SKEW else 0.0


def level_image(grey: Pixels, degrees: float) -> Pixels:
    """The image with lines that fall by ``degrees`` made level; its size stays the same."""
    import numpy as np
    from PIL import Image

    paper = int(np.median(grey))
    image: Any = Image.fromarray(grey)
    turned = image.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=paper)
    return np.asarray(turned, dtype=np.uint8)


def box_on_page(area: Rectangle, degrees: float, width: float, height: float) -> Box:
    """A rectangle of the leveled image as a box on the page before it was leveled."""
    area = _before_leveling(area, degrees, width, height)
    return Box(
        page_fraction(area.x0 / width),
        page_fraction(area.y0 / height),
        page_fraction(area.x1 / width),
        page_fraction(area.y1 / height),
    )


def _before_leveling(box: Rectangle, degrees: float, width: float, height: float) -> Rectangle:
    if not degrees:
        return box
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = (box.x0 + box.x1) / 2 - width / 2, box.center_y - height / 2
    center_x, center_y = x * cosine - y * sine + width / 2, x * sine + y * cosine + height / 2
    half_width = (abs(box.width * cosine) + abs(box.height * sine)) / 2
    half_height = (abs(box.width * sine) + abs(box.height * cosine)) / 2
    return Rectangle(
        center_x - half_width, center_y - half_height, center_x + half_width, center_y + half_height
    )
