//! What wget is asked to do.

use std::time::Duration;

use codepod_net::Url;
use codepod_tool::{Arguments, Found, Opt, Options, Usage, Value, flag, long, path, value};

use crate::links;
use crate::log::Loudness;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Accept,
    AdjustExtension,
    Append,
    Base,
    Body,
    BodyFile,
    ByHtml,
    CaFile,
    Clobber,
    ConnectTimeout,
    ContentDisposition,
    ContentOnError,
    Continue,
    Convert,
    CutDirectories,
    DefaultPage,
    DeleteAfter,
    Directories,
    DnsTimeout,
    Domains,
    ExcludeDirectories,
    ExcludeDomains,
    Execute,
    Header,
    Help,
    IgnoreCase,
    IncludeDirectories,
    Input,
    Level,
    LimitRate,
    MaxRedirect,
    Method,
    Mirror,
    NoCheckCertificate,
    NoCookies,
    NoCache,
    NoHostDirectories,
    NoDirectories,
    NoLetters,
    NoNothing,
    NoParent,
    NoVerbose,
    Nothing,
    Output,
    OutputFile,
    Password,
    Post,
    PostFile,
    Prefix,
    Preemptive,
    ProtocolDirectories,
    Quiet,
    Quota,
    ReadTimeout,
    Recursive,
    Referer,
    Refused,
    Reject,
    Requisites,
    RetryRefused,
    RetryStatus,
    RestrictNames,
    ServerResponse,
    ShowProgress,
    SpanHosts,
    Spider,
    Timeout,
    Timestamping,
    Tries,
    TrustNames,
    User,
    UserAgent,
    Verbose,
    Version,
    Wait,
    WaitRetry,
    NoUseServerTime,
    Progress,
    NoIfModified,
    Compression,
}

const fn word(key: Key, name: &'static str) -> Opt<Key> {
    long(key, name, Value::None)
}

