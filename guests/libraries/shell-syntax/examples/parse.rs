//! Parses a script from standard input and shows the trees, or the time it took (`--time`), or
//! nothing but errors (`--check`).

use std::io::{Read, Write};

use codepod_shell_syntax::tree::CommandKind;
use codepod_shell_syntax::{Options, Parser, print};

fn main() {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).unwrap_or(0);
    let mode = std::env::args().nth(1).unwrap_or_default();
    let options = Options {
        extglob: std::env::args().any(|argument| argument == "--extglob"),
        ..Options::default()
    };
    let start = std::time::Instant::now();
    let mut parser = Parser::new(&text, options);
    let mut commands = 0;
    loop {
        match parser.next(&()) {
            Ok(None) => break,
            Ok(Some(list)) => {
                commands += list.items.len();
                if mode == "--print" {
                    for item in &list.items {
                        if let [command] = item.first.stages.as_slice()
                            && let CommandKind::Function(function) = &command.kind
                        {
                            let mut text = print::function(function);
                            text.push(b'\n');
                            std::io::stdout().write_all(&text).unwrap_or(());
                        }
                    }
                }
                if mode == "--tree" {
                    println!("{list:#?}");
                }
            }
            Err(error) => {
                for line in error.lines() {
                    println!("line {}: {}", error.line, String::from_utf8_lossy(&line));
                }
                break;
            }
        }
    }
    for warning in parser.take_warnings() {
        println!(
            "line {}: warning: {}",
            warning.line,
            String::from_utf8_lossy(&warning.message)
        );
    }
    if mode == "--time" {
        let time = start.elapsed();
        println!(
            "{commands} commands, {:.1} MB/s",
            text.len() as f64 / 1e6 / time.as_secs_f64()
        );
    }
}
