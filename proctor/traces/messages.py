"""Messages of a conversation in one form, and what they say: the request, the answer, the calls made for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from proctor.traces.content_blocks import Content, as_text, read_call, read_calls, read_content
from proctor.traces.documents import embedded_json
from proctor.trajectory import ToolCall

USER: Final = "user"
ASSISTANT: Final = "assistant"

_ROLES: Final[Mapping[str, str]] = {"human": USER, "ai": ASSISTANT, "model": ASSISTANT, "function": "tool"}
_ANSWER_NAMES: Final = ("output", "answer", "response", "result", "final_output", "text", "content", "completion")
_REQUEST_NAMES: Final = ("input", "question", "query", "prompt", "request", "user_input", "text", "content", "message")


class Message(NamedTuple):
    """One message. ``text`` is None when it has none, as in one that only calls tools."""

    role: str
    text: str | None
    calls: tuple[ToolCall, ...] = ()
    results: tuple[str, ...] = ()

    @property
    def is_request(self) -> bool:
        """Whether a user asks in it. Anthropic's tool results come in messages of the user, too."""
        return self.role == USER and self.text is not None and not self.results


class Talk(NamedTuple):
    """What messages say: the request, the answer, and the calls and results between them."""

    request: str | None
    answer: str | None
    calls: tuple[ToolCall, ...]
    results: tuple[str, ...]


def is_message_list(value: Any) -> bool:
    """Whether a value is a list of messages, or of the items of a response."""
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value) and any(map(_speaker, value))


def read_messages(value: Any, role: str) -> list[Message]:
    """Read messages, or a text or an object in the place of one. ``role`` is of those that do not say theirs.

    An object that holds messages is read as these. The answer of a chain is taken out of the object that it returns.
    """
    if value is None:
        return []
    if isinstance(value, dict) and _speaker(value) is None:
        return _read_object(value, role)
    if is_message_list(value) or isinstance(value, dict):
        entries = value if isinstance(value, list) else [value]
        return [message for entry in entries if (message := _read_message(entry, role)) is not None]
    if isinstance(value, list) and value and all(map(is_message_list, value)):  # LangChain: a list of prompts
        return [message for entry in value for message in read_messages(entry, role)]
    return [Message(role, as_text(value))]


def read_value(value: Any, role: str) -> list[Message]:
    """Read messages that may be spelled as JSON in a text. A text that spells something else stays as it is."""
    parsed = embedded_json(value)
    if parsed is value:
        return read_messages(value, role)
    messages = read_messages(parsed, role)
    is_as_it_was = len(messages) == 1 and messages[0].text == as_text(parsed)
    return [Message(role, value)] if is_as_it_was else messages


def last_exchange(messages: Sequence[Message]) -> Talk:
    """The last request with all that followed it."""
    start = max((at for at, message in enumerate(messages) if message.is_request), default=0)
    return _talk(messages[start:])


def whole_conversation(messages: Sequence[Message]) -> Talk:
    """All requests, with blank lines between them, all calls, and the answer to the last request."""
    requests = [message.text for message in messages if message.is_request and message.text is not None]
    return _talk(messages)._replace(request="\n\n".join(requests) if requests else None)


def _talk(messages: Iterable[Message]) -> Talk:
    request: str | None = None
    answer: str | None = None
    calls: list[ToolCall] = []
    results: list[str] = []
    for message in messages:
        if message.is_request:
            request, answer = message.text, None
        elif message.role == ASSISTANT:
            answer = message.text
        calls += message.calls
        results += message.results
    return Talk(request, answer, tuple(calls), tuple(results))


def _speaker(value: Mapping[str, Any]) -> str | None:
    """Whose message this is; None for what is no message.

    LangChain says so in ``type``. The items of OpenAI's Responses API are the assistant's calls and their output.
    """
    inner = _unwrapped(value)
    role, kind = inner.get("role"), inner.get("type")
    if isinstance(role, str):
        return _ROLES.get(role.lower(), role.lower())
    if not isinstance(kind, str):
        return None
    if kind in ("human", "ai", "system", "tool") and "content" in inner:
        return _ROLES.get(kind, kind)
    if kind.endswith("_call"):
        return ASSISTANT
    return "tool" if kind.endswith("_call_output") else None


def _unwrapped(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """OpenInference wraps a message in ``message``; LangChain's serialised form in ``kwargs``."""
    for wrapper in ("message", "kwargs"):
        inner = value.get(wrapper)
        if isinstance(inner, dict) and ("role" in inner or "content" in inner or "tool_calls" in inner):
            return inner
    return value


def _read_message(value: Mapping[str, Any], role: str) -> Message | None:
    speaker = _speaker(value)
    value = _unwrapped(value)
    kind = value.get("type")
    if speaker is not None and isinstance(kind, str) and kind.endswith(("_call", "_call_output")):
        content = read_content(value)
        return Message(speaker, content.text, content.calls, content.results)
    if speaker is None and kind is not None:
        return None
    return _with_tools(value, speaker or role, _content_of(value))


def _content_of(value: Mapping[str, Any]) -> Content:
    for name in ("parts", "contents", "content"):
        if value.get(name) is not None:
            return read_content(value[name])
    refusal = value.get("refusal")
    return Content(refusal if isinstance(refusal, str) else None)


def _with_tools(value: Mapping[str, Any], role: str, content: Content) -> Message:
    calls = content.calls
    if value.get("tool_calls"):
        calls += read_calls(value["tool_calls"])
    elif isinstance(function := value.get("function_call"), dict):
        calls += (read_call(function),)
    if role == "tool" and content.text is not None:
        return Message(role, None, calls, (*content.results, content.text))
    text = None if calls and not content.text else content.text  # many writers put "" beside the calls
    return Message(role, text, calls, content.results)


def _read_object(value: Mapping[str, Any], role: str) -> list[Message]:
    if is_message_list(value.get("messages")):
        return read_messages(value["messages"], role)
    if any(isinstance(value.get(name), str | list) for name in ("parts", "contents", "content", "tool_calls")):
        return [_with_tools(value, role, _content_of(value))]
    named = _named(value, role)
    if isinstance(named, str):
        return [Message(role, named)]
    return read_messages(named, role) if is_message_list(named) else [Message(role, as_text(value))]


def _named(value: Mapping[str, Any], role: str) -> Any:
    """The request or answer in what a chain took or returned. An answer with members of its own stays whole."""
    if role != ASSISTANT:
        return next((value[name] for name in _REQUEST_NAMES if value.get(name) is not None), None)
    returns_state = len(value) == 1 or any(name in value for name in ("output", "input", "query", "question"))
    names = _ANSWER_NAMES if returns_state else ()
    return next((value[name] for name in names if value.get(name) is not None), None)
