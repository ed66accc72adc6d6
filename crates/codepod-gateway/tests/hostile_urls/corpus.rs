//! The URLs, made by rule, the same ones in every run.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The one host that is granted.
pub(crate) const GOOD: &str = "good.test";

/// URLs in order, each once.
pub(crate) struct Corpus {
    /// Those that lead to another host than [`GOOD`] for somebody, or nowhere.
    pub(crate) refused: BTreeSet<String>,
    /// Those that may be read as [`GOOD`], or not at all, but as nothing else.
    pub(crate) doubtful: BTreeSet<String>,
}

/// Addresses that no sandbox may reach here: of this host, of its networks, of clouds, of nobody,
/// and a public one that no rule has.
const V4: &[[u8; 4]] = &[
    [127, 0, 0, 1],
    [127, 255, 255, 254],
    [0, 0, 0, 0],
    [10, 0, 0, 1],
    [169, 254, 169, 254],
    [169, 254, 170, 2],
    [192, 168, 1, 1],
    [172, 16, 0, 1],
    [100, 100, 100, 200],
    [168, 63, 129, 16],
    [192, 0, 0, 192],
    [224, 0, 0, 1],
    [255, 255, 255, 255],
    [8, 8, 8, 8],
];

const V6: &[&str] = &[
    "::1",
    "::",
    "fe80::1",
    "fe80::a9fe:a9fe",
    "fc00::1",
    "fd00:ec2::254",
    "fd00:c1::a9fe:a9fe",
    "fd20:ce::254",
    "ff02::1",
    "fec0::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2001::1",
    "64:ff9b:1::1",
    "100::1",
    "2600::5efe:7f00:1",
    "2606:4700:4700::1111",
];

