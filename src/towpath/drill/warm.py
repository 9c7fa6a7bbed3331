"""Imported once by the server from which the drill's workers are forked: what is loaded here, each of them has."""

import os

# Threads of the tokenizer would not survive the fork.
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from towpath.drill import worker
from towpath.providers.local import csv, html, text
from towpath.providers.local.wordllama import embed_statically
from towpath.stages import chunk, save_markdown

embed_statically(["warm"])

__all__ = ["chunk", "csv", "html", "save_markdown", "text", "worker"]
