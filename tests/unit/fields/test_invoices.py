"""Fields of invoices and receipts: by label, place and arithmetic, in several languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from towpath.fields.finder import find_fields
from towpath.fields.invoices import amount_labels
from towpath.fields.invoices.amounts import read_amounts
from towpath.fields.invoices.label_patterns import LowerCaseLabels
from towpath.model.content import Box, Extraction, Field, Page, Word

Place = tuple[str, float, float]
"""A text, its left edge and its top, as fractions of the page."""


def document(places: Sequence[Place], *, confidence: float | None = None, width: float = 595) -> Extraction:
    """A page whose letters are 0.008 wide and 0.012 high."""
    words: list[Word] = []
    for text, left, top in places:
        x = left
        for word in text.split():
            words.append(Word(word, 1, Box(x, top, round(x + 0.008 * len(word), 4), top + 0.012), confidence))
            x += 0.008 * (len(word) + 1)
    lines: dict[float, list[str]] = {}
    for text, _, top in places:
        lines.setdefault(top, []).append(text)
    markdown = "\n\n".join(" ".join(texts) for texts in lines.values())
    return Extraction(
        markdown, "t", (Page(1, 0, len(markdown), width=width, height=842),), words=tuple(words)
    )


def fields(places: Sequence[Place], **options: float) -> dict[str, Field]:
    return {field.name: field for field in find_fields(document(places, **options))}


def values(places: Sequence[Place], **options: float) -> dict[str, str]:
    return {name: field.value for name, field in fields(places, **options).items()}


def receipt(*rows: tuple[str, str]) -> list[Place]:
    head: list[Place] = [("CANAL SHOP SDN BHD", 0.3, 0.02), ("TAX INVOICE", 0.35, 0.05)]
    for index, (label, amount) in enumerate(rows):
        head += [(label, 0.1, 0.1 + 0.03 * index), (amount, 0.8, 0.1 + 0.03 * index)]
    return head


def test_a_receipt_gives_supplier_date_and_total():
    found = fields(
        receipt(
            ("Date: 03/04/2018 14:31:00", ""),
            ("Rope", "12.00"),
            ("Lamp", "30.49"),
            ("Total Sales (Inclusive of GST) RM", "42.49"),
            ("Rounding", "0.01"),
            ("Total Rounded RM", "42.50"),
            ("Cash", "50.00"),
            ("Change", "7.50"),
        ),
        width=300,
    )

    assert found["document_type"].value == "receipt"
    assert found["supplier"].value == "CANAL SHOP SDN BHD"
    assert found["total"].value == "42.50 MYR"
    assert found["invoice_date"].value == "2018-04-03"
    assert found["total"].page == 1
    assert found["total"].box is not None
    assert found["total"].box.x0 == pytest.approx(0.8)
    assert "amount" not in found


LANGUAGES = {
    "en": ("Invoice", "Invoice No.", "Invoice date", "Due date", "Subtotal", "VAT 20 %", "Total amount due"),
    "de": ("Rechnung", "Rechnungsnummer", "Rechnungsdatum", "Fällig am", "Nettobetrag", "MwSt. 20 %", "Gesamtbetrag"),
    "nl": ("Factuur", "Factuurnummer", "Factuurdatum", "Vervaldatum", "Exclusief BTW", "BTW 20 %", "Totaal"),
    "fr": ("Facture", "Facture N°", "Date de facture", "Date d'échéance", "Total HT", "TVA 20 %", "Total TTC"),
    "es": ("Factura", "Factura n.º", "Fecha de factura", "Vencimiento", "Base imponible", "IVA 20 %", "Total a pagar"),
    "it": ("Fattura", "Numero fattura", "Data fattura", "Scadenza", "Imponibile", "IVA 20 %", "Totale fattura"),
    "pt": ("Fatura", "Fatura nº", "Data da fatura", "Vencimento", "Total sem IVA", "IVA 20 %", "Valor total"),
    "pl": ("Faktura", "Nr faktury", "Data wystawienia", "Termin płatności", "Wartość netto", "VAT 20 %", "Do zapłaty"),
    "sv": ("Faktura", "Fakturanummer", "Fakturadatum", "Förfallodatum", "Netto", "Moms 20 %", "Att betala"),
    "ru": ("Счёт", "Счёт №", "Дата счёта", "Срок оплаты", "Без НДС", "НДС 20 %", "Итого к оплате"),
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_are_known_in_many_languages(language: str):
    title, number, issued, due, net, tax, total = LANGUAGES[language]
    found = values(
        [
            ("Hafenhandel GmbH", 0.1, 0.03),
            (title, 0.1, 0.1),
            (f"{number}: 2024-0815", 0.6, 0.1),
            (f"{issued}:", 0.6, 0.13), ("14.05.2024", 0.85, 0.13),
            (f"{due}:", 0.6, 0.16), ("28.05.2024", 0.85, 0.16),
            ("Rope", 0.1, 0.3), ("100,00", 0.85, 0.3),
            (net, 0.5, 0.5), ("100,00 €", 0.85, 0.5),
            (tax, 0.5, 0.53), ("20,00 €", 0.85, 0.53),
            (total, 0.5, 0.56), ("120,00 €", 0.85, 0.56),
        ]
    )  # fmt: skip

    assert found["document_type"] == "invoice"
    assert found["supplier"] == "Hafenhandel GmbH"
    assert found["invoice_number"] == "2024-0815"
    assert found["invoice_date"] == "2024-05-14"
    assert found["due_date"] == "2024-05-28"
    assert (found["net"], found["tax"], found["total"]) == ("100.00 EUR", "20.00 EUR", "120.00 EUR")


def test_values_below_their_labels_are_found():
    found = values(
        [
            ("Hafenhandel GmbH", 0.1, 0.03),
            ("Rechnung", 0.1, 0.1),
            ("Rechnungsnr.", 0.1, 0.2), ("Rechnungsdatum", 0.4, 0.2), ("Gesamtbetrag", 0.7, 0.2),
            ("30064443", 0.1, 0.22), ("7. Mai 2014", 0.4, 0.22), ("34,73 EUR", 0.7, 0.22),
        ]
    )  # fmt: skip

    assert found["invoice_number"] == "30064443"
    assert found["invoice_date"] == "2014-05-07"
    assert found["total"] == "34.73 EUR"


def test_the_customer_is_not_the_supplier():
    found = values(
        [
            ("Invoice 4711", 0.1, 0.03),
            ("Bill to:", 0.1, 0.1), ("Seller:", 0.6, 0.1),
            ("Great Buyers Ltd", 0.1, 0.12), ("Small Sellers Ltd", 0.6, 0.12),
            ("Total", 0.5, 0.5), ("$ 12.00", 0.85, 0.5),
        ]
    )  # fmt: skip

    assert found["supplier"] == "Small Sellers Ltd"
    assert found["customer"] == "Great Buyers Ltd"
    assert found["total"] == "12.00"  # a dollar sign does not say of which country


def test_a_credit_note_has_negative_amounts():
    found = values(
        [
            ("Hafenhandel GmbH", 0.1, 0.03),
            ("Gutschrift Nr. 815", 0.1, 0.1),
            ("Nettobetrag", 0.5, 0.5), ("-100,00 €", 0.85, 0.5),
            ("MwSt. 19 %", 0.5, 0.53), ("-19,00 €", 0.85, 0.53),
            ("Gesamtbetrag", 0.5, 0.56), ("-119,00 €", 0.85, 0.56),
        ]
    )  # fmt: skip

    assert found["document_type"] == "credit note"
    assert found["total"] == "-119.00 EUR"


@pytest.mark.parametrize(
    ("evidence", "value", "sure"),
    [
        ("Kuala Lumpur, Malaysia", "2018-04-03", True),
        ("Springfield, IL 62704 USA", "2018-03-04", True),
        ("Delivered 25/04/2018", "2018-04-03", True),
        ("Shipped 04/25/2018", "2018-03-04", True),
        ("Springfield", "2018-04-03", False),
    ],
)
def test_the_order_of_day_and_month_is_decided_by_evidence(evidence: str, value: str, sure: bool):
    field = fields(
        [
            ("Shoe Shop", 0.1, 0.03),
            (evidence, 0.1, 0.06),
            ("Invoice 4711", 0.1, 0.1),
            ("Invoice date: 03/04/2018", 0.6, 0.1),
            ("Total", 0.5, 0.5), ("12.00", 0.85, 0.5),
        ]
    )["invoice_date"]  # fmt: skip

    assert field.value == value
    assert (field.confidence >= 0.8) is sure


def test_a_text_about_invoices_is_not_one():
    prose = (
        "An invoice lists what was sold. The total amount is 120.00 EUR in this example, and the invoice number must "
        "be unique. A receipt is given for cash."
    )

    assert "document_type" not in {field.name for field in find_fields(Extraction(prose, "t"))}


def test_a_table_of_an_invoice_without_places_is_read_by_its_lines():
    markdown = (
        "Hafenhandel GmbH\n\n# Rechnung\n\nRechnungsnummer: 4711\n\nRechnungsdatum: 14.05.2024\n\n"
        "| Ware | Preis |\n|---|---|\n| Seil | 100,00 € |\n| **Gesamtbetrag** | **100,00 €** |\n"
    )
    found = {field.name: field.value for field in find_fields(Extraction(markdown, "t"))}

    assert found["invoice_number"] == "4711"
    assert found["total"] == "100.00 EUR"
    assert found["invoice_date"] == "2024-05-14"


def short_invoice(*rows: Sequence[str]) -> list[Place]:
    """Rows of cells: the first at the left edge, the second in the middle, the third at the right."""
    return [
        (text, left, round(0.05 + 0.03 * index, 3))
        for index, row in enumerate(rows)
        for text, left in zip(row, (0.05, 0.45, 0.8), strict=False)
    ]


@pytest.mark.parametrize(
    ("label", "printed", "total"),
    [
        ("Total Amount:", "1350", "1350.00"),
        ("Total :", "12498.8", "12498.80"),
        ("Gross Total Amount", "€144.59", "144.59 EUR"),
        ("Всього до оплати:", "10000", "10000.00"),
        ("合計:", "¥55,000", "55000.00 JPY"),
        ("Total to pay", "£92.62", "92.62 GBP"),
    ],
)
def test_a_total_without_decimals_is_known_by_its_label(label: str, printed: str, total: str):
    found = values(short_invoice(["Invoice No. A-17"], ["Rope", "2"], ["Lamp", "1"], [label, "", printed]))

    assert found["total"] == total


def test_a_count_behind_total_is_no_amount_where_another_total_is():
    found = values(
        short_invoice(["Invoice No. A-17"], ["Total", "", "3"], ["Total", "", "45.00"], ["Rope", "", "45.00"])
    )

    assert found["total"] == "45.00"


def test_the_largest_amount_behind_a_total_is_the_total():
    found = values(
        short_invoice(
            ["Tax Invoice"],
            ["Invoice Number: DEL5-11003374"],
            ["Case", "₹177.12 ₹31.88 ₹209.00"],
            ["TOTAL:", "₹31.88 ₹209.00"],
        )
    )

    assert found["total"] == "209.00 INR"


def test_the_sum_of_the_lines_is_not_the_total():
    found = values(
        short_invoice(
            ["Invoice No. A-17"],
            ["Line Total Amount", "", "€135.00"],
            ["Allowance", "", "- €13.50"],
            ["Net Total Amount", "", "€121.50"],
            ["VAT 19 %", "", "€23.09"],
            ["Gross Total Amount", "", "€144.59"],
        )
    )

    assert (found["net"], found["tax"], found["total"]) == ("121.50 EUR", "23.09 EUR", "144.59 EUR")


@pytest.mark.parametrize(
    "rows",
    [
        [["Vendor: Rope & Lamp Stores"], ["Customer: Kavisha Enterprises Ltd."]],
        [["Säljare: Rope & Lamp Stores, 2-4-1 Marunouchi, Tokyo"], ["Köpare: Svensk Import AB"]],
        [["Sold By :", "Billing Address :"], ["Rope & Lamp Stores", "Kavisha Enterprises Ltd."]],
        [["Company Details", "Rope & Lamp Stores"], ["Client Details", "Kavisha Enterprises Ltd."]],
        [["INVOICE FROM", "INVOICE TO"], ["Rope & Lamp Stores", "Umbrella Ltd."]],
        [["Kavisha Enterprises"], ["5 Mask Road"], ["Account holder: Rope & Lamp Stores"]],
    ],
)
def test_the_supplier_stands_behind_right_of_or_below_its_label(rows: list[list[str]]):
    found = values(short_invoice(["Invoice"], *rows, ["Invoice No.", "A-17"], ["Total", "", "45.00"]))

    assert found["supplier"].startswith("Rope & Lamp Stores")


def test_a_utility_bill_is_an_invoice_of_the_company_whose_domain_it_names():
    found = values(
        short_invoice(
            ["Contact us", "manage your account at britishrope.co.uk/bill"],
            ["Mr A Sample", "Bill date:"],
            ["Your electricity bill", "04 March 2010"],
            ["Total to pay", "", "£92.62"],
            ["Payment slip", "British Rope"],
        )
    )

    assert found["supplier"] == "British Rope"
    assert (found["total"], found["invoice_date"]) == ("92.62 GBP", "2010-03-04")


def test_a_repeated_date_of_delivery_is_not_the_date_of_the_invoice():
    found = values(
        short_invoice(
            ["Rechnung Nr. TX-471102 vom 30.10.2019"],
            ["Lieferdatum", "29.10.2019"],
            ["Rechnung gemäß Taxifahrt vom 29.10.2019"],
            ["Gesamtbetrag", "", "18,08 EUR"],
        )
    )

    assert found["invoice_date"] == "2019-10-30"


def test_a_date_in_a_japanese_era_is_read():
    found = values(short_invoice(["請求書"], ["発行日: 令和6年1月15日"], ["合計:", "", "¥55,000"]))

    assert found["invoice_date"] == "2024-01-15"


def test_a_payment_receipt_on_a_full_page_is_a_receipt():
    found = values(
        short_invoice(["PAYMENT RECEIPT"], ["Room Charges", "", "Rs 1939"], ["Grand Total", "", "Rs 1939"])
    )

    assert (found["document_type"], found["total"]) == ("receipt", "1939.00 INR")


def test_a_long_title_with_its_number_and_date_names_an_invoice():
    found = values(
        [
            ("Rechnung der Schleusenversicherung (575) Nr. 00.123-2018-1 vom 18.04.2018", 0.1, 0.05),
            ("Leistungsdatum: 21.05.2018", 0.1, 0.1),
            ("Name: Kanalverein Musterstadt a.G.", 0.1, 0.15),
            ("Nettosumme", 0.1, 0.3),
            ("1.163,40", 0.8, 0.3),
            ("Steuerbetrag", 0.1, 0.33),
            ("0,00", 0.8, 0.33),
            ("Zahlbetrag EUR", 0.1, 0.36),
            ("1.163,40", 0.8, 0.36),
        ]
    )

    assert found["document_type"] == "invoice"
    assert (found["invoice_number"], found["invoice_date"]) == ("00.123-2018-1", "2018-04-18")
    assert found["total"] == "1163.40 EUR"


@pytest.mark.parametrize("name", [name for name in dir(amount_labels) if name.isupper()])
def test_labels_of_amounts_are_given_in_lower_case(name: str) -> None:
    labels = getattr(amount_labels, name)
    if isinstance(labels, LowerCaseLabels):
        assert labels.pattern.pattern == labels.pattern.pattern.lower()


def test_labels_of_amounts_are_found_in_any_case() -> None:
    assert amount_labels.names_total("GRAND TOTAL")
    assert amount_labels.names_total("Всего К Оплате")
    assert not amount_labels.names_total("Sub-Total")
    assert amount_labels.names_sum("MwSt 19 %")


@pytest.mark.parametrize("text", ["İstanbul 12,50 EUR", "TOTAL Eur 12,50", "total 12,50 €"])
def test_amounts_are_found_at_their_place_in_any_case(text: str) -> None:
    [(value, currency, start, end)] = read_amounts(text)
    assert (str(value), currency) == ("12.50", "EUR")
    assert "12,50" in text[start:end]


def test_a_photographed_table_with_totals_is_no_receipt() -> None:
    rows: list[Place] = [("Base", 0.1, 0.1), ("total chunks", 0.4, 0.1), ("mean", 0.7, 0.1)]
    for number in range(6):
        top = 0.15 + 0.03 * number
        rows += [(f"Total {number}28", 0.1, top), (f"{number}4,058", 0.4, top), (f"{number}00.73", 0.7, top)]

    assert "document_type" not in values(rows, confidence=0.9)
    assert values([*rows, ("12.05.2024", 0.1, 0.02)], confidence=0.9)["document_type"] == "receipt"
