"""RapidOCR: the PP-OCR models in the wheel of `rapidocr`, run by onnxruntime. Works without network.

The models know Latin, Greek, Chinese and Japanese letters. The page is turned upright before the lines are recognized:
tall boxes mean a quarter turn, and the classifier of RapidOCR says whether lines stand on their head.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from towpath.readers.ocr.glued_words import CharacterPlace, split_words
from towpath.readers.ocr.ocr_result import OcrWord, Recognition, Rectangle, Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

#: Characters with a lower mean confidence are specks, not text.
_MIN_CONFIDENCE = 0.4
_LINES_FOR_DIRECTION = 12


def is_installed() -> bool:
    return find_spec("rapidocr") is not None


class RapidOcrEngine:
    """Recognizes page images. Loading the models takes about a second and 150 MB."""

    def __init__(self, threads: int = 1) -> None:
        import logging

        from rapidocr import RapidOCR

        logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        self._engine = cast(Any, RapidOCR)(
            params={
                "Global.log_level": "error",
                "Global.return_word_box": True,
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def recognize(self, grey: Pixels) -> Recognition:
        """The text of an image of grey pixels."""
        import numpy as np

        image, record = self._engine.preprocess_img(np.repeat(grey[:, :, None], 3, axis=2))
        crops, boxes = self._detect(image, record)
        rotation = self._rotation(crops, boxes)
        if rotation:
            # Read again from the upright page, so that the lines come in reading order.
            grey = np.ascontiguousarray(np.rot90(grey, -rotation // 90))
            image, record = self._engine.preprocess_img(np.repeat(grey[:, :, None], 3, axis=2))
            crops, boxes = self._detect(image, record)
        scale_x, scale_y = grey.shape[1] / image.shape[1], grey.shape[0] / image.shape[0]
        segments: list[Segment] = []
        if crops:
            result = self._engine.recognize_txt(crops)
            for crop, box, text, info in zip(crops, boxes, result.txts, result.word_results, strict=True):
                segment = _segment(crop, box, text, info, scale_x, scale_y)
                if segment is not None:
                    segments.append(segment)
        return Recognition(tuple(segments), grey.shape[1], grey.shape[0], rotation)

    def _detect(self, image: Any, record: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        """The images of the text lines, and their four corners."""
        from rapidocr.main import RapidOCRError

        try:
            crops, detection = self._engine.detect_and_crop(image, record)
        except RapidOCRError:
            return [], []
        top, left = record["padding_1"]["top"], record["padding_1"]["left"]
        return list(crops), [box - (left, top) for box in detection.boxes]

    def _rotation(self, crops: list[Any], boxes: list[Any]) -> int:
        """The clockwise turn in degrees that makes the page upright."""
        if not boxes:
            return 0
        sizes = [(box[:, 0].max() - box[:, 0].min(), box[:, 1].max() - box[:, 1].min()) for box in boxes]
        wide = sum(width for width, height in sizes if width > 1.5 * height)
        tall = sum(height for width, height in sizes if height > 1.5 * width)
        widest = sorted(crops, key=lambda crop: crop.shape[1] / crop.shape[0])[-_LINES_FOR_DIRECTION:]
        _, directions = self._engine.cls_and_rotate(list(widest))
        on_head = sum(score if label == "180" else -score for label, score in directions.cls_res) > 0
        if tall > wide:
            # RapidOCR turns tall crops counterclockwise, so text that runs upwards stands on its head there.
            return 90 if on_head else 270
        return 180 if on_head else 0


def _segment(crop: Any, box: Any, text: str, info: Any, scale_x: float, scale_y: float) -> Segment | None:
    """The words of one recognized line with their boxes in the page image."""
    columns = [column for word in info.word_cols for column in word]
    letters = [letter for word in info.words for letter in word]
    confidences = [c for c, letter in zip(info.confs, text, strict=False) if not letter.isspace()]
    if not letters or sum(confidences) < _MIN_CONFIDENCE * len(letters):
        return None
    x0, y0 = float(box[:, 0].min()) * scale_x, float(box[:, 1].min()) * scale_y
    x1, y1 = float(box[:, 0].max()) * scale_x, float(box[:, 1].max()) * scale_y
    column_count = max(info.line_txt_len, max(columns) + 1)
    blanks = {
        index
        for index in range(1, len(letters))
        if text[_offset(text, index) - 1 : _offset(text, index)].isspace()
    }
    places = [
        CharacterPlace(letter, (column + 0.5) / column_count, confidence, index in blanks)
        for index, (letter, column, confidence) in enumerate(zip(letters, columns, confidences, strict=False))
    ]
    words = [
        OcrWord(
            word.text,
            Rectangle(x0 + word.start * (x1 - x0), y0, x0 + word.end * (x1 - x0), y1),
            word.confidence,
        )
        for word in split_words(places, crop)
    ]
    return Segment(tuple(words), Rectangle(x0, y0, x1, y1))


def _offset(text: str, letter_index: int) -> int:
    """The position in the text of its n-th character that is no blank."""
    count = -1
    for offset, character in enumerate(text):
        if not character.isspace():
            count += 1
            if count == letter_index:
                return offset
    return len(text)
