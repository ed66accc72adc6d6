//! A program that locks itself in and then does what `CODEPOD_DRILL` says, for the tests.
//! Arguments: `reads=DIRECTORY`, `writes=DIRECTORY`, `connects=PORT`, `keeps`, `new-code`,
//! `terminal`, `event-loop`.

#![expect(clippy::print_stdout, reason = "a program for tests")]

fn main() -> std::io::Result<()> {
    let mut needs = codepod_jail::Needs::default();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("reads", path)) => needs.reads.push(path.into()),
            Some(("writes", path)) => needs.writes.push(path.into()),
            Some(("connects", port)) => {
                let port = port.parse().map_err(std::io::Error::other)?;
                needs.connects = codepod_jail::Connects::Ports(vec![port]);
            }
            _ => match &*argument {
                "keeps" => needs.keeps = true,
                "new-code" => needs.new_code = true,
                "terminal" => needs.terminal = true,
                "event-loop" => needs.event_loop = true,
                _ => return Err(std::io::ErrorKind::InvalidInput.into()),
            },
        }
    }
    let layers = codepod_jail::begin(needs)?.seal()?;
    println!("{}", layers.names().join(" "));
    Ok(())
}
