"""Errors: a class for each kind."""

from ._errors import (
    BinaryNotFoundError as BinaryNotFoundError,
    ClosedError as ClosedError,
    CodepodError as CodepodError,
    CommandFailedError as CommandFailedError,
    ServerGoneError as ServerGoneError,
)
from ._generated.errors import *  # noqa: F403
