"""Values found in a text: the right ones, in normal form, and no others."""

from __future__ import annotations

import pytest

from towpath.fields.finder import find_fields
from towpath.model.content import Extraction, Field


def found(text: str, name: str) -> list[str]:
    return [field.value for field in find_fields(Extraction(text, "t")) if field.name == name]


def the(text: str, name: str) -> Field:
    [field] = [field for field in find_fields(Extraction(text, "t")) if field.name == name]
    return field


# Contacts


def test_email_addresses_are_found_and_others_are_not():
    text = (
        "Write to max.muster+x@Mail.Example.COM, <ann@b.io>. Not a@b, @user, x..y@z.com, me@@x.com or f@b.c1."
    )

    assert found(text, "email") == ["max.muster+x@mail.example.com", "ann@b.io"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("+49 (0)30 901820-11", "+493090182011"),
        ("+1 212-555-0100", "+12125550100"),
        ("+442079460958", "+442079460958"),
        ("0049 30 901820", "004930901820"),
        ("(212) 555-0100", "2125550100"),
        ("212-555-0100", "2125550100"),
        ("01 23 45 67 89", "0123456789"),
        ("(030) 12 34 56", "030123456"),
        ("030 / 12 34 567", "0301234567"),
        ("020 7946 0958", "02079460958"),
    ],
)
def test_phone_numbers_are_recognized_by_their_form(written: str, value: str):
    assert found(f"Call {written}, please.", "phone") == [value]


@pytest.mark.parametrize(
    "label", ["Tel.:", "Phone:", "Fax", "Telefon:", "Тел.:", "**Mobile:**", "Téléphone :", "| Tel |"]
)
def test_after_a_label_any_grouping_of_digits_is_a_phone_number(label: str):
    assert found(f"{label} 12 34 56 78", "phone") == ["12345678"]


@pytest.mark.parametrize(
    "text",
    ["1234567890", "192.168.100.200", "2024-05-06 12:30", "1.234.567,89", "978-3-16-148410-0", "0000000",
     "4111 1111 1111 1111", "3.14159265358979", "page 12 of 345, 1000 2000 3000", "x+1234567890",
     "DE89 3704 0044 0532 0130 00"],
)  # fmt: skip
def test_other_digits_are_no_phone_numbers(text: str):
    assert found(text, "phone") == []


def test_web_addresses_lose_the_punctuation_around_them():
    text = "See [it](https://a.example/b_(c)?d=1), www.example.org. <http://x.y/z>; not http://no, awww.b.c"

    assert found(text, "url") == ["https://a.example/b_(c)?d=1", "http://x.y/z", "www.example.org"]


# Money


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("€1,234.56", "1234.56 EUR"),
        ("1.234,56 €", "1234.56 EUR"),
        ("EUR 1.234", "1234 EUR"),
        ("1 234 567,5 EUR", "1234567.5 EUR"),
        ("CHF 1'234.50", "1234.50 CHF"),
        ("$99", "99 USD"),
        ("US$ 1,000,000", "1000000 USD"),
        ("A$12.30", "12.30 AUD"),
        ("₹12,34,567.00", "1234567.00 INR"),
        ("12,50 zł", "12.50 PLN"),
        ("1 500 руб.", "1500 RUB"),
        ("-45.00 GBP", "-45.00 GBP"),
        ("$-7.50", "-7.50 USD"),
        ("5 Mio. €", "5000000 EUR"),
        ("$3.5bn", "3500000000 USD"),
        ("1,2 млн руб", "1200000 RUB"),
        ("12.– EUR", "12 EUR"),
        ("5000円", "5000 JPY"),
    ],
)
def test_amounts_are_read_in_both_conventions(written: str, value: str):
    field = the(f"Total {written} today", "amount")

    assert field.value == value
    assert written.rstrip(".") in f"Total {written} today"[field.start : field.end] + "."


def test_neighbouring_amounts_keep_their_own_currency():
    assert found("10 € 20 € 30 €", "amount") == ["10 EUR", "20 EUR", "30 EUR"]
    assert found("EUR 10 EUR 20, USD 30", "amount") == ["10 EUR", "20 EUR", "30 USD"]
    assert found("€10 / £20 / $30", "amount") == ["10 EUR", "20 GBP", "30 USD"]


@pytest.mark.parametrize(
    "text", ["EUR", "the € sign", "$HOME", "100 km", "USDA 5", "Franc 12", "12.34.56", "1\n$"]
)
def test_numbers_without_a_currency_are_no_amounts(text: str):
    assert found(text, "amount") == []


