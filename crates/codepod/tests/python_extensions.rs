//! Host commands as Python sees them: `_codepod`.

use codepod::{HostCommand, Options, Sandbox};

fn shop() -> Sandbox {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let command = HostCommand::new("shop", |mut call| async move {
        let method = call.args_text().join(" ");
        let input = call.read_all().await.unwrap_or_default();
        match method.as_str() {
            "echo" => call.write(&input).await.is_err().into(),
            "greet" => call.write(b"hello you\n").await.is_err().into(),
            other => {
                let text = format!("shop: {other}: not sold here\n");
                let _ = call.write_error(text.as_bytes()).await;
                3
            }
        }
    });
    sandbox.register(command).unwrap();
    sandbox
}

fn python(sandbox: &Sandbox, program: &str) -> String {
    let command = sandbox.command(["python3", "-c", program]);
    let result = command.run_blocking().unwrap();
    let errors = String::from_utf8_lossy(&result.stderr);
    format!("{}{errors}", String::from_utf8_lossy(&result.stdout))
}

#[test]
fn a_method_is_called_with_its_arguments() {
    let program = "import _codepod\n\
        print(_codepod.extension_call('shop', 'echo', fruit='fig', list=[1, None]))\n\
        print(_codepod.extension_call('shop', 'greet'))";
    assert_eq!(
        python(&shop(), program),
        "{'fruit': 'fig', 'list': [1, None]}\nhello you\n"
    );
}

#[test]
fn a_command_can_be_imported() {
    let program =
        "import shop\nprint(shop.echo(n=3), shop.greet())\nfrom shop import greet\nprint(greet())";
    assert_eq!(python(&shop(), program), "{'n': 3} hello you\nhello you\n");
    let cold = shop().run_blocking("python3 -O -c 'import shop; print(shop.greet())'");
    assert_eq!(cold.unwrap().stdout, b"hello you\n");
}

#[test]
fn what_is_no_extension_says_so() {
    let program = "from _codepod import is_extension\n\
        print(*map(is_extension, ['shop', 'ls', 'nothing', '', '../bin/shop', 'a\\0b', None]))\n\
        try: import nothing\n\
        except ModuleNotFoundError as e: print(e)\n\
        import _codepod\n\
        try: _codepod.extension_call('ls', 'x')\n\
        except LookupError as e: print(e)\n\
        try: _codepod.extension_call('shop', '--help')\n\
        except ValueError as e: print(e)";
    assert_eq!(
        python(&shop(), program),
        "True False False False False False False\nNo module named 'nothing'\nno host command is called 'ls'\nnot the name of a method: '--help'\n"
    );
}

#[test]
fn a_failure_is_an_exception() {
    let program = "import shop, _codepod\n\
        try: shop.steal(what='fig')\n\
        except _codepod.ExtensionError as e: print(e, e.status, repr(e.stderr))";
    assert_eq!(
        python(&shop(), program),
        "shop steal: shop: steal: not sold here (status 3) 3 'shop: steal: not sold here\\n'\n"
    );
}
