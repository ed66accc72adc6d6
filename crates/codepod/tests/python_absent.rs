//! What Python does not have here ends with one line that says so, and what to do instead.

mod support;

use support::sandbox;

/// The last line that a program in Python writes, and how many lines there were.
fn last_line(program: &str) -> (String, usize) {
    let result = sandbox().command(["python3", "-c", program]).run_blocking();
    let result = result.unwrap();
    let said = result.stderr_text();
    assert_eq!(result.exit_code, 1, "{program}\n{said}");
    let last = said.lines().last().unwrap_or_default();
    (last.to_owned(), said.lines().count())
}

#[test]
fn without_a_network_programs_end_with_a_line_that_says_so() {
    for program in [
        "import requests; requests.get('https://example.com/a')",
        "import httpx; httpx.get('https://example.com/a')",
        "import urllib.request as u; u.urlopen('https://example.com/a')",
        "import socket; socket.create_connection(('example.com', 80))",
        "import socket; socket.socket().connect(('192.0.2.1', 80))",
        "import asyncio; asyncio.run(asyncio.open_connection('example.com', 80))",
        "import smtplib; smtplib.SMTP('example.com')",
        "import ssl; ssl.get_server_certificate(('example.com', 443))",
    ] {
        let (line, count) = last_line(program);
        assert!(
            line.contains(" is beyond the sandbox, which has no network)"),
            "{program}\n{line}"
        );
        assert!(count < 50, "{program}: {count} lines");
    }
}

#[test]
fn what_tls_cannot_do_here_says_so() {
    for (program, expected) in [
        (
            "ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).wrap_bio(\
             ssl.MemoryBIO(), ssl.MemoryBIO(), server_side=True).do_handshake()",
            "NotImplementedError: a server inside cannot speak TLS; serve http, or whatever it is, without TLS",
        ),
        (
            "ssl.create_default_context().keylog_filename = '/tmp/keys'",
            "NotImplementedError: the keys of a connection cannot be logged",
        ),
        (
            "ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).set_psk_client_callback(print)",
            "NotImplementedError: TLS with keys that both sides know beforehand (PSK)",
        ),
        (
            "context = ssl.create_default_context(); context.maximum_version = ssl.TLSVersion.TLSv1_1\n\
             context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname='a').do_handshake()",
            "ssl.SSLError: [SSL: NO_PROTOCOLS_AVAILABLE] no protocols available (codepod: the gateway speaks TLS 1.2 and 1.3)",
        ),
        (
            "a, b = socket.socketpair(); b.send(b'HTTP/1.1 400 Bad Request')\n\
             ssl.create_default_context().wrap_socket(a, server_hostname='a')",
            "ssl.SSLError: [SSL: WRONG_VERSION_NUMBER] wrong version number (codepod: TLS is the gateway's",
        ),
    ] {
        let (line, _) = last_line(&format!("import socket, ssl\n{program}"));
        assert!(line.contains(expected), "{program}\n{line}");
    }
}

#[test]
fn what_needs_no_network_of_sockets_works() {
    let program = "import socket, ssl\na, b = socket.socketpair(); a.send(b'hi'); print(b.recv(9))\n\
        print(socket.gethostbyname('localhost'), socket.gethostname(), socket.inet_aton('1.2.3.4'))\n\
        print(socket.getaddrinfo('1.2.3.4', '80', type=socket.SOCK_STREAM)[0][4])";
    let result = sandbox().command(["python3", "-c", program]).run_blocking();
    let result = result.unwrap();
    assert_eq!(
        result.stdout_text(),
        "b'hi'\n127.0.0.1 sandbox b'\\x01\\x02\\x03\\x04'\n('1.2.3.4', 80)\n",
        "{}",
        result.stderr_text()
    );
}

#[test]
fn what_is_not_built_says_what_to_do_instead() {
    for (program, expected) in [
        (
            "import ctypes",
            "No module named '_ctypes' (not in this sandbox: native libraries cannot be loaded",
        ),
        (
            "import termios; termios.tcgetattr(0)",
            "termios.error: (25, 'a terminal has no settings in this sandbox; input()",
        ),
        (
            "import readline",
            "No module named 'readline' (not in this sandbox: ",
        ),
        (
            "import curses",
            "No module named 'curses' (not in this sandbox: there is no screen",
        ),
        (
            "import multiprocessing as m; m.Pool(2)",
            "cannot be split, so multiprocessing does not work: use subprocess",
        ),
        (
            "import multiprocessing as m; m.Process(target=print).start()",
            "cannot be split, so multiprocessing does not work",
        ),
        (
            "import concurrent.futures as f; f.ProcessPoolExecutor(2)",
            "cannot be split, so multiprocessing does not work",
        ),
    ] {
        let (line, _) = last_line(program);
        assert!(line.contains(expected), "{program}\n{line}");
    }
    // Programs that choose another way see the usual error.
    let program = "try:\n    import readline\nexcept ImportError as e:\n    print(e, e.name)\n\
        import importlib.util; print(importlib.util.find_spec('readline'))";
    let result = sandbox().command(["python3", "-c", program]).run_blocking();
    assert_eq!(
        result.unwrap().stdout_text(),
        "No module named 'readline' readline\nNone\n"
    );
}

#[test]
fn pip_says_in_one_line_that_there_is_no_network() {
    for (package, expected) in [
        (
            "nosuchpkg",
            "ERROR: nosuchpkg: not installed, and this sandbox has no network to fetch it from; `pip list`",
        ),
        ("'requests<1'", "ERROR: requests<1: version 2."),
    ] {
        let result = sandbox().run_blocking(format!("pip install {package}"));
        let result = result.unwrap();
        assert_eq!(result.exit_code, 1);
        let said = result.stderr_text();
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let result = sandbox().run_blocking("pip install requests numpy -q && echo fine");
    assert_eq!(
        result.unwrap().stdout_text(),
        "fine\n",
        "what is there is enough"
    );
}

#[test]
fn the_console_does_not_complain() {
    let program = "import _pyrepl.main as console; print([console.FAIL_REASON])";
    let result = sandbox().command(["python3", "-c", program]).run_blocking();
    assert_eq!(result.unwrap().stdout_text(), "['']\n");
}
