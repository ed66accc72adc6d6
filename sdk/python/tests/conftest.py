"""What tests share: a sandbox that is new for each of them."""

from __future__ import annotations

from typing import Iterator

import pytest

from codepod import Sandbox


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made
