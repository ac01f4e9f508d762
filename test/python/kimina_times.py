"""Times Kimina's published client, one request after another: `{url, snippets}` in, `{valid, ms}` out, as JSON."""

import json
import sys
import time
import typing

import typing_extensions

if sys.version_info < (3, 12):
    typing.TypedDict = typing_extensions.TypedDict

given = json.load(sys.stdin)
out, sys.stdout = sys.stdout, sys.stderr  # The client logs to the standard output that its import finds.

from kimina_client import KiminaClient, Snippet  # noqa: E402

client = KiminaClient(api_url=given["url"], n_retries=1)
valid, times = 0, []
for number, code in enumerate(given["snippets"]):
    started = time.perf_counter()
    answer = client.check(Snippet(id=str(number), code=code), timeout=60, show_progress=False)
    times.append(1_000 * (time.perf_counter() - started))
    valid += answer.results[0].analyze().status.value == "valid"
json.dump({"valid": valid, "ms": times}, out)
