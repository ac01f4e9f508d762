"""Reads from veRL's source how its reward managers call a score function: keyword names by file, as JSON."""

import ast
import importlib.metadata
import json
import sys

found = {}
for path in importlib.metadata.files("verl"):
    if "reward_manager" not in str(path) or path.suffix != ".py":
        continue
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "compute_score":
            names = [keyword.arg for keyword in node.keywords if keyword.arg is not None]
            if names:
                found.setdefault(path.name, []).append(names)
json.dump(found, sys.stdout)
