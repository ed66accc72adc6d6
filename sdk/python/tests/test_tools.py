"""Tools for agent frameworks, and errors."""

from __future__ import annotations

import json
import pickle
from typing import Any, Dict, List, Tuple

import pytest

import codepod
from codepod import CodepodError, Sandbox, tools
from codepod._errors import error_from_wire
from codepod._generated.errors import BY_KIND


def test_definitions_are_in_the_form_of_each_framework() -> None:
    assert "run" in tools.names()
    for tool in tools.anthropic():
        assert set(tool) == {"name", "description", "input_schema"}
        assert tool["input_schema"]["type"] == "object"
    for tool in tools.openai():
        assert tool["type"] == "function" and set(tool["function"]) == {"name", "description", "parameters"}
    for tool in tools.openai_responses():
        assert tool["type"] == "function" and "parameters" in tool
    for tool in tools.mcp(only=["run"]):
        assert tool["name"] == "run" and tool["inputSchema"]["required"] == ["command"]
    json.dumps([tools.anthropic(), tools.openai(), tools.openai_responses(), tools.mcp()])
    with pytest.raises(ValueError):
        tools.anthropic(only=["nope"])
    tools.anthropic()[0]["input_schema"]["properties"].clear()
    assert tools.anthropic()[0]["input_schema"]["properties"]


def test_run_tells_a_model_four_things(sandbox: Sandbox) -> None:
    told = tools.call_tool(sandbox, "run", {"command": "echo hi; exit 3"})
    assert set(told) == {"exit_code", "stdout", "stderr", "execution_time_ms"}
    assert (told["exit_code"], told["stdout"]) == (3, "hi\n")
    told = tools.call_tool(sandbox, "python", {"code": "6 * 7"})
    assert set(told) == {"exit_code", "stdout", "stderr", "execution_time_ms"}
    assert told["stdout"] == "42\n"
    told = tools.call_tool(sandbox, "run", {"command": "sleep 10", "timeout_ms": 100})
    assert told["timed_out"] is True
    assert tools.call_tool(sandbox, "run", '{"command": "echo x"}')["stdout"] == "x\n"  # type: ignore[arg-type]


def test_long_output_is_cut_as_the_description_says(sandbox: Sandbox) -> None:
    told = tools.call_tool(sandbox, "run", {"command": "seq 100000"})
    assert len(told["stdout"]) <= (16 << 10) + 100
    assert " bytes are not shown; all of it is in /proc/runs/" in told["stdout"]
    told = tools.call_tool(sandbox, "run", {"command": "seq 100000", "output_budget": 100_000})
    assert 50_000 < len(told["stdout"]) <= 100_100
    told = tools.call_tool(sandbox, "run", {"command": "seq 1000000", "output_budget": 1 << 40})
    assert len(told["stdout"]) <= (1 << 20) + 100
    told = tools.call_tool(sandbox, "python", {"code": "print('x' * 100000)"})
    assert len(told["stdout"]) <= (16 << 10) + 100
    # Beyond the limit of a stream, what was kept is named as well.
    told = tools.call_tool(sandbox, "run", {"command": "yes"})
    assert told["truncated"] and "longer than its limit" in told["stdout"] and "/proc/runs/" in told["stdout"]
    with Sandbox(output_budget=200) as small:
        told = tools.call_tool(small, "run", {"command": "seq 100000"})
        assert len(told["stdout"]) < 300 and "bytes are not shown" in told["stdout"]
    told = tools.call_tool(sandbox, "run", {"command": "mkdir d; cd d; seq 20000 | xargs touch"})
    told = tools.call_tool(sandbox, "list", {"path": "d"})
    assert told["omitted_entries"] > 1000 and len(json.dumps(told)) < 300_000


def test_every_tool_answers(sandbox: Sandbox) -> None:
    inputs: Dict[str, Dict[str, Any]] = {
        "run": {"command": "echo x > f"},
        "python": {"code": "open('f').read()"},
        "javascript": {"code": "fs.readFileSync('f', 'utf8')"},
        "write": {"path": "d/g", "text": "t"},
        "edit": {"path": "d/g", "edits": [{"old": "t", "new": "u"}]},
        "grep": {"pattern": "u"},
        "glob": {"pattern": "**/g"},
        "read": {"path": "d/g"},
        "list": {"path": "."},
        "changes": {"diff": True},
        "undo": {},
        "snapshot": {},
        "fork": {},
    }
    assert set(tools.names()) == {*inputs, "restore", "start", "output", "stdin", "kill"}
    for name in inputs:
        told = tools.call_tool(sandbox, name, inputs[name])
        assert "error" not in told, (name, told)
    run = {"run_id": tools.call_tool(sandbox, "start", {"command": "read x; echo got $x; sleep 60"})["run_id"]}
    assert tools.call_tool(sandbox, "stdin", {**run, "text": "it\n"}) == {"ok": True}
    told = tools.call_tool(sandbox, "output", {**run, "wait_ms": 20000})
    assert (told["stdout"], told["running"]) == ("got it\n", True)
    assert tools.call_tool(sandbox, "kill", run) == {"ok": True}
    assert tools.call_tool(sandbox, "output", {**run, "wait_ms": 20000})["exit_code"] == 130
    sandbox.files.write("p.png", b"\x89PNG\r\n\x1a\n" + bytes(1000))
    told = tools.call_tool(sandbox, "read", {"path": "p.png"})
    assert told["mime"] == "image/png" and "base64" not in told and len(json.dumps(told)) < 200
    kept = tools.call_tool(sandbox, "snapshot", {})
    assert "error" not in tools.call_tool(sandbox, "restore", {"id": kept["id"]})
    fork = tools.call_tool(sandbox, "fork", {})["sandbox_id"]
    tools.call_tool(sandbox, "run", {"command": "echo x > only", "sandbox_id": fork})
    assert not sandbox.files.exists("only")


def test_a_model_is_told_what_went_wrong(sandbox: Sandbox) -> None:
    calls: List[Tuple[str, Dict[str, Any]]] = [
        ("nope", {}),
        ("run", {"nonsense": 1}),
        ("run", {"command": 5}),
        ("read", {"path": "/nope"}),
        ("restore", {"id": "x"}),
        ("run", {"command": "x", "sandbox_id": "sb_other"}),
    ]
    for name, input in calls:
        told = tools.call_tool(sandbox, name, input)
        assert told["error"] and told["kind"] and told["hint"], (name, input, told)


def test_every_kind_of_error_has_a_class() -> None:
    assert len(BY_KIND) >= 20
    for kind, cls in BY_KIND.items():
        wire = {"code": -1, "message": "m", "data": {"kind": kind, "hint": "h", "errno": "ENOENT"}}
        error = error_from_wire(wire)
        assert type(error) is cls and isinstance(error, CodepodError) and error.kind == kind
        assert (error.message, error.hint, error.errno, error.code) == ("m", "h", "ENOENT", -1)
        assert str(error) == "m\nhint: h"
        assert getattr(codepod, cls.__name__) is cls
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.hint, again.kind) == (cls, "h", kind)
    assert error_from_wire({"message": "m", "data": {"kind": "new_one"}}).kind == "new_one"
    assert error_from_wire(None).message
