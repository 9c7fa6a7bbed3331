"""Routes for the embedding model of the library: what it is, and the change to the model of the settings."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from towpath.errors import IllegalTransition
from towpath.model.audit import AuditAction
from towpath.model.library_embedding_model import LibraryModel, ModelChange, ModelId
from towpath.server.deps import Caller, Org, Services, ServicesDep, audit
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.library_model import ChangeState, LibraryModelView

router = APIRouter(tags=["operations"])


@router.get("/model")
async def get_model(services: ServicesDep, org: Org) -> LibraryModelView:
    """Get the embedding model of the library, and how many chunks have no vector of the settings' model."""
    target = _target(services)
    return _view(services, await services.models.get(org), await services.models.plan_change(org, target))


@router.post("/model/change", responses={409: PROBLEM_RESPONSE})
async def change_model(
    services: ServicesDep,
    caller: Caller,
    confirm: Annotated[bool, Query(description="Required for a paid model")] = False,
) -> LibraryModelView:
    """Embed the library with the model of the settings, in the background. The present vectors answer until then."""
    org, target = caller.org_id, _target(services)
    plan = await services.models.plan_change(org, target)
    if services.embedder.provider != "local" and plan.chunks_left and not confirm:
        raise IllegalTransition(
            f"{target.model} is a paid model: {plan.chunks_left} chunks with about {plan.tokens_left} tokens cost "
            f"{_price_text(services, plan)}. Repeat the request with confirm=true."
        )
    await services.models.start_change(org, target, services.clock.now())
    await audit(services, caller, AuditAction.MODEL_CHANGED, target.model, chunks=plan.chunks_left)
    services.notifier.notify()
    return _view(services, await services.models.get(org), await services.models.plan_change(org, target))


def _target(services: Services) -> ModelId:
    return ModelId(services.embedder.model, services.embedder.dimension)


def _view(services: Services, library: LibraryModel | None, plan: ModelChange) -> LibraryModelView:
    return LibraryModelView(
        model=None if library is None else library.present.model,
        settings_model=plan.target.model,
        change=_change(services, library, plan),
        chunks=plan.chunks_total,
        chunks_left=plan.chunks_left,
        documents_left=plan.documents_left,
        tokens_left=plan.tokens_left,
        price=_price(services, plan),
    )


def _change(services: Services, library: LibraryModel | None, plan: ModelChange) -> ChangeState:
    if library is None or library == LibraryModel(plan.target):
        return "none" if plan.chunks_left == 0 else "running"
    if library.next == plan.target:
        return "running"
    return "needs_start" if services.embedder.provider == "local" else "needs_confirmation"


def _price(services: Services, plan: ModelChange) -> float | None:
    per_million = services.embedder.price_per_million
    return None if per_million is None else plan.tokens_left * per_million / 1e6


def _price_text(services: Services, plan: ModelChange) -> str:
    price = _price(services, plan)
    return "an unknown amount" if price is None else f"about {price:.2f} US dollars"
