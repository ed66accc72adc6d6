"""What methods take and give back."""

from ._generated.types import *  # noqa: F403
