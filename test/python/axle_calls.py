"""Calls AXLE's published client: `{url, key, calls: [[method, arguments]…]}` in, results and errors out, as JSON."""

import asyncio
import dataclasses
import json
import os
import sys

given = json.load(sys.stdin)
# The client's own settings, as a user would set them.
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
