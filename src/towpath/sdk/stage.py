"""The decorator `stage`: makes a stage out of an async function, with what it needs and makes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from towpath.model.stage_declaration import EXTRACTION, TEXT, StageDeclaration
from towpath.sdk.context import Context
from towpath.sdk.outcomes import Outcome

StageFunction = Callable[[Context], Awaitable[Outcome]]

#: As long as a part of a queue's name may be.
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class OwnStage:
    """A stage that a package offers by an entry point of the group `towpath.stages`."""

    function: StageFunction
    declaration: StageDeclaration

    @property
    def name(self) -> str:
        return self.declaration.name

    def of_package(self, package: str) -> OwnStage:
        return replace(self, declaration=replace(self.declaration, package=package))


def stage(
    name: str,
    *,
    inputs: tuple[str, ...] = (),
    outputs: tuple[str, ...] = (),
    version: int = 1,
    label: str | None = None,
) -> Callable[[StageFunction], OwnStage]:
    """Declare a stage. ``inputs`` and ``outputs`` are kinds of data: `text`, `chunks`, `fields`, or own ones.

    A stage stands behind the stages that make its inputs. Raise ``version`` when the same inputs give another result:
    stored results of other versions are not reused.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"the name of a stage is lower-case letters, digits and _, not {name!r}")
    if version < 1:
        raise ValueError(f"the version of the stage {name} must be at least 1")
    # A text without pages and blocks belongs to every text that a stage makes.
    made = (*outputs, EXTRACTION) if TEXT in outputs and EXTRACTION not in outputs else outputs

    def declare(function: StageFunction) -> OwnStage:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"the stage {name} must be an async function")
        words = name.replace("_", " ")
        shown = label or words[:1].upper() + words[1:]
        return OwnStage(function, StageDeclaration(name, tuple(inputs), tuple(made), version, shown))

    return declare