const fn with(key: Key, name: &'static str) -> Opt<Key> {
    long(key, name, Value::Required)
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Accept, b'A', "accept"),
    flag(Key::AdjustExtension, b'E', "adjust-extension"),
    value(Key::Append, b'a', "append-output"),
    value(Key::Base, b'B', "base"),
    with(Key::Body, "body-data"),
    with(Key::BodyFile, "body-file"),
    flag(Key::ByHtml, b'F', "force-html"),
    with(Key::CaFile, "ca-certificate"),
    word(Key::Clobber, "no-clobber"),
    with(Key::ConnectTimeout, "connect-timeout"),
    word(Key::ContentDisposition, "content-disposition"),
    word(Key::ContentOnError, "content-on-error"),
    flag(Key::Continue, b'c', "continue"),
    flag(Key::Convert, b'k', "convert-links"),
    with(Key::CutDirectories, "cut-dirs"),
    with(Key::DefaultPage, "default-page"),
    word(Key::DeleteAfter, "delete-after"),
    flag(Key::Directories, b'x', "force-directories"),
    with(Key::DnsTimeout, "dns-timeout"),
    value(Key::Domains, b'D', "domains"),
    value(Key::Execute, b'e', "execute"),
    value(Key::ExcludeDirectories, b'X', "exclude-directories"),
    with(Key::ExcludeDomains, "exclude-domains"),
    with(Key::Header, "header"),
    flag(Key::Help, b'h', "help"),
    word(Key::IgnoreCase, "ignore-case"),
    value(Key::IncludeDirectories, b'I', "include-directories"),
    value(Key::Input, b'i', "input-file"),
    value(Key::Level, b'l', "level"),
    with(Key::LimitRate, "limit-rate"),
    with(Key::MaxRedirect, "max-redirect"),
    with(Key::Method, "method"),
    word(Key::NoCheckCertificate, "no-check-certificate"),
    word(Key::NoCookies, "no-cookies"),
    word(Key::NoCache, "no-cache"),
    word(Key::NoHostDirectories, "no-host-directories"),
    word(Key::NoDirectories, "no-directories"),
    value(Key::NoLetters, b'n', ""),
    word(Key::NoNothing, "no-proxy"),
    word(Key::NoParent, "no-parent"),
    word(Key::NoVerbose, "no-verbose"),
    // What is so anyway: no IPv6, no HSTS, no configuration files, no background.
    flag(Key::Nothing, b'4', "inet4-only"),
    word(Key::Nothing, "no-hsts"),
    word(Key::Nothing, "no-config"),
    word(Key::Nothing, "no-iri"),
    word(Key::Nothing, "no-netrc"),
    word(Key::Nothing, "no-dns-cache"),
    word(Key::Nothing, "no-glob"),
    word(Key::Nothing, "no-passive-ftp"),
    word(Key::Nothing, "no-backups"),
    word(Key::ShowProgress, "show-progress"),
    value(Key::Output, b'O', "output-document"),
    value(Key::OutputFile, b'o', "output-file"),
    with(Key::Password, "password"),
    with(Key::Password, "http-password"),
    with(Key::Post, "post-data"),
    with(Key::PostFile, "post-file"),
    value(Key::Prefix, b'P', "directory-prefix"),
    word(Key::Preemptive, "auth-no-challenge"),
    word(Key::ProtocolDirectories, "protocol-directories"),
    flag(Key::Quiet, b'q', "quiet"),
    value(Key::Quota, b'Q', "quota"),
    with(Key::ReadTimeout, "read-timeout"),
    flag(Key::Recursive, b'r', "recursive"),
    flag(Key::Mirror, b'm', "mirror"),
    with(Key::Referer, "referer"),
    value(Key::Reject, b'R', "reject"),
    flag(Key::Requisites, b'p', "page-requisites"),
    word(Key::RetryRefused, "retry-connrefused"),
    with(Key::RetryStatus, "retry-on-http-error"),
    with(Key::RestrictNames, "restrict-file-names"),
    flag(Key::ServerResponse, b'S', "server-response"),
    flag(Key::SpanHosts, b'H', "span-hosts"),
    word(Key::Spider, "spider"),
    value(Key::Timeout, b'T', "timeout"),
    flag(Key::Timestamping, b'N', "timestamping"),
    value(Key::Tries, b't', "tries"),
    word(Key::TrustNames, "trust-server-names"),
    with(Key::User, "user"),
    with(Key::User, "http-user"),
    value(Key::UserAgent, b'U', "user-agent"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Version, b'V', "version"),
    value(Key::Wait, b'w', "wait"),
    with(Key::WaitRetry, "waitretry"),
    word(Key::NoUseServerTime, "no-use-server-timestamps"),
    with(Key::Progress, "progress"),
    word(Key::NoIfModified, "no-if-modified-since"),
    with(Key::Compression, "compression"),
    // What GNU's has and this one has not.
    flag(Key::Refused, b'6', "inet6-only"),
    flag(Key::Refused, b'b', "background"),
    flag(Key::Refused, b'd', "debug"),
    flag(Key::Refused, b'K', "backup-converted"),
    flag(Key::Refused, b'L', "relative"),
    with(Key::Refused, "accept-regex"),
    with(Key::Refused, "reject-regex"),
    word(Key::Refused, "ask-password"),
    with(Key::Refused, "bind-address"),
    with(Key::Refused, "certificate"),
    with(Key::Refused, "private-key"),
    with(Key::Refused, "ca-directory"),
    with(Key::Refused, "config"),
    word(Key::Refused, "https-only"),
    word(Key::Refused, "ignore-length"),
    word(Key::Refused, "input-metalink"),
    word(Key::Refused, "keep-session-cookies"),
    with(Key::Refused, "load-cookies"),
    with(Key::Refused, "save-cookies"),
    word(Key::Refused, "save-headers"),
    with(Key::Refused, "secure-protocol"),
    with(Key::Refused, "start-pos"),
    word(Key::Refused, "no-http-keep-alive"),
    word(Key::Refused, "random-wait"),
    word(Key::Refused, "strict-comments"),
    word(Key::Refused, "unlink"),
    with(Key::Refused, "use-askpass"),
    with(Key::Refused, "warc-file"),
    with(Key::Refused, "follow-tags"),
    with(Key::Refused, "ignore-tags"),
    with(Key::Refused, "rejected-log"),
    word(Key::Refused, "xattr"),
    word(Key::Refused, "convert-file-only"),
    with(Key::Refused, "local-encoding"),
    with(Key::Refused, "remote-encoding"),
    with(Key::Refused, "report-speed"),
    with(Key::Refused, "pinnedpubkey"),
];

