"""The examples of the documents give what they say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Iterator, Tuple

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENTS = ["sdk/python/README.md", "docs/guides/python.md", "README.md"]
_EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)


def examples() -> Iterator[Tuple[str, str, str]]:
    for name in DOCUMENTS:
        path = ROOT / name
        if path.exists():
            for number, (code, output) in enumerate(_EXAMPLE.findall(path.read_text()), 1):
                if "http://" not in code and "https://" not in code:
                    yield f"{name}#{number}", code, output


@pytest.mark.parametrize("name, code, output", list(examples()), ids=lambda value: str(value)[:40])
def test_example(name: str, code: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    assert printed.getvalue() == output


def test_there_are_examples() -> None:
    assert len(list(examples())) >= 1
