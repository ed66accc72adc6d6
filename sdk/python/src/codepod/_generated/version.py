# Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.
"""The package's version."""

VERSION = "0.1.0"
