"""Sends snippets with Kimina's published client: `{url, key, snippets, slow}` in, the client's results out, as JSON."""

import asyncio
import json
import sys
import typing

import typing_extensions

if sys.version_info < (3, 12):
    # The client's models ask pydantic for what it takes from `typing` only since Python 3.12.
    typing.TypedDict = typing_extensions.TypedDict

given = json.load(sys.stdin)
out, sys.stdout = sys.stdout, sys.stderr  # The client logs to the standard output that its import finds.

import httpx  # noqa: E402
from kimina_client import AsyncKiminaClient, KiminaClient, Snippet, VerifyResponse  # noqa: E402
from kimina_client.proof_utils import parse_client_response  # noqa: E402
from openapi_spec_validator import validate  # noqa: E402

client = KiminaClient(api_url=given["url"], api_key=given["key"], n_retries=1)
snippets = [Snippet(id=str(number), code=code) for number, code in enumerate(given["snippets"])]


def statuses(response):
    return {result.id: result.analyze().status.value for result in response.results}


def check(**options):
    return client.check(snippets, timeout=60, show_progress=False, **options)


async def check_asynchronously():
    return await AsyncKiminaClient(given["url"], given["key"], n_retries=1).check(
        snippets, timeout=60, batch_size=2, show_progress=False
    )


def check_as_at_first():
    body = {"codes": [{"custom_id": snippet.id, "proof": snippet.code} for snippet in snippets], "timeout": 60}
    headers = {"Authorization": f"Bearer {given['key']}"}
    answer = httpx.post(f"{given['url']}/verify", json=body, headers=headers, timeout=120)
    return {
        result["custom_id"]: parse_client_response(result)
        for result in VerifyResponse.model_validate(answer.json()).results
    }


client.test()
checked = check(debug=True)
checked.analyze(1.0)
validate(httpx.get(f"{given['url']}/api/openapi.json").json())
stranger = KiminaClient(api_url=given["url"], api_key="no key", n_retries=1)
json.dump(
    {
        "health": client.health(),
        "statuses": statuses(checked),
        "diagnostics": [sorted(result.diagnostics or {}) for result in checked.results],
        "batches": statuses(check(batch_size=1, max_workers=4)),
        "fresh": statuses(check(reuse=False)),
        "asynchronously": statuses(asyncio.run(check_asynchronously())),
        "first": check_as_at_first(),
        "slow": client.check(given["slow"], timeout=1, show_progress=False).results[0].analyze().status.value,
        "stranger": stranger.check("#check Nat", show_progress=False).results[0].analyze().status.value,
    },
    out,
)
