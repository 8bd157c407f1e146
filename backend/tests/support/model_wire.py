"""How three families of providers write requests and answers, for a server that stands in for one.

A request to Bedrock is held against botocore's own description of the service: types, what is
required, bounds, patterns and closed sets.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import botocore.session
from botocore.validate import ParamValidator


@dataclass(frozen=True)
class Asked:
    """What a request asks, whichever family it is of. ``method``: json_schema, tool or words."""

    form: str
    method: str
    system: str
    user: str
    schema: Mapping[str, Any]
    max_tokens: int

    def block(self, source: str) -> str | None:
        """What the prompt shows of one source of tools' results."""
        found = re.search(
            rf'<tool_output source="{source}" id="[0-9a-f]{{16}}">\n(.*?)\n</tool_output>',
            self.user,
            re.DOTALL,
        )
        return found[1] if found else None


class BadRequest(Exception):
    """A request that the provider would not take."""


def _titled(method: str, schema: Mapping[str, Any], name: str, **texts: Any) -> Asked:
    return Asked(form=name, method=method, schema=schema, **texts)


def _in_words(system: str) -> tuple[str, Mapping[str, Any]]:
    schema = json.loads(system[system.rindex("\n{") :])
    return str(schema["title"]), schema


def read_bedrock(body: Mapping[str, Any], model: str) -> Asked:
    """A Converse request."""
    problems = list(_problems({**body, "modelId": model}))
    if problems:
        raise BadRequest("; ".join(problems))
    system = "".join(part["text"] for part in body.get("system", []))
    texts = {
        "system": system,
        "user": body["messages"][-1]["content"][0]["text"],
        "max_tokens": body["inferenceConfig"]["maxTokens"],
    }
    if "outputConfig" in body:
        told = body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
        return _titled("json_schema", json.loads(told["schema"]), told["name"], **texts)
    if "toolConfig" in body:
        tool = body["toolConfig"]["tools"][0]["toolSpec"]
        return _titled("tool", tool["inputSchema"]["json"], tool["name"], **texts)
    name, schema = _in_words(system)
    return _titled("words", schema, name, **texts)


@cache
def _converse() -> Any:
    return (
        botocore.session.get_session()
        .get_service_model("bedrock-runtime")
        .operation_model("Converse")
        .input_shape
    )


def _problems(body: Mapping[str, Any]) -> Iterator[str]:
    report = ParamValidator().validate(body, _converse())
    if report.has_errors():
        yield report.generate_report()
    yield from _closed(body, _converse(), "")


def _closed(value: Any, shape: Any, place: str) -> Iterator[str]:
    """What botocore describes and does not check: closed sets, patterns, upper bounds."""
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        for name, one in value.items():
            if name not in shape.members:
                yield f"{place}.{name} is not known"
            else:
                yield from _closed(one, shape.members[name], f"{place}.{name}")
    elif shape.type_name == "list":
        for one in value:
            yield from _closed(one, shape.member, f"{place}[]")
    elif shape.type_name == "string":
        pattern = shape.metadata.get("pattern")
        if shape.enum and value not in shape.enum:
            yield f"{place}: {value} is none of {shape.enum}"
        if pattern and re.fullmatch(pattern.replace("\\p{L}", "\\w"), value, re.DOTALL) is None:
            yield f"{place}: {value!r} does not match {pattern}"
        if "max" in shape.metadata and len(value) > shape.metadata["max"]:
            yield f"{place} is too long"
    elif isinstance(value, int | float) and value > shape.metadata.get("max", value):
        yield f"{place} is too big"


def read_openai(body: Mapping[str, Any]) -> Asked:
    """A request to /chat/completions."""
    system, user = (one["content"] for one in body["messages"])
    limit = body.get("max_completion_tokens") or body["max_tokens"]
    texts = {"system": system, "user": user, "max_tokens": limit}
    if "response_format" in body:
        told = body["response_format"]["json_schema"]
        return _titled("json_schema", told["schema"], told["name"], **texts)
    if "tools" in body:
        tool = body["tools"][0]["function"]
        return _titled("tool", tool["parameters"], tool["name"], **texts)
    name, schema = _in_words(system)
    return _titled("words", schema, name, **texts)


def read_anthropic(body: Mapping[str, Any]) -> Asked:
    """A request to /v1/messages."""
    system, user = body["system"], body["messages"][-1]["content"]
    told = system if isinstance(system, str) else "".join(part["text"] for part in system)
    said = user if isinstance(user, str) else "".join(part["text"] for part in user)
    texts = {"system": told, "user": said, "max_tokens": body["max_tokens"]}
    if "output_config" in body:
        schema = body["output_config"]["format"]["schema"]
        return _titled("json_schema", schema, str(schema.get("title", "")), **texts)
    if "tools" in body:
        tool = body["tools"][0]
        return _titled("tool", tool["input_schema"], tool["name"], **texts)
    name, schema = _in_words(told)
    return _titled("words", schema, name, **texts)


_STOPS = {
    "bedrock": {"end": "end_turn", "tool": "tool_use", "length": "max_tokens",
                "refusal": "guardrail_intervened"},
    "openai": {"end": "stop", "tool": "tool_calls", "length": "length",
               "refusal": "content_filter"},
    "anthropic": {"end": "end_turn", "tool": "tool_use", "length": "max_tokens",
                  "refusal": "refusal"},
}  # fmt: skip


def write(
    family: str, asked: Asked, said: Any, *, stop: str, tokens: tuple[int, int]
) -> dict[str, Any]:
    """An answer: ``said`` is a text, or a mapping that goes where the method wants it."""
    as_tool = isinstance(said, Mapping) and asked.method == "tool"
    text = said if isinstance(said, str) else json.dumps(said)
    ended = _STOPS[family]["tool" if as_tool and stop == "end" else stop]
    read, written = tokens
    if family == "bedrock":
        tool = {"toolUse": {"toolUseId": "t1", "name": asked.form, "input": said}}
        return {
            "output": {
                "message": {"role": "assistant", "content": [tool if as_tool else {"text": text}]}
            },
            "stopReason": ended,
            "usage": {"inputTokens": read, "outputTokens": written, "totalTokens": read + written},
            "metrics": {"latencyMs": 1},
        }
    if family == "anthropic":
        block = {"type": "tool_use", "id": "t1", "name": asked.form, "input": said}
        return {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "test",
            "content": [block if as_tool else {"type": "text", "text": text}],
            "stop_reason": ended,
            "stop_sequence": None,
            "usage": {"input_tokens": read, "output_tokens": written},
        }
    function = {"name": asked.form, "arguments": text}
    calls = [{"id": "t1", "type": "function", "function": function}]
    message = {"role": "assistant", "content": None if as_tool else text}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "test",
        "choices": [
            {
                "index": 0,
                "message": {**message, "tool_calls": calls} if as_tool else message,
                "finish_reason": ended,
            }
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        },
    }
