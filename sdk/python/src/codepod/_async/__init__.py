"""The client, asynchronous. `cargo xtask generate` makes the blocking one, `_sync`, from it."""