/// What is wanted.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) urls: Vec<Vec<u8>>,
    /// Files with URLs.
    pub(crate) lists: Vec<Vec<u8>>,
    pub(crate) lists_are_html: bool,
    pub(crate) base: Option<Vec<u8>>,
    pub(crate) loudness: Loudness,
    /// Where messages go, and whether they go behind what is there.
    pub(crate) log: Option<(Vec<u8>, bool)>,
    pub(crate) output: Option<Vec<u8>>,
    pub(crate) prefix: Vec<u8>,
    pub(crate) continues: bool,
    pub(crate) keeps_old: bool,
    pub(crate) newer_only: bool,
    pub(crate) asks_if_modified: bool,
    pub(crate) sets_time: bool,
    pub(crate) spider: bool,
    pub(crate) shows_head: bool,
    pub(crate) shows_progress: bool,
    pub(crate) fields: Vec<(String, Vec<u8>)>,
    pub(crate) agent: Option<Vec<u8>>,
    pub(crate) referer: Option<Vec<u8>>,
    pub(crate) method: Option<String>,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) is_form: bool,
    pub(crate) user: Option<Vec<u8>>,
    pub(crate) password: Option<Vec<u8>>,
    pub(crate) preemptive: bool,
    pub(crate) max_redirect: usize,
    pub(crate) content_disposition: bool,
    pub(crate) content_on_error: bool,
    pub(crate) trusts_names: bool,
    pub(crate) no_cache: bool,
    pub(crate) ca_file: Option<Vec<u8>>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) read_timeout: Option<Duration>,
    /// How often it is tried; without an end for none.
    pub(crate) tries: Option<u32>,
    pub(crate) retries_refused: bool,
    pub(crate) retries_status: Vec<u16>,
    pub(crate) wait: Duration,
    pub(crate) wait_retry: u64,
    pub(crate) limit_rate: Option<u64>,
    pub(crate) quota: u64,
    pub(crate) recursive: bool,
    /// How deep; none for as deep as it goes.
    pub(crate) level: Option<usize>,
    pub(crate) requisites: bool,
    pub(crate) heeds_robots: bool,
    pub(crate) convert: bool,
    pub(crate) adjusts: bool,
    pub(crate) no_parent: bool,
    pub(crate) spans_hosts: bool,
    pub(crate) domains: Vec<String>,
    pub(crate) exclude_domains: Vec<String>,
    pub(crate) accept: Vec<Vec<u8>>,
    pub(crate) reject: Vec<Vec<u8>>,
    pub(crate) ignores_case: bool,
    pub(crate) include_directories: Vec<Vec<u8>>,
    pub(crate) exclude_directories: Vec<Vec<u8>>,
    pub(crate) deletes: bool,
    pub(crate) directories: Option<bool>,
    pub(crate) host_directories: bool,
    pub(crate) protocol_directories: bool,
    pub(crate) cut_directories: usize,
    pub(crate) default_page: Vec<u8>,
}

