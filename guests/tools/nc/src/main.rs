//! `nc`: connects, listens and carries bytes, as OpenBSD's does in Debian.

mod arguments;
mod carry;
mod connect;
mod listen;
mod say;

codepod_tool::tools! {
    "nc": nc, "connect to a port or a socket, or listen on one";
}

/// nc as a tool.
fn nc(_: &str, arguments: codepod_tool::Arguments) -> i32 {
    match arguments::read(arguments) {
        Ok(arguments::Wanted::Help) => arguments::help(),
        Ok(arguments::Wanted::Plan(plan)) if plan.listens => listen::run(&plan),
        Ok(arguments::Wanted::Plan(plan)) => connect::run(&plan),
        Err(status) => status,
    }
}
