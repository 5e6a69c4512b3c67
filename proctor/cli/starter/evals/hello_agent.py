"""A first agent: put your own in its place. It gets the conversation and returns a reply and its tool calls."""

import re


async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
    said = " ".join(message["content"] for message in messages if message["role"] == "user")
    name = re.search(r"I am (\w+)", said)
    return f"Hello {name.group(1)}!" if name else "Hello!", []
