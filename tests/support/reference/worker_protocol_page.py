"""Generates docs/reference/worker-protocol.md from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from towpath.server.app import create_app
from towpath.server.deps import Services
from towpath.worker.remote_jobs import MAX_EXPIRED_LEASES
from towpath.worker_protocol.contract import OWN_STAGES

_TITLES = {
    "claim": "Claim",
    "heartbeat": "Heartbeat",
    "progress": "Progress",
    "calls": "Provider calls",
    "artifacts": "Artifacts",
    "settle": "Settle",
}
_INTRODUCTION = f"""# Worker protocol

A worker in any language serves stages of a pipeline over HTTP. The ledger decides who holds a job; the worker
proves that it does by the lease: the job's id in the path and its epoch in every request. The same requests
work on SQLite (`towpath serve`) and on Postgres. A worked example in TypeScript is in
[examples/node-worker](../../examples/node-worker/README.md), without packages and with BullMQ.

1. `POST /worker/claim`: take the leases of due jobs. Each comes with the payload, the document and the results
   of the stages before.
2. `POST /worker/{{job_id}}/heartbeat` at least every third of `lease_seconds`, from a timer of its own, until the
   job is settled.
3. `GET /worker/{{job_id}}/artifacts` reads inputs, `POST` stores outputs; `POST /worker/{{job_id}}/calls` around
   every paid call.
4. `POST /worker/{{job_id}}/settle`: end the work on the job. The next stage's job is created in the same
   transaction.

**409 `lease-lost`**: the lease expired and the job was given to another worker, or its run has ended. Stop, and
write nothing more about this job. Every write is refused that does not come under the job's present epoch, and
changes no row. A request whose answer was lost may be repeated: a settlement that was stored before is
acknowledged again.

## Keys and stages

```console
towpath keys create node --scope worker --stage save_markdown
```

A key with the scope `worker` claims jobs of its organization only; `--stage` limits it to named stages, and
other stages are answered by 403 `stage-forbidden`. It reads nothing but the inputs of the jobs that it holds.
On the same machine no key is needed.

The setting `external_stages` names the stages that workers over HTTP serve: workers of this program then leave
them alone, unless their `worker_stages` names them. {", ".join(f"`{stage}`" for stage in sorted(OWN_STAGES))}
write chunks, vectors and connections and are served by Towpath's own workers only. A job whose worker stops
responding goes back to the queue at the next sweep, at most `lease_seconds` of the settings after its lease
ended; after {MAX_EXPIRED_LEASES} times it fails as `QUARANTINED`.
"""
_CALLS = """
A paid call is made once: not again after a crash, a retry or a reprocess, nor for the same input in another
document of the organization. Provider, model, parameters and `input_hash` are its identity.

| state of `begin` | what to do |
|---|---|
| `make` | make the call now; then send `answer`, or `operation` for a long-running one, or `failed` |
| `answered` | use `body`; do not call the provider |
| `running` | poll the operation `operation_id`; send `answer` when it has ended |
| `in_progress` | another worker makes the same call: settle with `suspend`, reason `same_call_elsewhere` |
| `wait` | the provider is throttled or its limit is used up: settle with `suspend` and the given `reason` |

`throttled` in `failed` pauses the provider for all workers. The limits of the settings (requests and tokens per
minute) hold for calls over HTTP too; the limits on concurrency do not.
"""
_SETTLE = """
| outcome | effect | status of the job |
|---|---|---|
| `done` | the stage is completed with its `result`; the next stage is queued | `COMPLETED` |
| `suspend` | due again after `seconds`; uses no attempt | `PENDING` |
| `fail` | tried again after the backoff, until the attempts are used up | `PENDING` or `FAILED` |
| `reject` | the document can never be processed: the run fails | `FAILED` |
| `release` | given back at shutdown; uses no attempt | `PENDING` |

What the next stage needs must be in `result`: `save_markdown` returns `{"markdown": key, "bytes": size}`. Large
results are artifacts, and the result names their keys. Small results of Towpath's own stages, such as `extraction`, may
be in the result itself: `inline:`, then base64 of the bytes compressed by zlib. A result or `arguments` that name
a key which the job may not read are refused with 404: later stages read what a result names.
"""
_PROSE = {"calls": _CALLS, "settle": _SETTLE}


def worker_protocol_page() -> str:
    document = create_app(cast("Services", None), None).openapi()
    parts = [_INTRODUCTION]
    titled: set[str] = set()
    for path, methods in document["paths"].items():
        if not path.startswith("/worker/"):
            continue
        name = path.rsplit("/", 1)[-1]
        for method, operation in methods.items():
            title = f"## {_TITLES[name]}\n\n" if name not in titled else ""
            prose = _PROSE.get(name, "") if name not in titled else ""
            titled.add(name)
            description = operation["description"]
            parts.append(f"{title}### `{method.upper()} {path}`\n\n{description}\n{prose}")
            parts.extend(_tables(document, operation))
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _tables(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[str]:
    queries = [item for item in operation.get("parameters", ()) if item["in"] == "query"]
    if queries:
        rows = [
            _row(document, item["name"], item["schema"], item.get("required", False), item.get("description"))
            for item in queries
        ]
        yield _table("Parameters", rows)
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        for schema in _variants(document, body["schema"]):
            yield _table(_name(schema, "Request"), _rows(document, schema))
    answer = operation["responses"].get("200", {}).get("content", {}).get("application/json")
    if answer is not None:
        for schema in _variants(document, answer["schema"].get("items", answer["schema"])):
            of_list = "Answer, a list" if "items" in answer["schema"] else "Answer"
            yield _table(of_list, _rows(document, schema))


def _name(schema: Mapping[str, Any], default: str) -> str:
    for key in ("action", "outcome"):
        constant = schema["properties"].get(key, {}).get("const")
        if constant is not None:
            return f'Request with `"{key}": "{constant}"`'
    return default


def _variants(document: Mapping[str, Any], schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "oneOf" in schema:
        return [_resolved(document, item) for item in schema["oneOf"]]
    return [_resolved(document, schema)]


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    return schema if reference is None else document["components"]["schemas"][reference.rsplit("/", 1)[-1]]


def _rows(document: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    required = set(schema.get("required", ()))
    return [
        _row(document, name, value, name in required, value.get("description"))
        for name, value in schema["properties"].items()
    ]


def _row(
    document: Mapping[str, Any], name: str, schema: Mapping[str, Any], required: bool, description: str | None
) -> str:
    needed = "" if required else "; optional"
    return f"| `{name}` | {_type(document, schema)}{needed} | {description or ''} |"


def _type(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    schema = _resolved(document, schema)
    if "anyOf" in schema:
        kinds = [_type(document, item) for item in schema["anyOf"] if item.get("type") != "null"]
        return " or ".join(kinds)
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(document, schema['items'])}"
    if schema.get("format") == "date-time":
        return "time"
    name = str(schema["type"])
    return {"integer": "number", "string": "text"}.get(name, name)


def _table(title: str, rows: list[str]) -> str:
    return "\n".join([f"{title}:", "", "| field | type | meaning |", "|---|---|---|", *rows, ""])
