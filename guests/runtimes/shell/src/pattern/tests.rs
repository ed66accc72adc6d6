use super::*;

fn plain(pattern: &str) -> Pattern {
    Pattern::new(pattern.as_bytes(), Options::default())
}

fn extended(pattern: &str) -> Pattern {
    Pattern::new(
        pattern.as_bytes(),
        Options {
            extglob: true,
            nocase: false,
        },
    )
}

#[test]
fn what_bash_matches_matches() {
    for (text, pattern, wanted) in [
        ("", "", true),
        ("", "*", true),
        ("a", "", false),
        ("abc", "a*c", true),
        ("abcd", "a*c", false),
        ("a/b", "a*b", true),
        ("aXbXc", "a*b*c", true),
        ("abab", "*ab", true),
        ("ab", "*ab*", true),
        ("aab", "a*ab", true),
        ("ab", "a*ab", false),
        ("é", "?", true),
        ("é", "[à-ü]", true),
        ("é", "[a-z]", false),
        ("é", "[[:alpha:]]", true),
        ("[a", "[a", true),
        ("[", "[", true),
        ("]", "[]]", true),
        ("]", "[!]]", false),
        ("-", "[a-]", true),
        ("]", "[\\]]", true),
        ("b", "[a-\\c]", true),
        ("a\\", "a\\", true),
        ("ab", "a\\b", true),
        ("*", "\\*", true),
        ("x", "\\*", false),
        ("a", "[[:foo:]]", false),
        ("-", "[[.hyphen.]]", true),
        ("b", "[[=b=]]", true),
        ("[]", "[]", true),
        ("m", "[a-c-z]", false),
        ("-", "[a-c-z]", true),
        ("b", "[c-a]", false),
    ] {
        assert_eq!(
            plain(pattern).matches(text.as_bytes()),
            wanted,
            "{text} {pattern}"
        );
    }
}

#[test]
fn extended_forms_match_as_in_bash() {
    for (text, pattern, wanted) in [
        ("ab", "@(ab|cd)", true),
        ("abcd", "+(ab|cd)", true),
        ("", "*(ab)", true),
        ("", "+(ab)", false),
        ("ababx", "*(ab)x", true),
        ("b", "?(a)b", true),
        ("ab", "?(a)b", true),
        ("aab", "?(a)b", false),
        ("foo.c", "!(*.o)", true),
        ("foo.o", "!(*.o)", false),
        ("foo.o", "!(*.c).o", true),
        ("", "!(a)", true),
        ("aaaab", "*(a|aa|aaa)b", true),
        ("abc", "@(a|ab)@(bc|c)", true),
        ("a|b", "@(a\\|b)", true),
        ("@(a", "@(a", true),
        ("x)", "@([)]|x))", true),
    ] {
        assert_eq!(
            extended(pattern).matches(text.as_bytes()),
            wanted,
            "{text} {pattern}"
        );
    }
}

#[test]
fn shortest_and_longest_prefixes_and_suffixes() {
    let text = b"a/b/c/d";
    assert_eq!(plain("*/").prefix(text, false), Some(2));
    assert_eq!(plain("*/").prefix(text, true), Some(6));
    assert_eq!(plain("/*").suffix(text, false), Some(5));
    assert_eq!(plain("/*").suffix(text, true), Some(1));
    assert_eq!(plain("*").prefix(text, false), Some(0));
    assert_eq!(plain("*").prefix(text, true), Some(7));
    assert_eq!(plain("*").suffix(text, false), Some(7));
    assert_eq!(plain("*").suffix(text, true), Some(0));
    assert_eq!(plain("a*b*c").prefix(b"aabbcc", false), Some(5));
    assert_eq!(plain("a*b*c").prefix(b"aabbcc", true), Some(6));
    assert_eq!(plain("a*b*c").suffix(b"aabbcc", false), Some(1));
    assert_eq!(plain("a*b*c").suffix(b"aabbcc", true), Some(0));
    assert_eq!(plain("x*").prefix(text, true), None);
    assert_eq!(extended("+(b|c)").suffix(b"abcbc", true), Some(1));
    assert_eq!(extended("+(b|c)").suffix(b"abcbc", false), Some(4));
    assert_eq!(extended("!(a)").prefix(b"abc", false), Some(0));
}

#[test]
fn a_part_is_found_leftmost_and_longest() {
    assert_eq!(plain("b*d").find(b"abcdbcd", 0), Some((1, 7)));
    assert_eq!(plain("?").find("é".as_bytes(), 0), Some((0, 2)));
    assert_eq!(plain("[0-9]").find(b"abc5", 0), Some((3, 4)));
    assert_eq!(plain("").find(b"abc", 0), Some((0, 0)));
    assert_eq!(extended("+([0-9])").find(b"ab123c", 0), Some((2, 5)));
    assert_eq!(extended("@(ab|abc)").find(b"xabcd", 0), Some((1, 4)));
    assert_eq!(plain("needle").find(b"hay needle hay", 0), Some((4, 10)));
    assert_eq!(plain("needle").find(b"hay needle hay", 5), None);
}

#[test]
fn nested_stars_take_no_exponential_time() {
    let text = vec![b'a'; 20_000];
    assert!(!plain("*a*a*a*a*a*a*a*a*a*b").matches(&text));
    assert!(plain("a*b*c").find(&text, 0).is_none());
    let text = vec![b'a'; 200];
    assert!(!extended("*(*(*(a)))b").matches(&text));
    assert!(!extended("+(a|aa|aaa|*)+(a|aa)b").matches(&text));
}

#[test]
fn case_is_folded_for_letters_and_ranges_only() {
    let matches = |text: &str, pattern: &str| {
        Pattern::new(
            pattern.as_bytes(),
            Options {
                extglob: false,
                nocase: true,
            },
        )
        .matches(text.as_bytes())
    };
    assert!(matches("ABC", "a*C"));
    assert!(matches("É", "é"));
    assert!(matches("B", "[a-c]") && matches("b", "[A-C]"));
    assert!(!matches("a", "[[:upper:]]") && !matches("A", "[[:lower:]]"));
    assert!(!matches("x", "[!X]"));
}

#[test]
fn only_what_can_match_differently_is_a_pattern() {
    assert!(is_pattern(b"a*", false) && is_pattern(b"[a]", false) && is_pattern(b"?", false));
    assert!(!is_pattern(b"[", false) && !is_pattern(b"a\\*", false) && !is_pattern(b"]", false));
    assert!(is_pattern(b"@(a)", true) && !is_pattern(b"@(a)", false));
}
