"""The field extractor asks by a strict schema, and reads values with their quotations."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.emulators import Fault, OpenAIEmulator
from tests.support.timeouts import REQUEST_SECONDS
from towpath.errors import Refused, Rejected, Transient
from towpath.fields.schemas import shipped_schemas
from towpath.model.field_schema import Leaf, parse_schema
from towpath.providers.openai.field_extractor import OpenAIFieldExtractor, wire_schema
from towpath.providers.openai.prices import CHATS

INVOICE = shipped_schemas()["invoice"]
#: The words of `tests/data/invoices/spiel-508.pdf` for which the emulator has an answer.
TEXT = "Bei Spiel GmbH\n\nInvoice # RE-20201121/508 issued at 2020-11-21\n\nDue payable: 571.04 €"


@pytest.fixture
async def extractor(service: OpenAIEmulator) -> AsyncIterator[OpenAIFieldExtractor]:
    extractor = OpenAIFieldExtractor(service.key, base_url=service.base_url, timeout=REQUEST_SECONDS)
    yield extractor
    await extractor.aclose()


def _body(content: object, finish: str = "stop", refusal: str | None = None) -> bytes:
    text = content if isinstance(content, str) else json.dumps(content)
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}]}).encode()


def _objects(schema: Any) -> list[Any]:
    """All objects in a schema."""
    if schema["type"] == "array":
        return _objects(schema["items"])
    if schema["type"] != "object":
        return []
    return [schema, *(part for value in schema["properties"].values() for part in _objects(value))]


async def test_values_are_read_with_their_quotations_and_the_call_is_priced(
    service: OpenAIEmulator, extractor: OpenAIFieldExtractor
) -> None:
    answer = await extractor.extract(INVOICE, TEXT)
    values = extractor.read(INVOICE, answer.body)
    assert values is not None
    assert {value.path: (value.value, value.quote) for value in values} == {
        ("supplier",): ("Bei Spiel GmbH", "Bei Spiel GmbH"),
        ("number",): ("RE-20201121/508", "Invoice # RE-20201121/508"),
        ("date",): ("2020-11-21", "issued at 2020-11-21"),
        ("total",): ("571.04", "Due payable: 571.04 €"),
        ("currency",): ("EUR", "571.04 €"),
    }
    price, units = CHATS["gpt-4.1-mini"], answer.units
    assert units["prompt_tokens"] + units["completion_tokens"] == service.bill.units["tokens"]
    expected = (units["prompt_tokens"] * price.input + units["completion_tokens"] * price.output) / 1e6
    assert answer.cost == pytest.approx(expected)


def test_the_schema_of_the_answer_is_strict() -> None:
    schema = wire_schema(INVOICE.root)
    for part in _objects(schema):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
    total = schema["properties"]["total"]
    assert total["properties"] == {
        "value": {"type": ["number", "null"]},
        "quote": {"type": ["string", "null"]},
    }
    assert total["description"] == "Sum of the invoice with tax."
    item = schema["properties"]["line_items"]["items"]
    assert list(item["properties"]) == ["description", "quantity", "unit_price", "amount"]
    state = parse_schema(
        "x", {"type": "object", "properties": {"state": {"type": "string", "enum": ["a", "b"]}}}
    )
    value = wire_schema(state.root)["properties"]["state"]["properties"]["value"]
    assert value == {"type": ["string", "null"], "enum": ["a", "b", None]}


def test_values_are_stored_as_texts_and_missing_ones_are_left_out(extractor: OpenAIFieldExtractor) -> None:
    schema = parse_schema(
        "own",
        {
            "type": "object",
            "properties": {
                "net": {"type": "number", "format": "money"},
                "price": {"type": "number", "format": "money"},
                "count": {"type": "number"},
                "paid": {"type": "boolean"},
                "name": {"type": "string"},
                "note": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "address": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
        },
    )
    content = {
        "net": {"value": 1200.5, "quote": "1.200,50"},
        "price": {"value": 0.025, "quote": " "},
        "count": {"value": 3.0, "quote": None},
        "paid": {"value": False, "quote": "unpaid"},
        "name": "given without a quotation",
        "note": {"value": " ", "quote": "note"},
        "tags": [{"value": "a", "quote": "a"}, {"value": None, "quote": None}, {"value": "b", "quote": "b"}],
        "address": {"city": {"value": "Bingley", "quote": "Bingley"}},
        "unknown": {"value": "x", "quote": "x"},
    }
    values = extractor.read(schema, _body(f"Here it is: {json.dumps(content)}."))
    assert values is not None
    assert [(value.path, value.value, value.quote) for value in values] == [
        (("net",), "1200.50", "1.200,50"),
        (("price",), "0.025", None),
        (("count",), "3", None),
        (("paid",), "false", "unpaid"),
        (("name",), "given without a quotation", None),
        (("tags", 0), "a", "a"),
        (("tags", 2), "b", "b"),
        (("address", "city"), "Bingley", "Bingley"),
    ]
    assert values[0].leaf == Leaf("number", "money")


async def test_an_answer_that_is_too_long_is_returned_and_paid_once(service: OpenAIEmulator) -> None:
    extractor = OpenAIFieldExtractor(service.key, base_url=service.base_url, max_answer_tokens=20)
    answer = await extractor.extract(INVOICE, TEXT)
    await extractor.aclose()
    assert extractor.read(INVOICE, answer.body) is None
    assert service.bill.operations == 1


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (_body("", refusal="I cannot."), Rejected),
        (_body("", finish="content_filter"), Rejected),
        (_body("no object"), Transient),
        (_body('{"supplier": '), Transient),
    ],
)
def test_an_answer_without_values_is_an_error(
    extractor: OpenAIFieldExtractor, body: bytes, error: type[Exception]
) -> None:
    with pytest.raises(error):
        extractor.read(INVOICE, body)


async def test_a_deployment_of_azure_is_named_in_the_request(service: OpenAIEmulator) -> None:
    extractor = OpenAIFieldExtractor(
        service.key, "gpt-4.1", deployment="fields-eu", base_url=service.base_url, timeout=REQUEST_SECONDS
    )
    answer = await extractor.extract(INVOICE, TEXT)
    await extractor.aclose()
    assert json.loads(answer.body)["model"] == "fields-eu"
    assert (extractor.model, answer.cost > 0) == ("gpt-4.1", True)


async def test_the_probe_verifies_the_settings(
    service: OpenAIEmulator, extractor: OpenAIFieldExtractor
) -> None:
    await extractor.probe()
    service.faults.add(Fault("chat", "status", status=401))
    with pytest.raises(Refused):
        await extractor.probe()