/// URLs with `E` for another host and `G` for the granted one, that are never the granted one's.
#[rustfmt::skip]
const TEMPLATES: &[&str] = &[
    "http://E/", "HTTP://E/", "hTtP://E", "https://E/", "ws://E/", "wss://E/", "http://E?q", "http://E#f",
    "http://G@E/", "http://G:80@E/", "http://G%40E/", "http://u:p@E/", "http://u:G@E/", "http://G%2F@E/",
    "http://G%3F@E/", "http://G%23@E/", "http://@E/", "http://:@E/", "http://:80@E/", "http://a@G@E/",
    "http://G @E/", "http://G\t@E/", "http://G;@E/", "http://G,@E/", "http://[G]@E/", "http://G&@E/",
    "http://E#@G/", "http://E?@G/", "http://E\\@G/", "http://E/\\@G/", "http://E\\.G/", "http://E\\G/",
    "http://G\\@E/", "http://G\\E/", "http://G#\\@E/", "http://G\\/@E/", "http://E%2f.G/", "http://E%2F@G:0/",
    "http://E%5c.G/", "http://E%00.G/", "http://E%0a.G/", "http://E%0d%0a.G/", "http://E%09.G/", "http://E%20.G/",
    "http://E%23.G/", "http://E%3f.G/", "http://E%3a.G/", "http://E%2e/", "http://E\0.G/", "http://E\n.G/",
    "http://E\r\n.G/", "http://E\t.G/", "http://E\u{b}.G/", "http://E\u{c}.G/", "http://E\u{7f}.G/", "http://E\u{85}.G/",
    "http://E .G/", "http://E\u{a0}.G/", "http://E\u{2028}.G/", "http://E\u{3000}.G/", " http://E/", "\thttp://E/",
    "\nhttp://E/", "\u{1}http://E/", "\u{feff}http://E/", "http://E/ ", "http://E/\r\nX: y", "http://G/\r\nHost: E",
    "http://G\r\nHost: E\r\n\r\n", "ht\ttp://E/", "http:\n//E/", "http:/\t/E/", "http:E", "http:/E/",
    "http:///E/", "http:////E/", "http:\\\\E/", "http:\\E/", "http:/\\E/", "http:\\/E/", "//E/", "///E/",
    "\\\\E/", "/\\E/", "\\/E/", "E", "E/", "E:80", "G@E", "://E/", ":E", "http//E/", "http;//E/",
    "http://E:/", "http://E:0/", "http://E:65536/", "http://E:99999/", "http://E:4294967376/", "http://E:18446744073709551696/",
    "http://E:-1/", "http://E:+80/", "http://E: 80/", "http://E:80 /", "http://E:0x50/", "http://E:80a/", "http://E:8０/",
    "http://E:８０/", "http://E::80/", "http://E:80:80/", "http://E:80,443/", "http://E:*/", "http://E:http/", "http://E:80%20/",
    "http://E:80\\@G/", "http://E:80#@G/", "http://E:80?@G/", "http://E:[80]/", "http://E,G/", "http://G,E/", "http://E;G/",
    "http://G;E/", "http://E&G/", "http://G&E/", "http://E|G/", "http://G|E/", "http://E!G/", "http://E*G/",
    "http://E'G/", "http://E\"G/", "http://E<G/", "http://E>G/", "http://E^G/", "http://E`G/", "http://E{G}/",
    "http://E~G/", "http://E=G/", "http://E+G/", "http://E$G/", "http://E(G)/", "http://[E]G/", "http://G[E]/",
    "http://[G]E/", "http://E]/", "http://[E/", "http://E..G..E/", "http://E../", "http://.E/", "http://..E/",
    "http://E/../G/", "http://E/@G/", "http://E/?u=http://G/", "http://E/#http://G/", "http://E:80/@G/", "http://E//G/",
    "http://E/%2e%2e/G", "http://E/;@G", "http://E.:80/", "ftp://E/", "file://E/etc/passwd", "gopher://E:70/_x", "dict://E:11211/s",
    "ldap://E/", "ldaps://E/", "smb://E/", "tftp://E/", "sftp://E/", "ssh://E/", "telnet://E/", "rtsp://E/",
    "jar:http://E!/", "view-source:http://E/", "blob:http://E/", "feed:http://E/", "url:http://E/", "data:text/html,E", "javascript://E/%0a",
    "netdoc://E/", "git://E/", "unix:/E", "http+unix://E/", "https+http://E/", "http-equiv://E/", "tcp://E:80", "tls://E:443",
    "tcp://E", "tcp://G@E:80", "tcp://E:80/x", "tls://E:443?x", "httpx://E/", "http\0://E/", "http%3a//E/", "http:%2f%2fE/",
];

/// What leads to the granted host for some, and nowhere for others: all of it has its name.
#[rustfmt::skip]
const DOUBTFUL: &[&str] = &[
    "http://G/", "HTTP://G", "http://G./", "http://G:80/", "http://G:080/", "http://G:00080/", "http://u@G/", "http://u:p@G/",
    "http://E@G/", "http://E:80@G/", "http://E%2f@G/", "http://E%40@G/", "http://G@G/", "http://:@G/", "http://@G/", "http://G#E",
    "http://G?E", "http://G/E", "http://G//E/", "http://G/@E", "http://G/\\E", "http://G/#@E", "http://G/?u=http://E/", "http://G/..//E/",
    "http://G/%2e%2e/E", "http://G/;E", "http://G/http://E/", "http://G:80#@E", "http://G:80/@E", "ws://G/", "http://G/:80@E/", "http://G/\u{202e}E",
    "http://%67ood.test/", "http://good%2etest/", "http://goo%64.test/", "http://g%6F%6Fd.test/", "http://good\u{3002}test/", "http://good\u{ff0e}test/",
    "http://good\u{ff61}test/", "http://good\u{2024}test/", "http://goo\u{ad}d.test/", "http://goo\u{200b}d.test/", "http://goo\u{200d}d.test/",
    "http://goo\u{2060}d.test/", "http://goo\u{feff}d.test/", "http://goo\u{fe0f}d.test/", "http://goo\u{34f}d.test/", "http://goo\u{180b}d.test/",
    "http://ＧＯＯＤ.test/", "http://ｇｏｏｄ.ｔｅｓｔ/", "http://ⓖⓞⓞⓓ.ⓣⓔⓢⓣ/", "http://𝐠𝐨𝐨𝐝.𝐭𝐞𝐬𝐭/", "http://𝔤𝔬𝔬𝔡.test/", "http://gººd.test/",
    "http://gOOD.tesT/", "HTTP://gOoD.TesT./", "http://good.te\u{17f}t/", "http://good.test\u{ff0e}/", "http://good.test\u{3002}/", "http://go\u{1d52c}d.test/",
];

