//! The other commands, and arguments that make no sense.

mod support;

use std::io::{BufRead as _, Write as _};
use std::process::Stdio;

use support::Directory;

#[test]
fn tools_are_listed_and_told_about() {
    let here = Directory::new();
    let list = here.says(&["tools"]);
    assert!(list.lines().any(|line| line.starts_with("sed ")), "{list}");
    let sed = here.says(&["tools", "sed"]);
    assert!(sed.contains("-i"), "{sed}");
    here.fails(
        &["tools", "no-such-tool"],
        125,
        "there is no tool `no-such-tool`",
    );
    here.fails(&["tools", "perl"], 125, "use `sed -E`");
    let absent = here.says(&["tools", "--absent"]);
    assert!(absent.starts_with("aria2c, http"), "{absent}");
    let one = here.says(&["tools", "--absent", "vim"]);
    assert!(one.starts_with("vim: there is no editor"), "{one}");
    let json = here.says(&["tools", "--json"]);
    assert!(json.contains(r#""name":"sed""#), "{json}");
}

#[test]
fn doctor_says_what_is_missing_with_status_1() {
    let here = Directory::new();
    let (status, stdout, stderr) = here.codepod(&["doctor"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    for what in [
        "processor",
        "memory",
        "cache",
        "states",
        "guests",
        "code",
        "run",
    ] {
        assert!(stdout.contains(what), "{what} is not in {stdout}");
    }
    let mut limited = std::process::Command::new("bash");
    limited.args(["-c", "ulimit -v 8000000; exec \"$0\" doctor --json"]);
    let (status, stdout, _) = support::ends(limited.arg(support::program()), "");
    assert_eq!(status, 1, "{stdout}");
    assert!(stdout.contains("ulimit -v unlimited"), "{stdout}");
}

#[test]
fn completions_are_scripts_of_their_shells() {
    let here = Directory::new();
    for (shell, part) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef codepod"),
        ("fish", "complete -c codepod"),
    ] {
        let script = here.says(&["completions", shell]);
        assert!(script.contains(part), "{shell}");
    }
    here.fails(
        &["completions", "csh"],
        2,
        "there are `bash`, `zsh` and `fish`",
    );
}

#[test]
fn manual_pages_are_written_into_a_directory() {
    let here = Directory::new();
    let pages = here.path("man/man1");
    assert_eq!(here.says(&["manual", &pages.display().to_string()]), "");
    let page = std::fs::read_to_string(pages.join("codepod-run.1")).unwrap();
    assert!(page.contains("\\-\\-state"), "{page}");
    let in_the_way = here.path("man/man1/codepod-run.1").display().to_string();
    here.fails(&["manual", &in_the_way], 125, "name a directory");
}

/// A program that was built without parts has none; one that is as it is shipped carries some.
#[test]
fn parts_are_listed_and_what_is_none_is_refused() {
    let here = Directory::new();
    let list = here.says(&["parts"]);
    if list.contains("there are no parts") {
        assert_eq!(here.says(&["parts", "--json"]), "[]\n");
        here.fails(&["parts", "remove", "python"], 125, "no part `python`");
    } else {
        assert!(list.contains("in this program"), "{list}");
        let json = here.says(&["parts", "--json"]);
        assert!(json.contains("\"carried\":true"), "{json}");
        here.fails(&["parts", "remove", "core"], 125, "carries");
    }
    here.fails(&["parts", "remove", "nothing"], 125, "no part `nothing`");
    std::fs::write(here.path("x.part"), "x").unwrap();
    let file = here.path("x.part").display().to_string();
    here.fails(&["parts", "add", &file], 125, "is not a part of codepod");
    here.fails(&["parts", "add", "nowhere.part"], 125, "nowhere.part");
    let address = "scheme://place/python.part";
    here.fails(&["parts", "add", address], 125, "not fetched");
}

#[test]
fn a_lock_file_fills_the_downloads_of_a_server() {
    let here = Directory::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = std::io::BufReader::new(stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if reader.read_line(&mut head).unwrap_or(0) == 0 {
                    break;
                }
            }
            let (status, body) = match head.split(' ').nth(1) {
                Some("/simple/one/") => ("200 OK", "<a href='/f/one-1.0-py3-none-any.whl'>one</a>"),
                Some("/simple/two/") => ("200 OK", "<a href='/f/two-1.0.tar.gz'>two</a>"),
                Some("/f/one-1.0-py3-none-any.whl") => ("200 OK", "wheel"),
                _ => ("404 Not Found", ""),
            };
            let length = body.len();
            let reply = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nETag: \"1\"\r\n\
                 Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            let _ = reader.into_inner().write_all(reply.as_bytes());
        }
    });
    let directory = here.path("downloads").display().to_string();
    let config = format!(
        "[network]\nallowed_hosts = []\nhosts = {{ \"index.test\" = \"{at}\" }}\n\
         [network.downloads]\ndirectory = '{directory}'\nfrom = [\"http://index.test\"]\n\
         offline = true\n"
    );
    std::fs::write(here.path("codepod.toml"), config).unwrap();
    std::fs::write(here.path("requirements.txt"), "one==1.0\n").unwrap();
    let pull = |lock: &'static str, index: &'static str| {
        let config = ["cache", "pull", "--config", "codepod.toml"];
        [&config[..], &["--index-url", index, lock]].concat()
    };
    let index = "http://index.test/simple";
    assert_eq!(
        here.says(&pull("requirements.txt", index)),
        "fetched one-1.0-py3-none-any.whl (5 bytes)\n1 of 1 packages are kept\n"
    );
    std::fs::write(here.path("more.txt"), "one==1.0\ntwo==1.0\n").unwrap();
    let (status, stdout, stderr) = here.codepod(&pull("more.txt", index));
    assert_eq!(status, 1, "{stderr}");
    assert!(stdout.ends_with("1 of 2 packages are kept\n"), "{stdout}");
    assert!(
        stderr.contains("two 1.0: there is no pure wheel"),
        "{stderr}"
    );
    std::fs::write(here.path("poetry.lock"), "").unwrap();
    here.fails(&pull("poetry.lock", index), 125, "that is no lock file");
    here.fails(&pull("none.txt", index), 125, "none.txt");
    let other = "http://other.test/simple";
    here.fails(&pull("more.txt", other), 125, "is not kept");
}

