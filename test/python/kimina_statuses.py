"""Gets statuses by Kimina's client: `{url, snippets}` in, JSON out. Validates the server's OpenAPI description."""

import json
import sys
import typing

import typing_extensions

if sys.version_info < (3, 12):
    typing.TypedDict = typing_extensions.TypedDict

given = json.load(sys.stdin)
out, sys.stdout = sys.stdout, sys.stderr  # The client logs to the standard output that its import finds.

import httpx  # noqa: E402
from kimina_client import KiminaClient, Snippet  # noqa: E402
from openapi_spec_validator import validate  # noqa: E402

validate(httpx.get(f"{given['url']}/api/openapi.json").json())

snippets = [Snippet(id=str(number), code=code) for number, code in enumerate(given["snippets"])]
results = KiminaClient(api_url=given["url"], n_retries=1).check(snippets, timeout=60, show_progress=False).results
json.dump([result.analyze().status.value for result in sorted(results, key=lambda one: int(one.id))], out)
