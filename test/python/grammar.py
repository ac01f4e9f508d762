"""Reports which texts xgrammar, vLLM's default, accepts by each grammar: rows of {grammar, texts} on standard input."""

import json
import sys

import xgrammar
from xgrammar.testing import _is_grammar_accept_string

accepted = []
for row in json.load(sys.stdin):
    grammar = xgrammar.Grammar.from_ebnf(row["grammar"])
    accepted.append([_is_grammar_accept_string(grammar, text) for text in row["texts"]])
json.dump(accepted, sys.stdout)
