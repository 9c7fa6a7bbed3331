"""The stages and pipelines of an installation, as the commands and the API list them."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.model.stage_declaration import StageDeclaration


@dataclass(frozen=True, slots=True)
class ListedPipeline:
    """A pipeline by the names of its stages. ``source`` is `towpath` or `settings`."""

    name: str
    stages: tuple[str, ...]
    follow_ups: tuple[str, ...]
    source: str
    #: The rules that choose it, in words.
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InstalledPipelines:
    stages: tuple[StageDeclaration, ...] = ()
    pipelines: tuple[ListedPipeline, ...] = ()
