"""Finds who issued an invoice or receipt, and whom it was issued to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from towpath.fields.invoices import labels
from towpath.fields.invoices.party_names import SOLD_BY, clean_name, is_name, name_parts
from towpath.fields.invoices.rows_and_cells import Cell, Row, enclosing

_ADDRESS = re.compile(
    r"\A\d+(?:-\d+)+\s|\A\W*(?:no\.?\s?\d|lot\b|jalan\b|jln\b|unit\b|block\b|blk\b|level\b|p\.?o\.? box"
    r"|\d+\s*,|\d{3,}-|rue\b|via\b|calle\b|rua\b|ul\.)"
    r"|(?:stra(?:ß|ss)e|str\.|straat|weg|gasse|allee|platz)\s*\d|\b(?:street|road|avenue|jalan|lorong|taman)\b|\b\d{4,6}\s+[A-ZÄÖÜ][a-zäöü]{2,}",
    re.IGNORECASE,
)
_DOMAIN = re.compile(
    r"(?:@|www\.|https?://(?:www\.)?)([a-z0-9][a-z0-9-]{2,40})\.[a-z]"
    r"|(?<![\w@.-])([a-z0-9][a-z0-9-]{2,40})\.(?:com?|org|net|io|eu|de|fr|nl|be|at|ch|es|it|pt|pl|se|dk|no|fi|cz|ru|ua"
    r"|in|au|nz|ca|us|uk|ie|sg|my)(?![\w-])",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?:mr|mrs|ms|miss|dr|herrn?|frau|mme|monsieur|madame|sr|sra|dhr|mevr)\b", re.IGNORECASE
)
_FREE_MAIL = frozenset(
    "gmail googlemail yahoo hotmail outlook gmx web icloud aol live t-online msn mail".split()
)
#: Words that are written small within names.
_PARTICLES = frozenset(
    "of and und the for de la le les du des van der den von y e et di del da do dos i och og".split()
)
#: A name that ends with one of these words goes on in the line below.
_OPEN_END = re.compile(r"(?:&|\b(?:and|of|und|et|de|du|der|van|von|for))\s*\Z", re.IGNORECASE)
#: A label within a line, "Date: 3 April Issued by: London Strategy Group".
_INNER_LABEL = re.compile(r"(?<=\s)[^\W\d_][\w.]{1,20}(?:\s[\w.]{1,12})?(?=\s?:\s)")
#: The end of an address, "Durango CO 81303" or "Delhi - 110092".
_CITY_WITH_CODE = re.compile(r"\b[A-Z]{2},? \d{5}(?:-\d{4})?\W*\Z|[A-Za-z]\s?-\s?\d{6}\W*\Z")
_NAME_LABEL = re.compile(r"(?:name|firma|company|nom|nombre|nome|nazwa|namn|naam|имя) ?:?", re.IGNORECASE)
_MAX_ROWS = 14
_MAX_LINE = 300
#: Cells of a receipt that are further apart are columns: shares of the width for each share of the height of a line.
_COLUMN_GAP = 8


@dataclass(frozen=True, slots=True)
class PartyMatch:
    value: str
    cell: Cell
    score: float
    margin: float = 0.0


def find_supplier(rows: Sequence[Row], *, receipt: bool) -> PartyMatch | None:
    """The name of the issuer: a company name at the top, in the footer, or like the domain of its addresses."""
    first_page = [row for row in rows if row.page == rows[0].page] if rows else []
    if not first_page:
        return None
    text = " ".join(row.text for row in rows)
    names = (match[1] or match[2] for match in _DOMAIN.finditer(text))
    domains = {re.sub(r"\W", "", name.lower()) for name in names if name.lower() not in _FREE_MAIL}
    customer = _cells_of(labels.CUSTOMER, first_page, 4)
    customer_names = _customer_names(first_page)
    labelled = _first_names(first_page)
    behind = _behind_labels(first_page)
    usual_height = median(cell.height for row in first_page for cell in row.cells)
    best: dict[str, PartyMatch] = {}
    candidates = [*behind, *_candidates(first_page, receipt=receipt)]
    candidates += _domain_names(rows, domains, [name for _, _, name in candidates])
    for index, cell, name in candidates:
        score = _score(index, cell, name, len(first_page), receipt=receipt)
        compact = re.sub(r"\W", "", name.lower())
        if any(_is_like(compact, domain) for domain in domains):
            score += 2.0
            if not receipt:
                # The longer of two names with this domain; receipts print a brand above the name of the company.
                score += 0.2 if len(name.split()) > 1 else 0.0
                score += 0.3 if compact in domains else 0.0
        score -= 3.0 if cell in customer or compact in customer_names else 0.0
        score += 3.0 if cell in labelled or (index, cell, name) in behind else 0.0
        score += 0.5 if cell.height > 1.3 * usual_height else 0.0
        score += 0.6 if len(name.split()) > 1 and text.lower().count(name.lower()) > 1 else 0.0
        known = best.get(compact)
        if known is None or score > known.score:
            best[compact] = PartyMatch(name, cell, score)
    ranked = sorted(best.values(), key=lambda match: -match.score)
    if not ranked or ranked[0].score < 0.5:
        return None
    margin = ranked[0].score - ranked[1].score if len(ranked) > 1 else 2.0
    return PartyMatch(ranked[0].value, ranked[0].cell, ranked[0].score, margin)


def find_customer(rows: Sequence[Row]) -> PartyMatch | None:
    """The name behind or below a label such as "Bill to"."""
    for index, row in enumerate(rows[:60]):
        for cell in row.cells:
            label = labels.CUSTOMER.search(cell.text)
            if label is None or label.start() > 3 or len(cell.text) > 60:
                continue
            behind = cell.text[label.end() :].strip(" :：.-")
            if is_name(behind):
                return PartyMatch(behind, cell, 1.5)
            if behind and not behind.lower().startswith(("name", "adress", "addr")):
                continue
            for below in _cells_below(rows, index, cell)[:1]:
                name = clean_name(below.text)
                if is_name(name) and not _ADDRESS.search(name):
                    return PartyMatch(name, below, 1.2)
    return None


def _candidates(rows: Sequence[Row], *, receipt: bool) -> Iterator[tuple[int, Cell, str]]:
    for index, row in enumerate(rows):
        if receipt and index >= _MAX_ROWS:
            return
        cells = list(_merged(row.cells)) if receipt else _without_labels(row.cells)
        for cell in cells:
            for part in name_parts(cell.text):
                name = clean_name(part)
                if is_name(name) and not _CITY_WITH_CODE.search(part):
                    following = rows[index + 1].text if index + 1 < len(rows) else ""
                    form = labels.LEGAL_FORM.match(following)
                    is_open = _OPEN_END.search(part) is not None
                    if is_open and not receipt:
                        following = next((below.text for below in _cells_below(rows, index, cell)), "")
                    if not is_open:
                        yield index, cell, name
                    if is_open or (form and not labels.LEGAL_FORM.search(name) and len(following) < 20):
                        yield index, cell, clean_name(f"{part} {following}")


def _merged(cells: Sequence[Cell]) -> Iterator[Cell]:
    """The cells of a receipt, joined where the space is that of wide letters and not of another column."""
    group: list[Cell] = []
    for cell in cells:
        if group and cell.box.x0 - group[-1].box.x1 > _COLUMN_GAP * max(cell.height, group[-1].height):
            yield _joined(group)
            group = []
        group.append(cell)
    if group:
        yield _joined(group)


def _joined(cells: Sequence[Cell]) -> Cell:
    text = " ".join(cell.text for cell in cells)
    return replace(cells[0], text=text, box=enclosing(cell.box for cell in cells))


def _without_labels(cells: Sequence[Cell]) -> list[Cell]:
    """The cells that are no label: the cell right of a label may begin with its colon."""
    following = [*(cell.text for cell in cells[1:]), ""]
    return [cell for cell, after in zip(cells, following, strict=True) if not after.startswith(":")]


def _score(index: int, cell: Cell, name: str, row_count: int, *, receipt: bool) -> float:
    score = 1.8 - 0.2 * index if index < 9 else 0.0
    legal, trade = labels.LEGAL_FORM.search(name), labels.TRADE_WORD.search(name)
    score += 2.4 if legal and legal.start() > 2 else 0.0
    score += 0.0 if not trade else 0.3 if legal else 1.0
    score += 0.4 if name.isupper() else -1.5 if name.islower() else 0.0
    if labels.NOT_SUPPLIER.search(name):
        score -= 3.0
    if _ADDRESS.search(name):
        score -= 2.0
    if cell.confidence < 0.75:
        score -= 0.7
    if not receipt and index > 0.75 * row_count and legal:
        score += 1.0  # the footer of a letter
    if not receipt and 10 <= index <= 0.75 * row_count:
        score -= 0.8
    if len(name) < 5:
        score -= 0.7
    if _PERSON.match(name):
        score -= 1.5
    if re.match(r"\d+\s", name) and not legal and not trade:
        score -= 1.0  # a house number
    if not re.sub(r"\W", "", labels.TRADE_WORD.sub("", labels.LEGAL_FORM.sub("", name))):
        score -= 2.0  # "Trading Ltd" is the end of a name
    small = [word for word in name.split() if word[0].islower() and word not in _PARTICLES]
    if len(small) > 1:
        score -= 1.5  # a sentence
    return score


def _is_like(name: str, domain: str) -> bool:
    """True if the domain begins as the name does, or is contained in it."""
    common = 0
    for first, second in zip(name, domain, strict=False):
        if first != second:
            break
        common += 1
    return common >= 5 or (len(domain) >= 5 and domain in name) or (common >= 4 and common == len(domain))


def _first_names(rows: Sequence[Row]) -> set[Cell]:
    """The first name below each label such as "Seller"."""
    values = {cell for row in rows for cell in _without_labels(row.cells)}
    cells: set[Cell] = set()
    for index, row in enumerate(rows):
        for cell in row.cells:
            if labels.SUPPLIER_LABEL.search(cell.text) and len(cell.text) < 40:
                below = [other for other in _cells_below(rows, index, cell)[:5] if other in values]
                below = [*_named_cells(rows[index + 1 : index + 6]), *below]
                names = [
                    other for other in below if is_name(clean_name(other.text)) and not _has_digit(other.text)
                ]
                cells.update(names[:1])
    return cells


def _behind_labels(rows: Sequence[Row]) -> list[tuple[int, Cell, str]]:
    """Names behind a label in the same cell ("Vendor: ABC Supplies Inc.") or in the cell right of it."""
    found: list[tuple[int, Cell, str]] = []
    for index, row in enumerate(rows):
        for position, cell in enumerate(row.cells):
            label = labels.SUPPLIER_LABEL.search(cell.text)
            if label is None:
                found += [(index, cell, name) for name in _behind_inner_labels(cell.text)]
                continue
            sold_by = SOLD_BY.match(cell.text)
            if label.end() < len(cell.text) and ":" not in cell.text and sold_by is None:
                continue
            text = cell.text[label.end() :].partition(":")[2].strip()
            if sold_by and not text:
                text = cell.text[sold_by.end() :].strip()
            if not text and position + 1 < len(row.cells) and ":" not in row.cells[position + 1].text:
                cell = row.cells[position + 1]
                text = cell.text
            name = clean_name(text)
            if text and is_name(name) and not labels.CUSTOMER.match(name):
                found.append((index, cell, name))
            elif not text and label.end() >= len(cell.text.rstrip(" :：")):
                found += _named_below(rows, index, cell)
    return found


def _named_below(rows: Sequence[Row], index: int, cell: Cell) -> Iterator[tuple[int, Cell, str]]:
    """The name in the cell directly below a label, behind the label "Name:"."""
    for below in _cells_below(rows, index, cell)[:1]:
        label, _, text = below.text.partition(":")
        if text and _NAME_LABEL.fullmatch(label.strip()) and is_name(name := clean_name(text)):
            yield index + 1, below, name


def _behind_inner_labels(text: str) -> Iterator[str]:
    """The name behind a label in the middle of a line, up to the next label."""
    places = [match for match in _INNER_LABEL.finditer(text[:_MAX_LINE])]
    ends = [*(place.start() for place in places[1:]), len(text)]
    for place, end in zip(places, ends, strict=False):
        words = place[0].split()
        if any(labels.SUPPLIER_LABEL.fullmatch(" ".join(words[start:])) for start in range(len(words))):
            name = clean_name(text[place.end() : end].lstrip(" :"))
            if is_name(name):
                yield name


def _domain_names(
    rows: Sequence[Row], domains: set[str], names: Sequence[str]
) -> list[tuple[int, Cell, str]]:
    """Words in a text that spell the domain of an address: "British Gas" for britishgas.co.uk.

    A domain that is part of a known name adds nothing: "Random Company Private Limited" is the longer name.
    """
    known = " ".join(re.sub(r"\W", "", name.lower()) for name in names)
    found: list[tuple[int, Cell, str]] = []
    for domain in sorted(domain for domain in domains if len(domain) >= 5 and domain not in known)[:5]:
        pattern = re.compile(
            r"(?<![\w@./-])" + r"[ &.'’-]{0,3}".join(domain) + r"(?![\w@/-]|\.\w)", re.IGNORECASE
        )
        for index, row in enumerate(rows):
            matches = [(cell, pattern.search(cell.text)) for cell in row.cells if len(cell.text) < 300]
            spelled = [(cell, match[0]) for cell, match in matches if match and not match[0].islower()]
            if spelled:
                found.append((index, *spelled[0]))
                break
    return found


def _named_cells(rows: Sequence[Row]) -> list[Cell]:
    """The cells right of the label "Name"."""
    return [
        row.cells[1]
        for row in rows
        if len(row.cells) > 1 and _NAME_LABEL.fullmatch(row.cells[0].text.strip())
    ]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _customer_names(rows: Sequence[Row]) -> set[str]:
    """The letters of the names directly below a label of the customer, which may stand elsewhere without a label."""
    names: set[str] = set()
    for index, row in enumerate(rows):
        for cell in row.cells:
            label = cell.text.rstrip(" :：")
            if labels.CUSTOMER.fullmatch(label) and "account" not in label.casefold():
                below = [clean_name(other.text) for other in _cells_below(rows, index, cell)[:1]]
                names.update(re.sub(r"\W", "", name.lower()) for name in below if is_name(name))
    return names


def _cells_of(label_pattern: re.Pattern[str], rows: Sequence[Row], count: int) -> set[Cell]:
    """The first cells of an address below a label such as "Bill to"."""
    cells: set[Cell] = set()
    for index, row in enumerate(rows):
        for cell in row.cells:
            label = label_pattern.search(cell.text)
            if label and label.start() <= 3 and len(cell.text) < 60:
                cells.update([cell, *_cells_below(rows, index, cell)[:count]])
    return cells


def _cells_below(rows: Sequence[Row], index: int, cell: Cell) -> list[Cell]:
    """Cells below in the same column, without a large gap."""
    cells: list[Cell] = []
    bottom = cell.box.y1
    for row in rows[index + 1 : index + 10]:
        if row.page != cell.page or row.top - bottom > 2.5 * max(cell.height, 0.008):
            break
        for other in row.cells:
            if min(other.box.x1, cell.box.x1) > max(other.box.x0, cell.box.x0):
                cells.append(other)
                bottom = max(bottom, other.box.y1)
    return cells