impl Corpus {
    /// The corpus; `port` is that of a server on loopback that nobody may reach.
    pub(crate) fn new(port: u16) -> Corpus {
        let mut corpus = Corpus {
            refused: BTreeSet::new(),
            doubtful: BTreeSet::new(),
        };
        let addresses = V4.iter().flat_map(|octets| v4_forms(*octets));
        let hosts = addresses.chain(V6.iter().flat_map(|text| v6_forms(text)));
        for host in hosts.chain(names()) {
            corpus.refused.insert(format!("http://{host}:{port}/"));
        }
        let loopback = format!("127.0.0.1:{port}");
        for template in TEMPLATES {
            for other in [
                "evil.test",
                "169.254.169.254",
                &loopback,
                "[::1]",
                "localhost",
            ] {
                corpus.refused.insert(fill(template, other));
            }
        }
        for template in DOUBTFUL {
            for other in ["evil.test", &loopback] {
                corpus.doubtful.insert(fill(template, other));
            }
        }
        corpus.doubtful.extend(mutants(&corpus.refused));
        corpus
    }
}

fn fill(template: &str, other: &str) -> String {
    let mut url = String::new();
    for c in template.chars() {
        match c {
            'E' => url += other,
            'G' => url += GOOD,
            c => url.push(c),
        }
    }
    url
}

/// An IPv4 address as inet_aton, browsers, IDNA, IPv6 and public DNS services write it, and as
/// nobody should.
fn v4_forms([a, b, c, d]: [u8; 4]) -> Vec<String> {
    let ip = Ipv4Addr::new(a, b, c, d);
    let number = ip.to_bits();
    let (low16, low24) = (number & 0xffff, number & 0xff_ffff);
    let (ab, cd) = (number >> 16, low16);
    let flipped = Ipv4Addr::from_bits(!number);
    let text = ip.to_string();
    let in_digits = |zero: char| -> String {
        let digit = |c: char| match c.to_digit(10) {
            Some(digit) => char::from_u32(zero as u32 + digit).unwrap_or(c),
            None => c,
        };
        text.chars().map(digit).collect()
    };
    let percent = |keep: &str| -> String {
        let encode = |c: char| match keep.contains(c) {
            true => c.to_string(),
            false => format!("%{:02x}", c as u32),
        };
        text.chars().map(encode).collect()
    };
    vec![
        text.clone(),
        format!("{text}."),
        format!("{text}.."),
        format!(".{text}"),
        format!("{number}"),
        format!("{number}."),
        format!("0{number:o}"),
        format!("00000{number:o}"),
        format!("0x{number:x}"),
        format!("0X{number:X}"),
        format!("0x0000{number:x}"),
        format!("{}", u64::from(number) + (1 << 32)),
        format!("0x1{number:08x}"),
        format!("{a}.{low24}"),
        format!("{a}.{b}.{low16}"),
        format!("0x{a:x}.{low24}"),
        format!("0{a:o}.{b}.{low16}"),
        format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("000{a:o}.0x{b:X}.{c}.0{d:o}"),
        format!("{a:03}.{b:03}.{c:03}.{d:03}"),
        format!("{}.{b}.{c}.{d}", u32::from(a) + 256),
        format!("{a}.{b}.{c}.{d}.0"),
        format!("{a}.{b}.{c}."),
        format!("{a}..{b}.{c}.{d}"),
        format!("{a}.{b}.{c}.{d}x"),
        format!("+{text}"),
        format!("-{number}"),
        "0x".to_owned(),
        format!("0x{a:x}{b:02x}.0x{cd:x}"),
        in_digits('０'),
        in_digits('𝟎'),
        in_digits('𝟬'),
        in_digits('٠'),
        text.replace('.', "。"),
        text.replace('.', "．"),
        text.replace('.', "｡"),
        text.replace('.', "․"),
        percent("."),
        percent("0123456789"),
        percent(""),
        format!("{a}.{b}.{c}.{d}%00"),
        format!("{a}.{b}.{c}.{d}%20"),
        format!("[{text}]"),
        format!("[::ffff:{text}]"),
        format!("[::FFFF:{text}]"),
        format!("[0:0:0:0:0:ffff:{text}]"),
        format!("[::ffff:{ab:x}:{cd:x}]"),
        format!("[::{text}]"),
        format!("[::ffff:0:{text}]"),
        format!("[64:ff9b::{text}]"),
        format!("[64:ff9b:1::{text}]"),
        format!("[2002:{ab:x}:{cd:x}::]"),
        format!("[2001:0:{ab:x}:{cd:x}::1]"),
        format!("[2001::{flipped}]"),
        format!("[2600::5efe:{text}]"),
        format!("[fe80::200:5efe:{text}]"),
        format!("[::ffff:{text}%25eth0]"),
        format!("::ffff:{text}"),
        format!("{text}.nip.io"),
        format!("{a}-{b}-{c}-{d}.sslip.io"),
        format!("{number}.evil.test"),
        format!("{text}.{GOOD}"),
        format!("{GOOD}.{text}"),
    ]
}

