//! `date NOW FORMAT FORM…` on the machine itself: what forms mean, a line each. For comparing with
//! GNU's date.

use codepod_datetime::{Moment, Zone, format, parse};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let now = arguments
        .next()
        .and_then(|now| now.parse().ok())
        .unwrap_or(0);
    let form = arguments.next().unwrap_or_default();
    let zone = Zone::from_environment();
    for text in std::io::stdin().lines().map_while(Result::ok) {
        let moment = parse(
            text.as_bytes(),
            Moment {
                seconds: now,
                nanoseconds: 0,
            },
            &zone,
        );
        let shown = moment.map_or("invalid".into(), |moment| {
            format(form.as_bytes(), moment, &zone)
        });
        #[expect(clippy::print_stdout, reason = "it is a program")]
        {
            println!("{}", String::from_utf8_lossy(&shown));
        }
    }
}
