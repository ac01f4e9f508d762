"""AXLE's published client against a server: `{url, key, calls: [[method, arguments]…]}` in, what it returned or raised out, as JSON."""

import asyncio
import dataclasses
import json
import os
import sys

given = json.load(sys.stdin)
# Its own settings, as a user would make them.
os.environ["AXLE_API_URL"] = given["url"]
os.environ["AXLE_API_KEY"] = given["key"]

from axle import AxleClient  # noqa: E402


async def call(client, method, arguments):
    try:
        found = getattr(client, method)(**arguments)
        found = await found if asyncio.iscoroutine(found) else found
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error)}
    return dataclasses.asdict(found) if dataclasses.is_dataclass(found) else found


async def main():
    async with AxleClient(base_timeout_seconds=120) as client:
        return await asyncio.gather(*(call(client, method, arguments) for method, arguments in given["calls"]))


json.dump(asyncio.run(main()), sys.stdout)
