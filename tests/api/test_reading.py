"""What a reader of a document needs from the API: its pages, what they are called, and names of speakers."""

from __future__ import annotations

from pathlib import Path

from tests.browser.sample_files import agreement
from tests.support import recordings
from tests.support.api_client import ApiClient
from tests.support.office import presentation, row, shape, workbook


async def test_each_page_of_a_pdf_has_its_span_of_the_text(client: ApiClient, tmp_path: Path) -> None:
    document = await client.upload("agreement.pdf", agreement(tmp_path / "a.pdf").read_bytes())
    await client.wait_until_finished(document["id"])
    text = (await client.http.get(f"/documents/{document['id']}/content")).text
    answer = await client.get(f"/documents/{document['id']}/pages")
    assert answer["unit"] == "page"
    assert [page["number"] for page in answer["pages"]] == [1, 2, 3]
    assert "Water is drawn" in text[answer["pages"][2]["start"] : answer["pages"][2]["end"]]


async def test_slides_and_sheets_are_named_as_such_also_in_hits(client: ApiClient, tmp_path: Path) -> None:
    slides = presentation(tmp_path / "a.pptx", [shape("A basin for forty boats", role="title")])
    sheet = workbook(tmp_path / "a.xlsx", {"Rents": row(1, "berth", "boat") + row(2, 14, "Kingfisher")})
    for name, path, unit, label in (
        ("plan.pptx", slides, "slide", "A basin for forty boats"),
        ("rents.xlsx", sheet, "sheet", "Rents"),
    ):
        document = await client.upload(name, path.read_bytes())
        await client.wait_until_finished(document["id"])
        answer = await client.get(f"/documents/{document['id']}/pages")
        assert (answer["unit"], answer["pages"][0]["label"]) == (unit, label)
    [hit] = (await client.get("/search", q='"forty boats"', mode="text"))["hits"]
    assert (hit["anchor"]["page"], hit["anchor"]["unit"]) == (1, "slide")


async def test_a_text_without_pages_has_none_and_an_unknown_document_is_not_found(client: ApiClient) -> None:
    document = await client.upload("note.md", b"# Note\n\nThe weir was inspected.\n")
    await client.wait_until_finished(document["id"])
    assert await client.get(f"/documents/{document['id']}/pages") == {"unit": "page", "pages": []}
    unknown = await client.http.get("/documents/00000000-0000-7000-8000-00000000dead/pages")
    assert unknown.status_code == 404


def a_call() -> bytes:
    """Two people on two channels, one after the other."""
    first, second = (
        recordings.speech("beckett.wav"),
        recordings.speech("two_cities.wav")[: 12 * recordings.RATE],
    )
    left = recordings.np.concatenate([first, recordings.np.zeros_like(second)])
    right = recordings.np.concatenate([recordings.np.zeros_like(first), second])
    return recordings.wav(left, right)


async def test_a_speaker_is_named_and_keeps_the_name_after_a_rerun(client: ApiClient) -> None:
    call = await client.upload("telephone.wav", a_call())
    await client.wait_until_finished(call["id"])
    path = f"/documents/{call['id']}"
    first, second = (await client.get(f"{path}/transcript"))["speakers"]
    assert (first["name"], second["name"]) == (None, None)
    speaker = second["speaker"]

    answer = await client.http.patch(f"{path}/speakers", json={"names": {speaker: " Ada Thorne "}})
    unnamed, named = answer.json()
    assert unnamed == first
    assert (named["speaker"], named["name"], named["edited_by"]) == (speaker, "Ada Thorne", "local")
    [entry] = await client.get("/audit", action="document_edited")
    assert entry["detail"] == {"speakers": [speaker]}

    await client.post(f"{path}/runs")
    await client.wait_until_finished(call["id"])
    assert (await client.get(f"{path}/transcript"))["speakers"] == [first, named]
    srt = await client.http.get(f"{path}/transcript", params={"format": "srt"})
    assert "Ada Thorne: " in srt.text

    removed = await client.http.patch(f"{path}/speakers", json={"names": {speaker: None}})
    assert [view["name"] for view in removed.json()] == [None, None]
    wrong = await client.http.patch(f"{path}/speakers", json={"names": {"Nobody": "Ada"}})
    assert wrong.status_code == 400
    text = await client.upload("note.md", b"A note.")
    missing = await client.http.patch(f"/documents/{text['id']}/speakers", json={"names": {}})
    assert missing.status_code == 404
