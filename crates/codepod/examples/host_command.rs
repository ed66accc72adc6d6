//! A function of yours as a command of the sandbox: in pipelines, in scripts, in `help`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use codepod::{HostCommand, Options, Sandbox};

fn main() -> Result<(), codepod::Error> {
    let sandbox = Sandbox::create(Options::default())?;
    let lookup = HostCommand::new("lookup", |mut call| async move {
        let prices = [("apple", 3), ("pear", 4)];
        for name in call.args_text() {
            println!("the sandbox asks for {name}");
        }
        let word = call
            .args_text()
            .first()
            .map(|word| word.to_string())
            .unwrap_or_default();
        match prices.iter().find(|(name, _)| *name == word) {
            Some((_, price)) => call
                .write(format!("{price}\n").as_bytes())
                .await
                .is_err()
                .into(),
            None => {
                let _ = call
                    .write_error(format!("lookup: {word}: unknown\n").as_bytes())
                    .await;
                1
            }
        }
    });
    sandbox.register(
        lookup
            .description("the price of a fruit")
            .usage("usage: lookup FRUIT"),
    )?;

    let script = "for f in apple pear; do echo \"$f $(lookup $f)\"; done | sort -k2 -rn; lookup fig || echo none";
    let result = sandbox.run_blocking(script)?;
    assert_eq!(result.stdout, b"pear 4\napple 3\nnone\n");
    Ok(())
}
