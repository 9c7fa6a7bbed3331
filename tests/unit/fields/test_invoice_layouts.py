"""Fields of invoices of an unusual layout: names in two lines, several labels in one line, pages scanned sideways."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.fields.test_invoices import document, fields, values
from towpath.fields.finder import find_fields
from towpath.fields.invoices.amounts import currency_marks
from towpath.fields.invoices.recognized_lines import Direction, as_shown, upright
from towpath.model.content import Box, Extraction, Word

Place = tuple[str, float, float]

INVOICE: list[Place] = [
    ("Rope and Lamp Ltd", 0.1, 0.05),
    ("Invoice", 0.7, 0.05),
    ("Invoice number: 4711", 0.1, 0.12),
    ("Invoice date: 12.03.2024", 0.1, 0.15),
    ("Rope", 0.1, 0.3),
    ("12.00", 0.7, 0.3),
    ("Lamp", 0.1, 0.33),
    ("30.50", 0.7, 0.33),
    ("Total amount due", 0.1, 0.4),
    ("42.50 EUR", 0.7, 0.4),
]


def without(text: str) -> list[Place]:
    return [place for place in INVOICE if text not in place[0]]


def test_a_name_that_ends_with_a_small_word_goes_on_below():
    places = [
        *without("Rope and Lamp"),
        ("House of", 0.1, 0.02),
        ("Lanterns", 0.1, 0.035),
        ("Date", 0.5, 0.028),
    ]

    assert values(places)["supplier"] == "House of Lanterns"


def test_the_issuer_is_found_behind_a_label_within_a_line():
    line = "Rechnung Nr. UK-44552 Datum: 3. April 2026 Aussteller: Canal Strategy Group,"
    found = values([*without("Rope and Lamp"), (line, 0.05, 0.02), ("Westminster, UK", 0.05, 0.035)])

    assert found["supplier"] == "Canal Strategy Group"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Canal Cloud GmbH support@canalcloud.example", "Canal Cloud GmbH"),
        ("Handwerker-Service Müller Hauptstraße 12, 12345 Berlin", "Handwerker-Service Müller"),
        ("Venduto da Corda e Lampada S.r.l., Milano", "Corda e Lampada S.r.l., Milano"),
    ],
)
def test_an_address_or_a_label_is_no_part_of_the_name(written: str, name: str):
    assert values([*without("Rope and Lamp"), (written, 0.05, 0.02)])["supplier"] == name


def test_a_word_with_letters_set_apart_is_no_name():
    places = [*without("Invoice"), ("F A C T U R E", 0.5, 0.02), ("Facture N° 175", 0.1, 0.12)]
    spaced = fields(places)

    assert spaced["supplier"].value == "Rope and Lamp Ltd"
    assert spaced["document_type"].value == "invoice"


def test_a_number_without_another_word_stands_below_the_title():
    places = [("Factura", 0.5, 0.02), ("Nº: 4000-12345678", 0.5, 0.05), *without("Invoice")]
    places.append(
        ("10063: Factura individual, con el tipo 80 y el DocNro 30000000007 no inscripto", 0.05, 0.6)
    )

    assert values(places)["invoice_number"] == "4000-12345678"


def test_seller_and_buyer_make_an_invoice_but_not_of_an_order():
    parties: list[Place] = [
        ("Sprzedawca:", 0.1, 0.05),
        ("Firma Lina", 0.1, 0.08),
        ("Nabywca:", 0.6, 0.05),
        ("Firma Lampa", 0.6, 0.08),
        ("Data wystawienia: 2024-10-29", 0.1, 0.15),
        ("Suma", 0.1, 0.4),
        ("280,00 zł", 0.7, 0.4),
    ]

    found = values(parties)
    assert (found["document_type"], found["supplier"], found["total"]) == (
        "invoice",
        "Firma Lina",
        "280.00 PLN",
    )
    assert "document_type" not in values([("Zamówienie", 0.1, 0.02), *parties])


def test_a_total_below_its_label_counts_with_a_text_on_its_left():
    found = values(
        [
            ("Anvil Co", 0.7, 0.05),
            ("Recibo No: 12345", 0.1, 0.1),
            ("Fecha de recibo: 7/12/2024", 0.1, 0.13),
            ("TV", 0.1, 0.3),
            ("$500.00", 0.7, 0.3),
            ("Mueble", 0.1, 0.33),
            ("$300.00", 0.7, 0.33),
            ("MES", 0.4, 0.6),
            ("TOTALAPAGAR", 0.7, 0.6),
            ("marzo", 0.4, 0.63),
            ("$800.00", 0.7, 0.63),
        ]
    )

    assert (found["supplier"], found["total"], found["invoice_number"]) == ("Anvil Co", "800.00", "12345")


def test_a_label_is_no_customer():
    found = values(
        [*INVOICE, ("Invoice Total EUR", 0.1, 0.5), ("Account name: ROPE AND LAMP LTD.", 0.1, 0.6)]
    )

    assert "customer" not in found


def test_the_end_of_an_address_is_no_name():
    receipt: list[Place] = [
        ("Canal Mart", 0.3, 0.02),
        ("DURANGO CO 81303", 0.3, 0.04),
        ("TOTAL", 0.1, 0.1),
        ("38.68", 0.7, 0.1),
        ("CASH", 0.1, 0.12),
        ("40.00", 0.7, 0.12),
        ("CHANGE", 0.1, 0.14),
        ("1.32", 0.7, 0.14),
        ("1 @ 2 / 4.00", 0.1, 0.2),
        ("01/26/09", 0.1, 0.25),
    ]
    found = values(receipt, width=300)

    assert (found["supplier"], found["invoice_date"]) == ("Canal Mart", "2009-01-26")


@pytest.mark.parametrize(
    ("text", "marks"),
    [("1.99 FT try it, Ron", []), ("all prices in CHF", ["CHF"]), ("RM 12", ["MYR"]), ("€ 5", ["EUR"])],
)
def test_words_are_no_currencies(text: str, marks: list[str]):
    assert list(currency_marks(text)) == marks


@pytest.mark.parametrize("direction", ["right", "left", "down", "up"])
def test_a_page_scanned_sideways_is_read_upright(direction: Direction):
    page = document(INVOICE, confidence=0.95)
    words = tuple(replace(word, box=as_shown(word.box, direction)) for word in page.words)
    sideways = direction in ("up", "down")
    (first,) = page.pages
    size = (first.height, first.width) if sideways else (first.width, first.height)
    pages = (replace(first, width=size[0], height=size[1]),)

    found = {field.name: field for field in find_fields(replace(page, pages=pages, words=words))}

    assert found["supplier"].value == "Rope and Lamp Ltd"
    assert found["invoice_number"].value == "4711"
    assert found["total"].value == "42.50 EUR"
    box = found["total"].box
    assert box is not None
    assert upright(box, direction).x0 == pytest.approx(0.7)


def test_a_scan_whose_lines_are_single_words_is_not_taken_for_sideways():
    rows = [
        ("上海市绳索有限公司", 0.1, 0.05),
        ("发票号码：12345678", 0.1, 0.12),
        ("开票日期：2024年03月12日", 0.1, 0.15),
        ("价税合计：￥100.00", 0.1, 0.4),
    ]
    recognized = document(rows, confidence=0.95)
    lines = [
        Word(text, 1, Box(left, top, left + 0.02 * len(text), top + 0.02), 0.95) for text, left, top in rows
    ]

    found = {field.name: field.value for field in find_fields(replace(recognized, words=tuple(lines)))}

    assert found["invoice_number"] == "12345678"
    assert found["total"] == "100.00 CNY"


def test_lines_of_a_crooked_photograph_are_not_mixed():
    """The boxes of two lines overlap; each line is one segment, and nothing stands beside the other."""

    def line(text: str, top: float, left: float) -> list[Word]:
        words: list[Word] = []
        for word in text.split():
            words.append(Word(word, 1, Box(left, top, round(left + 0.02 * len(word), 4), top + 0.033), 0.9))
            left = round(left + 0.02 * len(word), 4)
        return words

    rows = [
        "CANAL SWEETS",
        "6 LSC RSN ARCADE NEAR PRINCE",
        "Date : 08-Nov-2015",
        "Bill Total : 594.00",
        "Cash 594.00",
    ]
    words = [
        word for index, row in enumerate(rows) for word in line(row, 0.1 + 0.015 * index, 0.35 - 0.04 * index)
    ]
    page = document(INVOICE)
    found = {
        field.name: field.value
        for field in find_fields(Extraction("\n".join(rows), "t", page.pages, words=tuple(words)))
    }

    assert found["supplier"] == "CANAL SWEETS"
    assert found["total"] == "594.00"


def test_a_name_stands_behind_the_label_name_below_the_label_of_the_seller():
    places: list[Place] = [
        ("Sprzedawca", 0.1, 0.03),
        ("Nazwa: Spock", 0.1, 0.045),
        ("Email: spock@enterprise.example", 0.1, 0.06),
        ("Nabywca", 0.1, 0.075),
        ("Nazwa: Hymel", 0.1, 0.09),
        *without("Rope and Lamp"),
    ]

    assert values(places)["supplier"] == "Spock"


def test_the_number_of_a_czech_invoice_stands_behind_its_kind():
    title = ("Faktura - daňový doklad č.FV5040011231", 0.1, 0.02)

    assert values([title, *without("Invoice")])["invoice_number"] == "FV5040011231"


def test_a_taxable_amount_is_not_the_total():
    found = values(
        [
            *without("Total"),
            ("Sub Total", 0.1, 0.5),
            ("14,980.00", 0.7, 0.5),
            ("Total Taxable Amount", 0.1, 0.53),
            ("14,980.00", 0.7, 0.53),
            ("CGST 9%", 0.1, 0.56),
            ("1,348.20", 0.7, 0.56),
            ("SGST 9%", 0.1, 0.59),
            ("1,348.20", 0.7, 0.59),
            ("Total", 0.1, 0.62),
            ("17,676.00", 0.7, 0.62),
        ]
    )

    assert found["total"] == "17676.00 EUR"


def test_the_sign_of_the_yen_is_a_chinese_currency_on_a_chinese_invoice():
    assert values([("发票号码: 011001900111", 0.1, 0.02), ("合计", 0.1, 0.5), ("¥1200.00", 0.7, 0.5)])[
        "total"
    ].endswith("CNY")
    assert values([("請求書", 0.1, 0.02), ("ご請求金額", 0.1, 0.5), ("¥1200", 0.7, 0.5)])["total"].endswith(
        "JPY"
    )


def test_the_sign_of_the_yen_is_a_japanese_currency_without_kana():
    found = values(
        [
            ("請求書番号: 011001900111", 0.1, 0.02),
            ("株式会社山田商店", 0.1, 0.1),
            ("合計金額", 0.1, 0.5),
            ("¥110,000", 0.7, 0.5),
        ]
    )

    assert found["total"] == "110000.00 JPY"


def test_the_customer_is_not_the_supplier_in_the_window_of_the_envelope():
    places: list[Place] = [
        ("Seil und Licht", 0.1, 0.02),
        ("Kanalinvest SE", 0.1, 0.06),
        ("Leistungsempfänger:", 0.1, 0.2),
        ("Kanalinvest SE", 0.1, 0.215),
        *without("Rope and Lamp"),
    ]

    assert values(places)["supplier"] == "Seil und Licht"


def test_a_grand_total_without_decimals_counts_beside_amounts_with_decimals():
    places: list[Place] = [
        *without("Total"),
        ("Total", 0.1, 0.4),
        ("8000.00", 0.7, 0.4),
        ("GRAND TOTAL", 0.1, 0.43),
        ("9440", 0.7, 0.43),
    ]

    assert values(places)["total"] == "9440.00 EUR"