impl Plan {
    fn new() -> Plan {
        Plan {
            urls: Vec::new(),
            lists: Vec::new(),
            lists_are_html: false,
            base: None,
            loudness: Loudness::Verbose,
            log: None,
            output: None,
            prefix: Vec::new(),
            continues: false,
            keeps_old: false,
            newer_only: false,
            asks_if_modified: true,
            sets_time: true,
            spider: false,
            shows_head: false,
            shows_progress: false,
            fields: Vec::new(),
            agent: None,
            referer: None,
            method: None,
            body: None,
            is_form: false,
            user: None,
            password: None,
            preemptive: false,
            max_redirect: 20,
            content_disposition: false,
            content_on_error: false,
            trusts_names: false,
            no_cache: false,
            ca_file: None,
            connect_timeout: None,
            read_timeout: Some(Duration::from_secs(900)),
            tries: Some(20),
            retries_refused: false,
            retries_status: Vec::new(),
            wait: Duration::ZERO,
            wait_retry: 10,
            limit_rate: None,
            quota: 0,
            recursive: false,
            level: Some(5),
            requisites: false,
            heeds_robots: true,
            convert: false,
            adjusts: false,
            no_parent: false,
            spans_hosts: false,
            domains: Vec::new(),
            exclude_domains: Vec::new(),
            accept: Vec::new(),
            reject: Vec::new(),
            ignores_case: false,
            include_directories: Vec::new(),
            exclude_directories: Vec::new(),
            deletes: false,
            directories: None,
            host_directories: true,
            protocol_directories: false,
            cut_directories: 0,
            default_page: b"index.html".to_vec(),
        }
    }

    /// Whether files go into directories.
    pub(crate) fn has_directories(&self) -> bool {
        self.directories
            .unwrap_or(self.recursive || self.requisites)
    }
}

/// What the arguments ask for.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A text on standard output.
    Text(String),
    Plan(Box<Plan>),
}

const VERSION: &str = "GNU Wget 1.21.3 (codepod's own, for http and https)\n";

const HELP: &str = "\
wget, for http and https, as GNU Wget 1.21.3 is
Usage: wget [OPTION]... [URL]...

Messages:  -V -h -q -v -nv -o FILE -a FILE -i FILE -F -B URL -S --progress=dot
           --show-progress
Download:  -t N -O FILE -nc -c -N -T SECONDS --connect-timeout --read-timeout --limit-rate
           -w SECONDS --waitretry -Q BYTES --spider --no-use-server-timestamps
           --retry-connrefused --retry-on-http-error --no-proxy -4
Places:    -nd -x -nH -P DIRECTORY --protocol-directories --cut-dirs=N --default-page
HTTP:      --user --password --auth-no-challenge --header --referer -U AGENT --post-data
           --post-file --method --body-data --body-file --max-redirect --content-disposition
           --content-on-error --trust-server-names --no-cache -E
