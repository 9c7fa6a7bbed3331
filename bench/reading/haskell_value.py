"""Reads values as Haskell prints them: pandoc writes its documents in this form (`pandoc -t native`)."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r'\s*("(?:[^"\\]|\\.)*"|[\[\](),{}=]|-?\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z_][\w.\']*)', re.DOTALL
)
_CODE = re.compile(r"\\(\d+)(?:\\&)?")


@dataclass(slots=True)
class Node:
    """A constructor with its arguments, such as `Str "word"`."""

    name: str
    arguments: list[Value] = field(default_factory=list["Value"])


Value = Node | list["Value"] | str


def parse(text: str) -> Value:
    """The value of the whole text; tuples are read as lists, numbers as strings."""
    tokens = [match[1] for match in _TOKEN.finditer(text)]
    value, _ = _application(tokens, 0)
    return value


def _application(tokens: list[str], position: int) -> tuple[Value, int]:
    value, position = _atom(tokens, position)
    if not isinstance(value, Node):
        return value, position
    while position < len(tokens) and tokens[position] not in "]),}=":
        argument, position = _atom(tokens, position)
        value.arguments.append(argument)
    return value, position


def _atom(tokens: list[str], position: int) -> tuple[Value, int]:
    token = tokens[position]
    if token in "[({":
        items: list[Value] = []
        position += 1
        while tokens[position] not in "])}":
            if tokens[position] in ",=":
                position += 1
                continue
            item, position = _application(tokens, position)
            items.append(item)
        # A value in parentheses alone is that value.
        single = token == "(" and len(items) == 1
        return (items[0] if single else items), position + 1
    if token.startswith('"'):
        return _string(token), position + 1
    if token[0].isdigit() or token[0] == "-":
        return token, position + 1
    return Node(token), position + 1


def _string(token: str) -> str:
    """A string literal; Haskell writes characters outside ASCII as decimal codes."""
    decoded = _CODE.sub(lambda match: chr(int(match[1])), token).replace("\\&", "")
    try:
        return str(ast.literal_eval(decoded.replace("\n", "\\n")))
    except (SyntaxError, ValueError):
        return decoded.strip('"')
