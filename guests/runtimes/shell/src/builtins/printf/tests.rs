//! `printf` against the real one.

use super::super::testing::compare;

fn printf<'a>(words: &[&'a str]) -> Vec<&'a [u8]> {
    let mut arguments = vec![&b"printf"[..]];
    arguments.extend(words.iter().map(|word| word.as_bytes()));
    arguments
}

#[test]
fn strings_and_numbers_print_as_in_bash() {
    let formats = [
        "%s", "%5s", "%-5s|", "%.1s", "%5.1s", "%05s", "%c", "%5c", "%-5c|", "%d", "%5d", "%05d",
        "%-5d|", "%+d", "% d", "%+ d", "%.3d", "%8.3d", "%08.3d", "%.0d", "%i", "%u", "%o", "%#o",
        "%#5o", "%x", "%#x", "%#010x", "%X", "%#X", "%hhd", "%lld", "%'d", "%b", "%5b", "%q",
        "%10q", "%.3q", "%Q", "%.2Q", "%-8Q|", "%%", "%5%", "%y", "%", "%5", "%.", "%-", "%z",
        "%l",
    ];
    let values = [
        "",
        "abc",
        "é",
        "0",
        "1",
        "-1",
        "42",
        "007",
        "08",
        "0x1f",
        "0xg",
        "0x",
        "+5",
        " 7",
        "7 ",
        "'a",
        "\"é",
        "'",
        "12x",
        "1e3",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "a b",
        "a\\tb",
        "x\\cy",
        "\\0101",
        "\\x41",
        "\\u00e9",
        "\\x",
        "--",
        "-",
        "日本",
        "a\nb",
        "~x",
        "$x",
        "0x8000000000000000",
    ];
    compare(
        formats
            .iter()
            .flat_map(|format| values.iter().map(|value| printf(&["--", format, value]))),
    );
}

#[test]
fn numbers_with_a_fraction_print_as_in_bash() {
    let formats = [
        "%f", "%.0f", "%.1f", "%.3f", "%.20f", "%.40f", "%10.2f|", "%-10.2f|", "%010.2f", "%+f",
        "% f", "%#.0f", "%F", "%e", "%.0e", "%.10e", "%.25e", "%#.0e", "%E", "%g", "%.0g", "%.3g",
        "%.20g", "%.30g", "%#g", "%#.3g", "%G", "%a", "%.0a", "%.1a", "%.5a", "%.20a", "%A",
        "%020a", "%-20a|", "%#a", "%Lf",
    ];
    let values = [
        "0",
        "-0",
        "1",
        "-1",
        "0.1",
        "0.5",
        "1.5",
        "2.5",
        "-2.5",
        "0.25",
        "0.125",
        "1.005",
        "2.675",
        "3.14159265358979323846",
        "1e10",
        "1e15",
        "1e16",
        "1e17",
        "1e20",
        "1e30",
        "1e100",
        "1e300",
        "1e4000",
        "1e4932",
        "1.2e4932",
        "1e5000",
        "1e-5",
        "1e-4",
        "1e-10",
        "1e-300",
        "1e-4932",
        "1e-4940",
        "1e-4950",
        "3.6e-4951",
        "1e-4951",
        "1e-5000",
        "123456789",
        "123456789012345678901234567890",
        "99999.5",
        "999999.5",
        "0.00001234",
        "9.9999999",
        "9.5",
        "0.95",
        "0.05",
        "inf",
        "-inf",
        "INFINITY",
        "nan",
        "-nan",
        "NaN(abc)",
        "nan(",
        "0x1p3",
        "0x1.8",
        "0x.8p1",
        "0x1.ffffffffffffffffp0",
        "0x1.ffffffffffffffff8p0",
        "0x1p-16445",
        "0x1p-16446",
        "0x1.8p-16446",
        "0x1p16383",
        "0x1p16384",
        "0x",
        "0xp1",
        "1e",
        "1e+",
        ".5",
        "5.",
        ".",
        "abc",
        "1.5x",
        "",
        " 1",
        "1 ",
        "'a",
        "1_0",
        "1,5",
        "0.1e1",
        "00012.50",
        "1e0000000000000000003",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551617",
        "36893488147419103233",
        "0.30000000000000004",
        "1.7976931348623157e308",
    ];
    compare(
        formats
            .iter()
            .flat_map(|format| values.iter().map(|value| printf(&[format, value])))
            // Where rounding adds a digit, glibc forgets the zeros that `#` asks for.
            .filter(|words| !matches!(words[..], [_, b"%#g", b"999999.5"])),
    );
}

#[test]
fn formats_are_used_again_and_arguments_may_be_missing() {
    compare([
        printf(&["%s-%s\\n", "a", "b", "c"]),
        printf(&["%s %d %f %c %b %q %x|"]),
        printf(&["x", "a", "b"]),
        printf(&["", "a"]),
        printf(&[]),
        printf(&["--"]),
        printf(&["-v"]),
        printf(&["-z"]),
        printf(&["-v", "1a", "x"]),
        printf(&["-v", "a[", "x"]),
        printf(&["-v", "a[]", "x"]),
        printf(&[
            "%*d|%-*d|%.*f|%*d",
            "5",
            "1",
            "5",
            "2",
            "3",
            "1.5",
            "-5",
            "3",
        ]),
        printf(&["%*s|%.*s|%.*s", "-6", "abc", "2", "abc", "-1", "abc"]),
        printf(&["%*d", "abc", "3"]),
        printf(&["%s%b%s|", "1", "2\\c", "3", "4"]),
        printf(&["\\a\\b\\e\\f\\n\\r\\t\\v\\\\\\\"\\'\\?\\101\\0101\\x41\\u00e9\\U1F600\\q\\c"]),
        printf(&["\\x\\u\\U\\"]),
        printf(&["%n", "1a"]),
        printf(&["%1$s", "a"]),
        printf(&["%5.3.2d", "1"]),
        printf(&["%99999999999d|%.99999999999s|%99999999999s|", "1", "2", "3"]),
    ]);
}

#[test]
fn times_print_as_in_bash() {
    let letters = "aAbBcCdDeEFgGhHIjklmMnNOpPqrRsStTuUvVwWxXyYzZ%+L";
    let flags = [
        "", "5", "_", "-", "0", "^", "#", "010", "_10", "-10", "E", "O", "^#", "3",
    ];
    let mut formats = Vec::new();
    for letter in letters.chars() {
        for flag in flags {
            formats.push(format!("[%(%{flag}{letter})T]"));
        }
    }
    for extra in [
        "%()T",
        "%(abc",
        "%(%Y)D|",
        "%5(%Y)T|",
        "%-9(%Y)T|",
        "%.2(%Y)T|",
        "%((a))T",
        "%(a\\)b)T",
        "%(%)T",
        "%(%5)T",
    ] {
        formats.push(extra.to_owned());
    }
    let times = [
        "0",
        "1234567890",
        "-1234567890",
        "951782400",
        "1104537600",
        "1230768000",
        "-62135596800",
        "-62200000000",
        "253402300800",
        "67768036191676800",
        "x",
    ];
    let all: Vec<(&String, &str)> = formats
        .iter()
        .enumerate()
        .flat_map(|(number, format)| {
            let count = if number % 14 == 0 || number >= letters.len() * 14 {
                times.len()
            } else {
                2
            };
            times.iter().take(count).map(move |time| (format, *time))
        })
        .collect();
    compare(all.iter().map(|(format, time)| printf(&[format, time])));
}
