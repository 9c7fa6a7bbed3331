"""The command `towpath ocr-languages`: what OCR can read on this machine, and how to install more."""

from __future__ import annotations

import json

import click

from towpath.cli.options import LoadedSettings, json_option, settings_options


@click.command(name="ocr-languages")
@settings_options
@json_option
def ocr_languages(loaded: LoadedSettings, as_json: bool) -> None:
    """List the languages that OCR can read here, and say how to install others."""
    from towpath.bootstrap.ocr_languages import list_ocr_languages
    from towpath.cli.text_format import table_lines

    listing = list_ocr_languages(loaded.settings)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "engines": listing.engines,
                    "tessdata": listing.folder,
                    "languages": [
                        {"code": code, "name": name, "tesseract": installed, "rapidocr": by_rapidocr}
                        for code, name, installed, by_rapidocr in listing.languages
                    ],
                }
            )
        )
        return
    rows = [
        (code, name, "installed" if installed else "-", "yes" if by_rapidocr else "-")
        for code, name, installed, by_rapidocr in listing.languages
    ]
    click.echo(f"Engines: {', '.join(listing.engines) or 'none'}")
    click.echo("\n".join(table_lines(("CODE", "LANGUAGE", "TESSERACT", "RAPIDOCR"), rows)))
    click.echo("\n".join(("", *listing.advice)))
