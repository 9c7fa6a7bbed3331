"""A table of short forms in queries and the words they stand for, such as "config" for "configuration"."""

from __future__ import annotations

from collections.abc import Mapping

#: English short forms that are written without a full stop, and the words that they stand for.
SHORT_FORMS: Mapping[str, str] = {
    "admin": "administrator", "app": "application", "apps": "applications", "arg": "argument", "args": "arguments",
    "auth": "authentication", "config": "configuration", "configs": "configurations", "db": "database",
    "demo": "demonstration", "dev": "development", "dir": "directory", "dirs": "directories", "doc": "documentation",
    "docs": "documentation", "env": "environment", "exam": "examination", "fig": "figure", "gov": "government",
    "info": "information", "init": "initialization", "intro": "introduction", "lab": "laboratory", "lib": "library",
    "libs": "libraries", "max": "maximum", "memo": "memorandum", "min": "minimum", "org": "organization",
    "param": "parameter", "params": "parameters", "perf": "performance", "photo": "photograph", "prod": "production",
    "ref": "reference", "refs": "references", "repo": "repository", "repos": "repositories", "sec": "security",
    "spec": "specification", "specs": "specifications", "stats": "statistics", "sync": "synchronization",
    "temp": "temperature", "uni": "university", "util": "utility", "utils": "utilities", "vars": "variables",
}  # fmt: skip
