"""Reading what a chat model sent back: its JSON, its cost, and why there is none."""

import json
from typing import Any

from backend.app.domain.language_models import ModelFailed, ModelFault, Usage

#: More of an answer is not looked at.
_MAX_CHARACTERS = 100_000
_CHARACTERS_PER_TOKEN = 4
_CUT_OFF = frozenset({"max_tokens", "length", "model_context_window_exceeded"})
_DECLINED = frozenset({"refusal", "content_filtered", "content_filter", "guardrail_intervened"})


def usage_of(message: Any, prompt_characters: int) -> Usage:
    """What a message cost, by the provider's count; estimated where it gives none."""
    told = message.usage_metadata
    if told is None:
        written = len(text_of(message))
        return Usage(
            -(-prompt_characters // _CHARACTERS_PER_TOKEN), -(-written // _CHARACTERS_PER_TOKEN)
        )
    return Usage(int(told["input_tokens"]), int(told["output_tokens"]))


def data_of(message: Any, usage: Usage) -> dict[str, Any]:
    """The object that a message holds, as a tool's arguments or as text.

    Raises:
        ModelFailed: it was cut off, declined, or holds none.
    """
    told = message.response_metadata
    stopped = next(
        (told[key] for key in ("stopReason", "stop_reason", "finish_reason") if told.get(key)), None
    )
    if stopped in _CUT_OFF:
        raise ModelFailed(ModelFault.TRUNCATED, usage)
    if stopped in _DECLINED or message.additional_kwargs.get("refusal"):
        raise ModelFailed(ModelFault.DECLINED, usage)
    for asked in message.tool_calls:
        if isinstance(asked["args"], dict) and asked["args"]:
            return asked["args"]
    texts = [one["args"] for one in message.invalid_tool_calls] or [text_of(message)]
    found = first_object(texts[0] or "")
    if found is None:
        raise ModelFailed(ModelFault.UNUSABLE, usage)
    return found


def text_of(message: Any) -> str:
    """A message's text, whether it is one or in blocks."""
    content = message.content
    if isinstance(content, str):
        return content
    return "".join(
        one if isinstance(one, str) else str(one.get("text", ""))
        for one in content
        if isinstance(one, str | dict)
    )


def first_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text, be there words or a code fence around it."""
    text = text[:_MAX_CHARACTERS]
    begin = text.find("{")
    if begin < 0:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