def test_a_possible_variable_has_a_lower_confidence():
    assert the("Use $1 here", "amount").confidence < the("Pay $10.00 here", "amount").confidence


# Dates


@pytest.mark.parametrize(
    "written",
    ["2024-03-05", "2024/03/05", "2024.3.5", "05.03.2024", "5.3.2024", "5 March 2024", "5th of March 2024",
     "5-Mar-2024", "March 5, 2024", "Mar. 5th, 2024", "5. März 2024", "5 mars 2024", "5 de marzo de 2024",
     "5 marzo 2024", "5 de março de 2024", "5 maart 2024", "5 marca 2024", "5 марта 2024", "5 березня 2024",
     "2024年3月5日", "2024년 3월 5일", "5 Mart 2024", "MARCH 5, 2024"],
)  # fmt: skip
def test_dates_are_read_in_many_forms(written: str):
    field = the(f"On {written} it was.", "date")

    assert (field.value, f"On {written} it was."[field.start : field.end]) == ("2024-03-05", written)
    assert field.confidence > 0.8


def test_day_and_month_are_told_apart_by_the_other_dates_of_the_text():
    assert found("03/04/2024 and 25/12/2024", "date") == ["2024-04-03", "2024-12-25"]
    assert found("03/04/2024 and 12/25/2024", "date") == ["2024-03-04", "2024-12-25"]


def test_an_ambiguous_day_and_month_has_a_low_confidence():
    english = the("Paid on 03/04/2024 by the customer of the house.", "date")
    assert (english.value, english.confidence <= 0.5) == ("2024-04-03", True)
    assert the("Paid on 03/04/2024 in Boston, MA 02110 by the customer.", "date").value == "2024-03-04"
    assert the("Bezahlt am 03/04/2024 von der Kundin und nicht von mir.", "date").value == "2024-04-03"
    assert the("03/04/2024", "date").confidence <= 0.5
    assert the("04/04/2024", "date").confidence > 0.8


@pytest.mark.parametrize(
    "text",
    [
        "2024-13-01",
        "31.02.2024",
        "1.2.13",
        "version 10.4.2024.1",
        "99/99/9999",
        "12 monkeys 2024",
        "1-800-2000",
        "5/2024",
    ],
)
def test_other_numbers_are_not_dates(text: str):
    assert found(text, "date") == []


# Identifiers


def test_an_iban_needs_valid_check_digits():
    text = "DE89 3704 0044 0532 0130 00 and GB82WEST12345698765432, not DE88 3704 0044 0532 0130 00 or DE12."

    assert found(text, "iban") == ["DE89370400440532013000", "GB82WEST12345698765432"]


def test_vat_ids_with_a_check_digit_are_verified():
    text = "USt-IdNr.: DE 136 695 976\nVAT GB 123 4567 89\nATU12345678\nCHE-123.456.788 MWST\nDE123456789"

    fields = {f.value: f.confidence for f in find_fields(Extraction(text, "t")) if f.name == "vat_id"}

    assert list(fields) == ["DE136695976", "GB123456789", "ATU12345678", "CHE123456788"]
    assert fields["DE136695976"] > fields["ATU12345678"]


def test_isbn_and_doi():
    text = "ISBN 978-3-16-148410-0, ISBN-10: 0-306-40615-2; 978-3-16-148410-1. doi:10.1000/xyz(1)2, 10.5555/a"

    assert found(text, "isbn") == ["9783161484100", "0306406152"]
    assert found(text, "doi") == ["10.1000/xyz(1)2", "10.5555/a"]


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Invoice No. INV-2024/001", "invoice_number", "INV-2024/001"),
        ("Invoice #: 20240017", "invoice_number", "20240017"),
        ("| **Invoice number** | A-4711 |", "invoice_number", "A-4711"),
        ("Rechnungs-Nr.: RE-0815", "invoice_number", "RE-0815"),
        ("Rechnungsnummer 2024-17", "invoice_number", "2024-17"),
        ("Numéro de facture : F2024-9", "invoice_number", "F2024-9"),
        ("Factura n.º 2024/33", "invoice_number", "2024/33"),
        ("Fattura n° 77/2024", "invoice_number", "77/2024"),
        ("Счёт № 12345", "invoice_number", "12345"),
        ("发票号码：044001900111", "invoice_number", "044001900111"),
        ("Order ID: 998-77", "order_number", "998-77"),
        ("Bestellnummer: B4711", "order_number", "B4711"),
        ("N° de commande 4500012", "order_number", "4500012"),
        ("Kundennummer\nK-44121", "customer_number", "K-44121"),
        ("Customer no.: C100", "customer_number", "C100"),
        ("Your ref: ABC/123", "reference_number", "ABC/123"),
        ("Aktenzeichen: 12-O-345/24", "reference_number", "12-O-345/24"),
    ],
)
def test_numbers_are_recognized_by_their_label(text: str, name: str, value: str):
    assert found(text, name) == [value]


