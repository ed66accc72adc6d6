//! `echo_env NAME …` prints the values of variables, one a line; `NAME is unset` for those that are
//! not.

fn main() {
    for name in std::env::args().skip(1) {
        match std::env::var_os(&name) {
            Some(value) => println!("{}", value.display()),
            None => println!("{name} is unset"),
        }
    }
}
