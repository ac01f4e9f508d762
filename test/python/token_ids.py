"""Encodes texts by a tokenizer.json, and decodes the ids again."""

import json
import sys

from tokenizers import Tokenizer

request = json.load(sys.stdin)
tokenizer = Tokenizer.from_file(request["path"])
encoded = [tokenizer.encode(text).ids for text in request["texts"]]
decoded = [tokenizer.decode(ids, skip_special_tokens=False) for ids in encoded]
json.dump({"encoded": encoded, "decoded": decoded}, sys.stdout)
