"""Converts formulas to one line of text: MathML of web pages and books, OMML of Office files.

A TeX annotation is used if there is one; otherwise fractions, powers and roots are written out.
"""

from __future__ import annotations

from towpath.readers.common.safe_xml import Element, local_name

_INFIX = {
    "mfrac": "/",
    "f": "/",
    "msup": "^",
    "sSup": "^",
    "msub": "_",
    "sSub": "_",
    "mover": "^",
    "munder": "_",
}
_DOUBLE_INFIX = {"msubsup": ("_", "^"), "sSubSup": ("_", "^"), "munderover": ("_", "^")}
_ROOTS = {"msqrt", "mroot", "rad"}
_IGNORED = {
    "annotation",
    "annotation-xml",
    "rPr",
    "ctrlPr",
    "fPr",
    "radPr",
    "sSupPr",
    "sSubPr",
    "sSubSupPr",
    "dPr",
}
_MAX_DEPTH = 60
_SPACED_OPERATORS = set("=<>+−≤≥≈≠→⇒∈∪∩×±")


def math_text(formula: Element) -> str:
    """The text of one formula in reading order."""
    for annotation in formula.iter("{*}annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and (annotation.text or "").strip():
            return "$" + " ".join((annotation.text or "").split()) + "$"
    return " ".join(_linearize(formula, _MAX_DEPTH).split())


def _linearize(element: Element, depth_left: int) -> str:
    name = local_name(element.tag)
    if name in _IGNORED:
        return ""
    if depth_left == 0:
        return "".join(element.itertext())
    if len(element) == 0:
        return _token_text(name, (element.text or "").strip())
    parts = [part for child in element if (part := _linearize(child, depth_left - 1))]
    if name in _INFIX and len(parts) == 2:
        return _parenthesize(parts[0]) + _INFIX[name] + _parenthesize(parts[1])
    if name in _DOUBLE_INFIX and len(parts) == 3:
        first, second = _DOUBLE_INFIX[name]
        return f"{_parenthesize(parts[0])}{first}{_parenthesize(parts[1])}{second}{_parenthesize(parts[2])}"
    if name in _ROOTS and parts:
        return "√" + _parenthesize("".join(parts))
    if name in ("mtr", "mr", "mlabeledtr", "mtable", "m", "eqArr"):
        return "; ".join(parts) if name in ("mtable", "m", "eqArr") else ", ".join(parts)
    if name == "d":
        return "(" + ", ".join(parts) + ")"
    return "".join(parts)


def _token_text(name: str, text: str) -> str:
    if name == "mtext":
        return f" {text} "
    return f" {text} " if text in _SPACED_OPERATORS and text else text


def _parenthesize(text: str) -> str:
    text = text.strip()
    return text if len(text) < 2 or text.isalnum() else f"({text})"
