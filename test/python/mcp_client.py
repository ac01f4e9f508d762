"""Calls tools with the official Python client: `{command, args, env, url, key, file}` in, the answers out, as JSON."""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

given = json.load(sys.stdin)
STATEMENT = "theorem t (a b : Nat) : a + b = b + a"


async def session(client):
    told = []

    async def progress(done, total, message):
        told.append(message)

    async def call(name, arguments):
        answer = await client.call_tool(name, arguments, read_timeout_seconds=170, progress_callback=progress)
        return {"error": answer.content[0].text} if answer.is_error else answer.structured_content

    tools = await client.list_tools()
    proved = await call("verify_proof", {"statement": STATEMENT, "proof": "  omega", "certificate": True})
    place = {"path": given["file"], "line": 2, "column": 2}
    resource = await client.read_resource(proved["certificate_uri"])
    return {
        "version": client.protocol_version,
        "tools": sorted(tool.name for tool in tools.tools),
        "proved": proved["verdict"],
        "certificate": resource.contents[0].text == proved["certificate"],
        "false": (await call("verify_proof", {"statement": "theorem t : 1 = 2", "proof": "  rfl"}))["verdict"],
        "goals": (await call("goals_at", place))["goals"],
        "tried": [one["class"] for one in (await call("try_tactics", {**place, "tactics": ["rfl", "sorry"]}))["results"]],
        "checked": (await call("check_file", {"path": given["file"]}))["outcome"],
        "beside": [
            one["verdict"]
            for one in (await call("check_file", {"text": "theorem a : 1 = 1 := rfl\ntheorem b : 1 = 2 := rfl\n"}))["theorems"]
        ],
        "outside": (await call("check_file", {"path": "../secret.lean"}))["error"],
        "progress": "Lean is trying the proof" in told,
    }


async def main():
    out = {}
    command = StdioServerParameters(command=given["command"], args=given["args"], env=given["env"])
    async with Client(command) as client:
        out["stdio"] = await session(client)
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {given['key']}"}, timeout=170) as web:
        async with Client(streamable_http_client(given["url"], http_client=web)) as client:
            out["http"] = await session(client)
    return out


print(json.dumps(asyncio.run(main())))