@pytest.mark.parametrize(
    "text",
    ["In order to get 1000 points", "border 4711", "order 66 was given", "Invoice date: 2024-05-06",
     "Расчет № 12345", "Invoice total: 1,200.00", "the client is 42", "refer to 1234", "Invoice: pending"],
)  # fmt: skip
def test_prose_has_no_labelled_numbers(text: str):
    names = {field.name for field in find_fields(Extraction(text, "t"))}

    assert not names & {"invoice_number", "order_number", "customer_number", "reference_number"}


# Key: value


def test_lines_of_key_and_value_are_fields():
    text = "**Supplier:** Ouse & Sons\n- Due date: 5 March 2024\nPayment terms : 30 days net\nКлиент: Иванов"

    fields = {field.name: field.value for field in find_fields(Extraction(text, "t")) if field.kind == "text"}

    assert (
        fields.items()
        >= {
            "Supplier": "Ouse & Sons",
            "Due date": "5 March 2024",
            "Payment terms": "30 days net",
            "Клиент": "Иванов",
        }.items()
    )


@pytest.mark.parametrize(
    "text",
    ["Note: mind the gap", "He said: go away and stay there", "He paused and then said to us: well",
     "x: 1", "Chapter: ........ 12", "Remember this: the lock opens. Then it closes. Then nothing.",
     "https://a.example: hm", "12:30 lunch",
     "The reasons are: first of all the weather which was bad and then the horse", "Title:nothing",
     "**Figure 3: Locks of the canal**", "TABLE II: Boats per year", "**V. RQ2: WHAT DO SKIPPERS FACE WHEN**",
     "**Summary: When boats adopt the Con-**", "**Rule: Stick to the quay and to the**", "B l a t t 4: Ausfertigung",
     "**Skill: Teaches how to moor a boat in wind.**", "Manager: Department:",
     "Prepared by: Canal Team Date: August 3 Report ID: AAI-8",
     "Week 1: Ropes\n\nWeek 2: Lamps\n\nWeek 3: Locks\n\nWeek 4: Keys"],
)  # fmt: skip
def test_sentences_are_not_key_value_lines(text: str):
    assert [
        field
        for field in find_fields(Extraction(text, "t"))
        if field.kind == "text" and field.name != "title"
    ] == []


def test_a_key_value_line_does_not_replace_a_document_property():
    fields = find_fields(Extraction("# Canals\n\nTitle: Other\n\nLanguage: Klingon", "t"))

    assert [field.value for field in fields if field.name.lower() == "title"] == ["Canals"]
    assert "Klingon" not in [field.value for field in fields]


def test_a_short_form_at_the_end_of_a_value_is_no_end_of_a_sentence():
    fields = {
        field.name: field.value for field in find_fields(Extraction("Owner: Ouse and Sons Canal Co.", "t"))
    }

    assert fields["Owner"] == "Ouse and Sons Canal Co."


@pytest.mark.parametrize(
    "text", ["SH NYLON COL 007417024836 2.97 X", "+61 2 6125 XXXX", "item 00 12345678901234"]
)
def test_article_numbers_and_placeholders_are_no_phone_numbers(text: str):
    assert found(text, "phone") == []


def test_a_number_with_two_zeros_has_its_country_code_apart():
    assert found("call 0049 30 1234567", "phone") == ["0049301234567"]


def test_identifiers_of_cited_works_are_not_those_of_the_document():
    body = "# Locks\n\narXiv:2401.00001 and doi:10.5555/own\n\n" + "Text about locks. " * 20
    cited = "## References\n\n[1] A. Skipper, arXiv:2303.08774, https://doi.org/10.5555/cited"
    text = f"{body}\n\n{cited}"

    assert (found(text, "arxiv_id"), found(text, "doi")) == (["2401.00001"], ["10.5555/own"])
    assert found(text, "url") == ["https://doi.org/10.5555/cited"]


def test_an_address_that_goes_on_in_the_next_line_is_not_shown():
    assert found("https://a.example/log/2022-\n01-03 and https://doi.org/10\n.5555/x", "url") == []