HTTPS:     --ca-certificate=FILE (the sandbox's own checks always hold)
Recursion: -r -m -l N -e robots=off --delete-after -k -p -A LIST -R LIST -D LIST --exclude-domains -I LIST -X LIST
           -H -np --ignore-case
";

/// Reads the arguments; the error is wget's status.
pub(crate) fn read(arguments: Arguments) -> Result<Asked, i32> {
    let mut plan = Plan::new();
    let mut options = Options::new(TABLE, arguments);
    loop {
        let found = match options.next() {
            Ok(None) => break,
            Ok(Some(found)) => found,
            Err(usage) => return Err(misused(&usage)),
        };
        let (key, value) = match found {
            Found::Operand(url) => {
                plan.urls.push(url);
                continue;
            }
            Found::Option(key, value) => (key, value.unwrap_or_default()),
        };
        match key {
            Key::Help => return Ok(Asked::Text(HELP.to_owned())),
            Key::Version => return Ok(Asked::Text(VERSION.to_owned())),
            Key::Refused => {
                say("this option of GNU Wget's is not supported; `wget --help` lists what is");
                return Err(2);
            }
            _ => set(&mut plan, key, value)?,
        }
    }
    check(&plan)?;
    Ok(Asked::Plan(Box::new(plan)))
}

fn say(text: &str) {
    codepod_tool::complain("wget", text);
}

fn misused(usage: &Usage) -> i32 {
    say(&String::from_utf8_lossy(&usage.message));
    hint();
    2
}

fn hint() {
    tell("Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n");
}

fn check(plan: &Plan) -> Result<(), i32> {
    if plan.urls.is_empty() && plan.lists.is_empty() {
        say("missing URL");
        hint();
        return Err(1);
    }
    if plan.newer_only && plan.keeps_old {
        return wrong("Can't timestamp and not clobber old files at the same time.");
    }
    if plan.convert && plan.output.is_some() && (plan.urls.len() > 1 || plan.recursive) {
        return wrong("Cannot specify both -k or -r and -O if multiple URLs are given.");
    }
    if plan.body.is_some() && plan.method.is_none() {
        tell(
            "You must specify a method through --method=HTTPMethod to use with --body-data or --body-file.\n",
        );
        return Err(1);
    }
    Ok(())
}

fn wrong(text: &str) -> Result<(), i32> {
    tell(&format!("{text}\nUsage: wget [OPTION]... [URL]...\n"));
    Err(1)
}

fn tell(text: &str) {
    use std::io::Write as _;
    // Where nobody reads there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn set(plan: &mut Plan, key: Key, value: Vec<u8>) -> Result<(), i32> {
    let text = String::from_utf8_lossy(&value).into_owned();
    let bad = |name: &str| {
        say(&format!("{name}: Invalid value '{text}'."));
        2
    };
    let seconds = |name: &str| -> Result<f64, i32> {
        let (digits, factor) = match text.as_bytes().last() {
            Some(b's') => (&text[..text.len() - 1], 1.0),
            Some(b'm') => (&text[..text.len() - 1], 60.0),
            Some(b'h') => (&text[..text.len() - 1], 3600.0),
            Some(b'd') => (&text[..text.len() - 1], 86_400.0),
            _ => (&text[..], 1.0),
        };
        let number: f64 = digits.parse().map_err(|_| bad(name))?;
        match (0.0..1e9).contains(&(number * factor)) {
            true => Ok(number * factor),
            false => Err(bad(name)),
        }
    };
    let within = |name: &str| -> Result<Option<Duration>, i32> {
        let seconds = seconds(name)?;
        Ok((seconds > 0.0).then(|| Duration::from_secs_f64(seconds)))
    };
    let count = |name: &str| -> Result<u64, i32> { text.parse().map_err(|_| bad(name)) };
    let words = || -> Vec<Vec<u8>> {
        let words = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        words
            .filter(|word| !word.is_empty())
            .map(<[u8]>::to_vec)
            .collect()
    };
    let domains = || -> Vec<String> {
        let words = text.split(',').filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    let directories = || -> Vec<Vec<u8>> {
        let slash = |word: &[u8]| [b"/", word.trim_ascii()].concat();
        words()
            .iter()
            .map(|word| match word.first() {
                Some(b'/') => word.clone(),
                _ => slash(word),
            })
            .collect()
    };
    let file = || -> Result<Vec<u8>, i32> {
        std::fs::read(path(&value)).map_err(|error| {
            say(&format!(
                "BODY data file '{text}' missing: {}",
                codepod_tool::io_text(&error)
            ));
            3
        })
    };
    match key {
        Key::Accept => plan.accept.extend(words()),
        Key::Reject => plan.reject.extend(words()),
        Key::IgnoreCase => plan.ignores_case = true,
        Key::AdjustExtension => plan.adjusts = true,
        Key::OutputFile => plan.log = Some((value, false)),
        Key::Append => plan.log = Some((value, true)),
        Key::Base => plan.base = Some(value),
        Key::Body | Key::BodyFile => {
            plan.body = Some(if key == Key::Body { value } else { file()? });
            plan.is_form = true;
        }
        Key::ByHtml => plan.lists_are_html = true,
        Key::CaFile => plan.ca_file = Some(value),
        Key::Clobber => plan.keeps_old = true,
        Key::ConnectTimeout => plan.connect_timeout = within("connect-timeout")?,
        Key::ReadTimeout => plan.read_timeout = within("read-timeout")?,
        Key::DnsTimeout => drop(within("dns-timeout")?),
        Key::Timeout => {
            plan.connect_timeout = within("timeout")?;
            plan.read_timeout = plan.connect_timeout;
        }
        Key::ContentDisposition => plan.content_disposition = true,
        Key::ContentOnError => plan.content_on_error = true,
        Key::Continue => plan.continues = true,
        Key::Convert => plan.convert = true,
        Key::CutDirectories => plan.cut_directories = count("cut-dirs")? as usize,
        Key::DefaultPage => plan.default_page = value,
        Key::DeleteAfter => plan.deletes = true,
        Key::Directories => plan.directories = Some(true),
        Key::NoDirectories => plan.directories = Some(false),
        Key::NoHostDirectories => plan.host_directories = false,
        Key::ProtocolDirectories => plan.protocol_directories = true,
        Key::Domains => plan.domains.extend(domains()),
        Key::ExcludeDomains => plan.exclude_domains.extend(domains()),
        Key::IncludeDirectories => plan.include_directories.extend(directories()),
        Key::ExcludeDirectories => plan.exclude_directories.extend(directories()),
        Key::Header => match value.iter().position(|byte| *byte == b':') {
            _ if value.is_empty() => plan.fields.clear(),
            Some(at) if at > 0 && !value.contains(&b'\n') && !value.contains(&b'\r') => {
                let name = String::from_utf8_lossy(&value[..at]).into_owned();
                plan.fields
                    .retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
                plan.fields
                    .push((name, value[at + 1..].trim_ascii().to_vec()));
            }
            _ => {
                say(&format!("header: Invalid header '{text}'."));
                return Err(2);
            }
        },
        Key::Input => plan.lists.push(value),
        Key::Level => {
            plan.level = match &text[..] {
                "inf" | "0" => None,
                _ => Some(count("level")? as usize),
            }
        }
        Key::LimitRate => {
            plan.limit_rate =
                Some(size(&text).ok_or_else(|| bad("limit-rate"))?).filter(|rate| *rate > 0)
        }
        Key::Quota => {
            plan.quota = if text == "inf" {
                0
            } else {
                size(&text).ok_or_else(|| bad("quota"))?
            }
        }
        Key::Execute => match &text.replace(' ', "")[..] {
            "robots=off" => plan.heeds_robots = false,
            "robots=on" => plan.heeds_robots = true,
            _ => {
                say("-e is for `robots=off` here, and nothing else");
                return Err(2);
            }
        },
        Key::Mirror => {
            plan.recursive = true;
            plan.newer_only = true;
            plan.level = None;
        }
        Key::MaxRedirect => plan.max_redirect = count("max-redirect")? as usize,
        Key::Method => plan.method = Some(text.to_ascii_uppercase()),
        Key::Post | Key::PostFile => {
            plan.body = Some(if key == Key::Post { value } else { file()? });
            plan.method = Some("POST".to_owned());
            plan.is_form = true;
        }
        Key::NoCache => plan.no_cache = true,
        Key::NoParent => plan.no_parent = true,
        Key::NoVerbose => plan.loudness = Loudness::NotVerbose,
        Key::Verbose => plan.loudness = Loudness::Verbose,
        Key::Quiet => plan.loudness = Loudness::Quiet,
        Key::NoLetters => {
            for letter in value {
                match letter {
                    b'c' => plan.keeps_old = true,
                    b'd' => plan.directories = Some(false),
                    b'H' => plan.host_directories = false,
                    b'p' => plan.no_parent = true,
                    b'v' => plan.loudness = Loudness::NotVerbose,
                    other => {
                        say(&format!("illegal option -- `-n{}'", other as char));
                        hint();
                        return Err(1);
                    }
                }
            }
        }
        // No cookies are kept at all, nothing goes by a proxy.
        Key::NoCookies | Key::NoNothing | Key::Nothing => {}
        // The gateway checks certificates; the option cannot switch that off. A failure says so.
        Key::NoCheckCertificate => {}
        Key::Output => plan.output = Some(value),
        Key::User => plan.user = Some(value),
        Key::Password => plan.password = Some(value),
        Key::Preemptive => plan.preemptive = true,
        Key::Prefix => {
            let end = value
                .iter()
                .rposition(|byte| *byte != b'/')
                .map_or(0, |at| at + 1);
            plan.prefix = match end {
                0 => value,
                end => value[..end].to_vec(),
            };
        }
        Key::Recursive => plan.recursive = true,
        Key::Requisites => plan.requisites = true,
        Key::Referer => plan.referer = Some(value),
        Key::RetryRefused => plan.retries_refused = true,
        Key::RetryStatus => {
            for word in text.split(',') {
                plan.retries_status
                    .push(word.parse().map_err(|_| bad("retry-on-http-error"))?);
            }
        }
        Key::RestrictNames => match &text[..] {
            "unix" | "nocontrol" | "ascii" if text == "unix" => {}
            _ => {
                say("--restrict-file-names is `unix` here, and nothing else");
                return Err(2);
            }
        },
        Key::Compression => match &text[..] {
            "none" => {}
            _ => {
                say("--compression is `none` here, and nothing else");
                return Err(2);
            }
        },
        Key::Progress => match text.split(':').next() {
            Some("dot" | "bar") => {}
            _ => return Err(bad("progress")),
        },
        Key::ShowProgress => plan.shows_progress = true,
        Key::ServerResponse => plan.shows_head = true,
        Key::SpanHosts => plan.spans_hosts = true,
        Key::Spider => plan.spider = true,
        Key::Timestamping => plan.newer_only = true,
        Key::NoIfModified => plan.asks_if_modified = false,
        Key::NoUseServerTime => plan.sets_time = false,
        Key::Tries => {
            plan.tries = match &text[..] {
                "inf" | "0" => None,
                _ => Some(count("tries")? as u32),
            }
        }
        Key::TrustNames => plan.trusts_names = true,
        Key::UserAgent => plan.agent = Some(value),
        Key::Wait => plan.wait = Duration::from_secs_f64(seconds("wait")?),
        Key::WaitRetry => plan.wait_retry = seconds("waitretry")? as u64,
        Key::Help | Key::Version | Key::Refused => {}
    }
    Ok(())
}

/// Reads a size such as `200k`.
fn size(text: &str) -> Option<u64> {
    let (digits, factor) = match text.bytes().last()?.to_ascii_lowercase() {
        b'k' => (&text[..text.len() - 1], 1 << 10),
        b'm' => (&text[..text.len() - 1], 1 << 20),
        b'g' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let number: f64 = digits.parse().ok()?;
    let size = number * factor as f64;
    (0.0..1e15).contains(&size).then_some(size as u64)
}

/// The URLs in a file, one in a line, or those of a page.
pub(crate) fn listed(file: &[u8], plan: &Plan) -> Result<Vec<Vec<u8>>, String> {
    let text = match file {
        b"-" => {
            let mut text = Vec::new();
            let read = std::io::Read::read_to_end(&mut std::io::stdin(), &mut text);
            read.map(|_| text)
        }
        _ => std::fs::read(path(file)),
    };
    let text = text.map_err(|error| codepod_tool::io_text(&error))?;
    let base = plan.base.as_ref().and_then(|base| Url::parse(base).ok());
    if plan.lists_are_html {
        let found = links::html(&text).into_iter().map(|link| link.target);
        let whole = found.filter_map(|target| match &base {
            Some(base) => base
                .join(&target)
                .ok()
                .map(|url| url.to_string().into_bytes()),
            None => Url::parse(&target).ok().map(|_| target),
        });
        return Ok(whole.collect());
    }
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let lines = lines.filter(|line| !line.is_empty() && line[0] != b'#');
    Ok(lines
        .map(|line| match &base {
            Some(base) => base
                .join(line)
                .map_or_else(|_| line.to_vec(), |url| url.to_string().into_bytes()),
            None => line.to_vec(),
        })
        .collect())
}
