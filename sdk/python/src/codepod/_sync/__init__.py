# Made by `cargo xtask generate` from sdk/python/src/codepod/_async/__init__.py. Changes here are lost.
"""The client, asynchronous. `cargo xtask generate` makes the blocking one, `_sync`, from it."""
