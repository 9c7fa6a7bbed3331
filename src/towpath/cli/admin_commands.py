"""Commands for administrators: keys, check, prune, backup, restore, import-sqlite."""

from __future__ import annotations

from pathlib import Path

import click

from towpath.cli.options import LoadedSettings, json_option, settings_options


@click.group("keys")
def key_commands() -> None:
    """Create, list and revoke API keys."""


@key_commands.command("create")
@settings_options
@click.argument("name")
@click.option("--organization", default="home", help="Organization of the key; created if missing.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(["read", "write", "worker", "operate"]),
    help="What the key may do; may be repeated. Without it: read and write.",
)
@click.option(
    "--expires-days", type=click.FloatRange(min=0, min_open=True), help="Days after which the key expires."
)
@click.option(
    "--stage",
    "stages",
    multiple=True,
    help="Stage whose jobs a key with the scope worker may claim; may be repeated. Without it: every stage.",
)
@json_option
def create_key(
    loaded: LoadedSettings,
    name: str,
    organization: str,
    scopes: tuple[str, ...],
    expires_days: float | None,
    stages: tuple[str, ...],
    as_json: bool,
) -> None:
    """Create an API key. Its secret is printed once."""
    from towpath.cli import keys

    keys.create_key(loaded.settings, name, organization, scopes, expires_days, stages, as_json)


@key_commands.command("list")
@settings_options
@json_option
def list_keys(loaded: LoadedSettings, as_json: bool) -> None:
    """List API keys, without their secrets."""
    from towpath.cli import keys

    keys.list_keys(loaded.settings, as_json)


@key_commands.command("revoke")
@settings_options
@click.argument("key_id")
def revoke_key(loaded: LoadedSettings, key_id: str) -> None:
    """Revoke an API key, named by its id, the beginning of its id, or its name."""
    from towpath.cli import keys

    keys.revoke_key(loaded.settings, key_id)


@click.command()
@settings_options
@click.option("--repair", is_flag=True, help="Delete files that no row refers to. Stop the server first.")
@click.option("--live", is_flag=True, help="Send one small request to each configured provider.")
@json_option
def check(loaded: LoadedSettings, repair: bool, live: bool, as_json: bool) -> None:
    """Show the settings in effect and verify the stored files."""
    from towpath.cli import admin

    admin.check(loaded, repair, live, as_json)


@click.command()
@settings_options
@json_option
def prune(loaded: LoadedSettings, as_json: bool) -> None:
    """Delete old runs and unused cached answers now, by the retention settings. Servers may keep running."""
    from towpath.cli import admin

    admin.prune(loaded.settings, as_json)


@click.command()
@settings_options
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
def backup(loaded: LoadedSettings, file: Path, as_json: bool) -> None:
    """Write the library to a tar file (compressed if its name ends with .gz). The server may keep running."""
    from towpath.cli.backup import backup_library

    backup_library(loaded.settings, file, as_json)


@click.command()
@settings_options
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def restore(loaded: LoadedSettings, file: Path, as_json: bool) -> None:
    """Create the library of the data folder from a file that `towpath backup` wrote."""
    from towpath.cli.backup import restore_library

    restore_library(loaded.settings, file, as_json)


@click.command("import")
@settings_options
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@json_option
def import_export(loaded: LoadedSettings, folder: Path, as_json: bool) -> None:
    """Create the library of the data folder from a folder that `towpath export` wrote, with the same ids."""
    from towpath.cli.library_export import import_library

    import_library(loaded.settings, folder, as_json)


@click.command("import-sqlite")
@click.option(
    "--from",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Data folder to import. Stop its server first. Only its schema is migrated.",
)
@click.option(
    "--to", "address", required=True, help="Postgres address; the database must be migrated and empty."
)
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file (TOML).")
def import_sqlite(folder: Path, address: str, config: Path | None) -> None:
    """Copy a data folder into Postgres with the same ids, in one transaction."""
    from towpath.cli.import_sqlite import import_data_folder

    import_data_folder(folder, address, config)
