"""The modules that the drill's fork server imports once, so that its workers start with them loaded."""

import os

# The threads of the tokenizer do not survive a fork.
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from towpath.drill import worker
from towpath.providers.local.embeddings.fast import embed_fast
from towpath.readers.html.reader import read_html
from towpath.readers.text.csv_reader import read_csv
from towpath.readers.text.reader import read_text
from towpath.stages import chunk, save_markdown

embed_fast(["warm"])

__all__ = ["chunk", "read_csv", "read_html", "read_text", "save_markdown", "worker"]
