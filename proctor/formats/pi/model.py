"""A line of a fixture as a pydantic model, for its published JSON Schema only.

Files are never read through it: `proctor.formats.pi.reading` tells faults in the order that the format wants. What a
schema of one line cannot say is the order of the records, rising ``turnIndex`` values, dates, paths, patterns, and
bounds that depend on each other.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from proctor.formats.members import LARGEST
from proctor.formats.schema import Absent

Filled = Annotated[str, Field(min_length=1)]
Integer = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
Count = Annotated[int, Field(ge=0, le=LARGEST)]


class _Open(BaseModel):
    """A record or block that may have more members: newer versions of pi add some."""

    model_config = ConfigDict(extra="allow", strict=True)


class _Closed(BaseModel):
    """An assertion: a misspelled member would weaken it silently."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TextBlock(_Open):
    """Text of a message."""

    type: Literal["text"] = Field(description="The kind of block.")
    text: str = Field(description="What is said.")


class ThinkingBlock(_Open):
    """Thinking of the model, which the user is not told."""

    type: Literal["thinking"] = Field(description="The kind of block.")
    thinking: str = Field(description="What is thought; may be empty.")


class ToolCallBlock(_Open):
    """A call of a tool."""

    type: Literal["toolCall"] = Field(description="The kind of block.")
    id: str = Field(description="What a result refers to.")
    name: Filled = Field(description="The tool.")
    arguments: dict[str, Any] = Field(description="The arguments, as an object.")


class ImageBlock(_Open):
    """An image."""

    type: Literal["image"] = Field(description="The kind of block.")
    data: str = Field(description="The image in Base64.")
    mimeType: Filled = Field(description="Its media type, such as image/png.")  # noqa: N815 - the member's own name


class Ledger(_Open):
    """The tokens of one assistant turn."""

    input: Integer = Field(description="Tokens of the prompt without cached ones.")
    cache_read: Integer = Field(description="Tokens that were read from the cache.")
    cache_creation: Integer = Field(description="Tokens that were written to the cache.")
    output: Integer = Field(description="Tokens that were generated.")


class MetaRecord(_Open):
    """The first line."""

    type: Literal["meta"] = Field(description="The type of record.")
    fixtureId: Filled = Field(description="The name of the case.")  # noqa: N815
    piAgentCoreVersion: Filled = Field(description="The version of pi-agent-core that recorded it.")  # noqa: N815
    recordedAt: Filled = Field(description="When it was recorded, in ISO 8601.")  # noqa: N815
    scenario: str = Field(description="What the trial is about, in words.")
    systemPromptHash: Filled = Field(description="The SHA-256 of the system prompt, in hex.")  # noqa: N815


class _Turn(_Open):
    type: Literal["turn"] = Field(description="The type of record.")
    turnIndex: Count = Field(description="Never smaller than that of the turn before.")  # noqa: N815


class UserTurn(_Turn):
    """A message of the user."""

    role: Literal["user"] = Field(description="Who speaks.")
    content: str | list[Annotated[TextBlock | ImageBlock, Field(discriminator="type")]] = Field(
        description="A text, or blocks."
    )


class AssistantTurn(_Turn):
    """A message of the assistant."""

    role: Literal["assistant"] = Field(description="Who speaks.")
    content: list[Annotated[TextBlock | ThinkingBlock | ToolCallBlock, Field(discriminator="type")]] = Field(
        description="Blocks; none where the turn was interrupted."
    )
    tokenLedger: Ledger = Field(description="The tokens of this turn.")  # noqa: N815


class ToolResultTurn(_Turn):
    """The result of a call."""

    role: Literal["toolResult"] = Field(description="Who speaks.")
    toolUseId: Filled = Field(description="The id of the call.")  # noqa: N815
    content: list[Annotated[TextBlock | ImageBlock, Field(discriminator="type")]] = Field(
        description="What the tool gave back."
    )


class ToolCalledEntry(_Closed):
    """A tool is called, once or as often as the bounds say."""

    kind: Literal["tool_called"] = Field(description="The kind of assertion.")
    name: Filled = Field(description="The tool.")
    min_count: Count = Field(default=1, description="The least number of calls.")
    max_count: Annotated[Count | None, Absent] = Field(
        default=None, description="The greatest number of calls; no limit by default."
    )
    order: Annotated[Count | None, Absent] = Field(
        default=None, description="The place (from 0) of such a call among the calls of all tools."
    )


class NoToolCalledEntry(_Closed):
    """A tool is never called."""

    kind: Literal["no_tool_called"] = Field(description="The kind of assertion.")
    name: Filled = Field(description="The tool.")


class MessageContainsEntry(_Closed):
    """A message contains a text."""

    kind: Literal["message_contains_substring"] = Field(description="The kind of assertion.")
    role: Literal["assistant", "user"] = Field(description="Whose message.")
    substring: Filled = Field(description="The text, case-sensitive.")


class ToolCallArgMatchesEntry(_Closed):
    """A call of a tool has an argument that a pattern is found in."""

    kind: Literal["tool_call_arg_matches"] = Field(description="The kind of assertion.")
    name: Filled = Field(description="The tool.")
    arg_path: Filled = Field(description="The path of the argument: names and indexes, joined by dots.")
    matches_regex: str = Field(description="An ECMAScript regular expression without slashes and flags.")


class TraceMaxTurnsEntry(_Closed):
    """The trace has at most so many turns."""

    kind: Literal["trace_max_turns"] = Field(description="The kind of assertion.")
    max: Count = Field(description="The greatest number of turn records, of all three roles.")


Entry = Annotated[
    ToolCalledEntry | NoToolCalledEntry | MessageContainsEntry | ToolCallArgMatchesEntry | TraceMaxTurnsEntry,
    Field(discriminator="kind"),
]


class AssertionsRecord(_Open):
    """The last line."""

    type: Literal["assertions"] = Field(description="The type of record.")
    assertions: list[Entry] = Field(description="What must hold of the trial; all of it.")


Turn = Annotated[UserTurn | AssistantTurn | ToolResultTurn, Field(discriminator="role")]


class FixtureLine(RootModel[MetaRecord | Turn | AssertionsRecord]):
    """One line of a fixture. The first is meta, the last assertions, and those between are turns."""