#[test]
fn licences_of_what_it_contains_are_told() {
    let here = Directory::new();
    let list = here.says(&["licenses", "--list"]);
    for name in ["wasmtime ", "jq 1.7.1: ", "numpy ", "cpython ", "ripgrep "] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}");
    }
    let all = here.says(&["licenses"]);
    assert!(all.contains(&list) && all.contains("Permission is hereby granted"));
}

#[test]
fn every_command_has_help_with_examples() {
    let here = Directory::new();
    let help = here.says(&["--help"]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| line.starts_with("  "));
    let names: Vec<&str> = names
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        names.contains(&"shell") && names.contains(&"doctor"),
        "{names:?}"
    );
    for name in names
        .iter()
        .filter(|name| !["help", "rpc", "mcp", "serve"].contains(*name))
    {
        let help = here.says(&[name, "--help"]);
        assert!(help.contains("Examples:\n  codepod"), "{name}: {help}");
    }
}

#[test]
fn arguments_that_make_no_sense_are_refused_with_a_hint() {
    let here = Directory::new();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["runn"], 2, "unrecognized subcommand 'runn'"),
        (&["run", "--nope", "x"], 2, "unexpected argument '--nope'"),
        (&["run", "--mount", "x", "true"], 2, "write HOST:GUEST"),
        (
            &["run", "--mount", ".:relative", "true"],
            2,
            "must be absolute",
        ),
        (
            &["run", "--mount", "/nope:/w", "true"],
            125,
            "cannot mount at `/w`",
        ),
        (
            &["run", "--mount", "/etc/hostname:/w", "true"],
            125,
            "cannot mount at `/w`",
        ),
        (
            &["run", "--mount", ".:/work:rx", "true"],
            2,
            "ro, rw or overlay",
        ),
        (&["run", "--env", "=x", "true"], 2, "write NAME=VALUE"),
        (&["run", "--timeout", "x", "true"], 2, "write seconds"),
        (&["run", "--timeout=-1", "true"], 2, "write seconds"),
        (&["run", "--timeout", "inf", "true"], 2, "write seconds"),
        (&["run", "--disk", "1t", "true"], 2, "whole number"),
        (&["run", "--processes", "0", "true"], 2, "1..=1024"),
        (&["run", "--memory", "0", "true"], 2, "1 to 4096"),
        (
            &["run", "--memory", "99999999999999999999", "true"],
            2,
            "whole number of megabytes",
        ),
        (&["run", "--profile", "x", "true"], 2, "there are `small`"),
        (&["shell"], 125, "needs a terminal"),
        (&["python", "--session", "a/b", "1"], 125, "letters, digits"),
        (
            &["python", "--state", "a", "--env", "A=b", "1"],
            2,
            "cannot be used with",
        ),
        (&["states", "nope"], 2, "nope"),
        (&["states", "export"], 2, "NAME"),
        (&["undo", "a", "x"], 2, "invalid"),
        (&["exec"], 2, "TOOL"),
        (&["exec", "--bogus", "--", "true"], 125, "`--bogus`"),
    ];
    for (arguments, status, what) in cases {
        here.fails(arguments, *status, what);
    }
}

#[test]
fn a_script_has_no_input_where_we_have_none() {
    let here = Directory::new();
    let script = "[ -p /dev/stdin ] && echo pipe; cat";
    let null = here
        .command()
        .args(["run", script])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(null.stdout, b"");
    let (_, piped, _) = here.codepod_with(&["run", script], "text\n");
    assert_eq!(piped, "pipe\ntext\n");
    // So a search without a path looks at the files, as at a terminal.
    let script = "echo needle > f; rg needle; grep -r needle";
    let found = here
        .command()
        .args(["run", script])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(found.stdout).unwrap(),
        "f:needle\nf:needle\n"
    );
}

#[test]
fn ap_11_a_pipe_gets_the_bytes_as_they_are() {
    let here = Directory::new();
    let output = here
        .command()
        .args(["run", "printf '\\e]0;x\\a\\xff'"])
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"\x1b]0;x\x07\xff");
}
