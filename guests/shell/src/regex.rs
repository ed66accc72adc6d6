//! POSIX extended regular expressions for `[[ =~ ]]`: leftmost, longest.
