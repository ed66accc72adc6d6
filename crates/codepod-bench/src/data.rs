//! The files of the peers' workloads, made anew and always alike: a log, a JSON document, a tree of
//! small files.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Lines of the log: about 50 MB.
const LOG_LINES: u32 = 620_000;
/// The size that the JSON document ends at.
const JSON_BYTES: usize = 9_990_000;
/// The tree: so many directories with so many files each.
const DIRECTORIES: u32 = 100;
const FILES: u32 = 100;

/// Lehmer's generator, which every awk can compute in a double.
struct Lehmer(u64);

impl Lehmer {
    fn next(&mut self) -> u64 {
        self.0 = self.0 * 16_807 % 2_147_483_647;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Writes all of them into a directory: `log50.txt`, `big.json`, `tree/dNN/fNN.txt`.
pub(crate) fn write(directory: &Path) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    std::fs::write(directory.join("log50.txt"), log())?;
    std::fs::write(directory.join("big.json"), json())?;
    for outer in 0..DIRECTORIES {
        let inside = directory.join(format!("tree/d{outer:02}"));
        std::fs::create_dir_all(&inside)?;
        for inner in 0..FILES {
            let word = if (outer * 100 + inner) % 37 == 0 {
                "needle\n"
            } else {
                "hay\n"
            };
            let text = format!("file {outer} {inner}\n{}", word.repeat(4));
            std::fs::write(inside.join(format!("f{inner:02}.txt")), text)?;
        }
    }
    Ok(())
}

fn log() -> String {
    const LEVELS: [&str; 8] = [
        "INFO", "INFO", "INFO", "WARN", "ERROR", "DEBUG", "INFO", "INFO",
    ];
    const METHODS: [&str; 5] = ["GET", "POST", "PUT", "DELETE", "PATCH"];
    const WORDS: [&str; 8] = [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "abracadabra",
        "banana",
        "catalog",
        "database",
    ];
    fn pick<'a>(words: &[&'a str], number: u64) -> &'a str {
        words[number as usize % words.len()]
    }
    let mut text = String::new();
    let mut random = Lehmer(42);
    for _ in 0..LOG_LINES {
        let (a, b) = (random.next(), random.next());
        let _ = writeln!(
            text,
            "2024-{:02}-{:02}T{:02}:{:02}:{:02}Z svc{:02} {} {} user{},{},/api/v1/items/{},{} {}",
            a % 12 + 1,
            a % 28 + 1,
            a % 24,
            b % 60,
            a % 60,
            b % 20,
            a % 5000,
            pick(&LEVELS, b),
            a % 10_000,
            pick(&METHODS, b),
            b % 1000,
            pick(&WORDS, a),
            pick(&WORDS, b),
        );
    }
    text
}

fn json() -> String {
    let mut text = String::from("[");
    let mut random = Lehmer(1);
    let mut id = 0;
    while text.len() < JSON_BYTES {
        if id > 0 {
            text += ", ";
        }
        let _ = write!(
            text,
            r#"{{"id": {id}, "name": "user{}", "age": {}, "active": {}, "score": {}, "tags": ["t{}", "t{}", "t{}"], "#,
            random.below(100_000),
            random.below(90),
            random.below(3) == 0,
            random.below(10_000),
            random.below(50),
            random.below(50),
            random.below(50),
        );
        let _ = write!(
            text,
            r#""addr": {{"city": "c{}", "zip": "{:05}"}}}}"#,
            random.below(200),
            random.below(100_000)
        );
        id += 1;
    }
    text + "]"
}
