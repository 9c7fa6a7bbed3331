"""Formulas as one line of text: MathML of web pages and books, and Office's own OMML.

TeX that the author left beside the formula wins; else fractions, powers and roots are written out.
"""

from __future__ import annotations

from towpath.providers.local.xml import Element, local_name

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
_INFIX_TWICE = {"msubsup": ("_", "^"), "sSubSup": ("_", "^"), "munderover": ("_", "^")}
_ROOTS = {"msqrt", "mroot", "rad"}
_SILENT = {
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
_DEEPEST = 60
_SPACED = set("=<>+−≤≥≈≠→⇒∈∪∩×±")


def math_text(formula: Element) -> str:
    """The text of one formula, in reading order, every sign of it once."""
    for note in formula.iter("{*}annotation"):
        if "tex" in (note.get("encoding") or "").lower() and (note.text or "").strip():
            return "$" + " ".join((note.text or "").split()) + "$"
    return " ".join(_linear(formula, _DEEPEST).split())


def _linear(element: Element, deepest: int) -> str:
    name = local_name(element.tag)
    if name in _SILENT:
        return ""
    if deepest == 0:
        return "".join(element.itertext())
    if len(element) == 0:
        return _leaf(name, (element.text or "").strip())
    parts = [part for child in element if (part := _linear(child, deepest - 1))]
    if name in _INFIX and len(parts) == 2:
        return _grouped(parts[0]) + _INFIX[name] + _grouped(parts[1])
    if name in _INFIX_TWICE and len(parts) == 3:
        first, second = _INFIX_TWICE[name]
        return f"{_grouped(parts[0])}{first}{_grouped(parts[1])}{second}{_grouped(parts[2])}"
    if name in _ROOTS and parts:
        return "√" + _grouped("".join(parts))
    if name in ("mtr", "mr", "mlabeledtr", "mtable", "m", "eqArr"):
        return "; ".join(parts) if name in ("mtable", "m", "eqArr") else ", ".join(parts)
    if name == "d":
        return "(" + ", ".join(parts) + ")"
    return "".join(parts)


def _leaf(name: str, text: str) -> str:
    if name == "mtext":
        return f" {text} "
    return f" {text} " if text in _SPACED and text else text


def _grouped(text: str) -> str:
    text = text.strip()
    return text if len(text) < 2 or text.isalnum() else f"({text})"