fn v6_forms(text: &str) -> Vec<String> {
    let ip: Ipv6Addr = text.parse().unwrap();
    let long: Vec<String> = ip.segments().iter().map(|s| format!("{s:04x}")).collect();
    let long = long.join(":");
    vec![
        format!("[{text}]"),
        text.to_owned(),
        format!("[{}]", text.to_uppercase()),
        format!("[{long}]"),
        format!("[{long}:0]"),
        format!("[{text}%25eth0]"),
        format!("[{text}%eth0]"),
        format!("[{text}%251]"),
        format!("[{text}/64]"),
        format!("[ {text}]"),
        format!("[[{text}]]"),
        format!("[{text}"),
        format!("{text}]"),
        format!("[v6.{text}]"),
        format!("[{text}].{GOOD}"),
        format!("{}.ip6.arpa", long.replace(':', "-")),
        format!("{}.ipv6-literal.net", text.replace(':', "-")),
        format!("%5B{text}%5D"),
        format!("［{text}］"),
    ]
}

/// Names that look like the granted one, or that no resolver should be asked for.
fn names() -> Vec<String> {
    let mut all: Vec<String> = [
        "localhost",
        "LOCALHOST.",
        "localhost.localdomain",
        "ip6-localhost",
        "localtest.me",
        "metadata.google.internal",
        "metadata",
        "instance-data",
        "kubernetes.default.svc",
        "host.docker.internal",
        "test",
        "good",
        "good.",
        "evil.good.test",
        "*.good.test",
        "_.good.test",
        "-.good.test",
        "good.test.evil.test",
        "good.testevil.test",
        "good.test-evil.test",
        "evil-good.test",
        "evilgood.test",
        "xgood.test",
        "good.testx",
        "good.tes",
        "ood.test",
        "good..test",
        ".good.test",
        "good.test..",
        "good_test",
        "good-test",
        "goodtest",
        "good.test.",
        "good.test%2eevil.test",
        "good.test%00.evil.test",
        "good.test\0",
        "good.test\u{202e}tset.live",
        "tset.doog",
        "xn--",
        "xn--.test",
        "xn--a",
        "xn--a.test",
        "xn---",
        "xn--good",
        "xn--good-.test",
        "xn--good.test",
        "xn--ls8h.test",
        "xn--0.test",
        "xn--ggod-qqb.test",
        "xn--xn--good-.test",
        "xn--99999999.test",
        "xn--zzzzzzzzzzzzzzzz.test",
        "XN--GOOD-.TEST",
        "xn--\u{fc}.test",
        "good.xn--test-",
        "☃.test",
        "💩.good.test",
        "good.te\u{df}t",
        "faß.test",
        "good\u{2215}.test",
        "good\u{2044}evil.test",
        "good.test\u{2215}evil.test",
        "good.test\u{ff0f}evil.test",
        "good.test\u{ff03}evil.test",
        "good.test\u{ff1f}evil.test",
        "good.test\u{ff20}evil.test",
        "good.test\u{ff1a}80",
        "good.test\u{2100}evil.test",
        "good.test\u{fe68}evil.test",
        "good.test\u{ff3c}evil.test",
    ]
    .iter()
    .map(|name| (*name).to_owned())
    .collect();
    // The granted name itself is not among them.
    all.retain(|name| name.trim_end_matches('.') != GOOD || name.ends_with(".."));
    // Each letter by one of another script that looks the same.
    for (at, letter) in GOOD.char_indices() {
        let likes: &[char] = match letter {
            'g' => &['ɡ', 'ց', 'ǵ'],
            'o' => &['о', 'ο', '0', 'ö', 'օ', 'ᴏ'],
            'd' => &['ԁ', 'ժ', 'ḋ'],
            't' => &['т', 'τ', 'ť'],
            'e' => &['е', 'ε', 'é', 'ҽ'],
            's' => &['ѕ', 'ʂ', 'š'],
            _ => &['-', '·', 'ـ', '܁'],
        };
        for like in likes {
            let mut name = GOOD.to_owned();
            name.replace_range(at..at + letter.len_utf8(), &like.to_string());
            all.push(name);
        }
        // A letter less, a letter twice, a mark above one, a dot before it.
        let (before, after) = GOOD.split_at(at);
        all.push(format!("{before}{}", &after[letter.len_utf8()..]));
        all.push(format!("{before}{letter}{after}"));
        all.push(format!(
            "{before}{letter}\u{301}{}",
            &after[letter.len_utf8()..]
        ));
        all.push(format!("{before}.{after}"));
    }
    for length in [
        63, 64, 65, 127, 128, 254, 255, 256, 1_000, 1_024, 1_025, 8_192,
    ] {
        all.push("a".repeat(length));
        all.push(format!("{}.{GOOD}", "a".repeat(length)));
        all.push(format!("{GOOD}.{}", "a".repeat(length)));
        all.push("a.".repeat(length));
        all.push(format!("{}{GOOD}", ".".repeat(length)));
        all.push(format!("xn--{}", "9".repeat(length)));
        all.push("ü".repeat(length));
        all.push("1.".repeat(length));
        all.push("9".repeat(length));
        all.push(format!("0x{}7f000001", "0".repeat(length)));
        all.push(format!("[{}1]", ":".repeat(length)));
    }
    all
}

/// Small changes to those, and to the granted one's own URL, by a generator with a fixed seed.
fn mutants(of: &BTreeSet<String>) -> Vec<String> {
    #[rustfmt::skip]
    const PIECES: &[&str] = &[
        "@", ":", "/", "\\", "#", "?", "%", ".", "[", "]", "\t", "\r\n", "\0", " ", "%2f", "%40", "%00", "//",
        "good.test", "evil.test", "127.0.0.1", "::1", ":80", "http://", "\u{ad}", "。", "＠", "xn--", "0x7f", "\u{202e}",
    ];
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let good = format!("http://{GOOD}/a?b#c");
    let of: Vec<&String> = of.iter().filter(|url| url.len() < 200).collect();
    let mut all = Vec::new();
    for round in 0..600 {
        let start = if round % 2 == 0 {
            &good
        } else {
            of[random(of.len())]
        };
        let mut url: Vec<char> = start.chars().collect();
        for _ in 0..1 + random(3) {
            let at = random(url.len() + 1);
            if random(4) == 0 {
                url.truncate(url.len().max(1) - 1);
            } else {
                let piece = PIECES[random(PIECES.len())];
                url.splice(at..at, piece.chars());
            }
        }
        all.push(url.into_iter().collect());
    }
    all
}
