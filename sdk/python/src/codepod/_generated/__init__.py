"""Made by `cargo xtask generate` from crates/codepod-api."""
