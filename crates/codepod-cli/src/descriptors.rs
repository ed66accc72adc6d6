//! Descriptors of this process, for commands that serve many at a time.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Lets this process have as many as the machine grants it. Shells begin with few, for the sake of
/// old programs.
pub(crate) fn raise() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        // Where it may not, what was granted has to do.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_descriptors_as_the_machine_grants() {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        setrlimit(Resource::RLIMIT_NOFILE, hard.min(100), hard).unwrap();
        raise();
        assert_eq!(getrlimit(Resource::RLIMIT_NOFILE).unwrap(), (hard, hard));
    }
}
