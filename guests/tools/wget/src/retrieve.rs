//! Gets one URL: tries, redirects, authentication, the file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant, SystemTime};

use codepod_net::{BadUrl, Client, Error, Request, Response, Url, base64, pem, redirect};
use codepod_tool::path;

use crate::log::{Log, Loudness};
use crate::options::Plan;
use crate::progress::{Dots, decimal, human, rate_text};
use crate::recurse::is_accepted;
use crate::{date, names};

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// wget's statuses, the ones that count more first.
pub(crate) mod status {
    pub(crate) const GENERIC: i32 = 1;
    pub(crate) const FILES: i32 = 3;
    pub(crate) const NETWORK: i32 = 4;
    pub(crate) const TLS: i32 = 5;
    pub(crate) const LOGIN: i32 = 6;
    pub(crate) const PROTOCOL: i32 = 7;
    pub(crate) const SERVER: i32 = 8;
}

/// A page that was got.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// Where it came from, after redirects.
    pub(crate) url: Url,
    /// Its file; none where it went elsewhere.
    pub(crate) file: Option<Vec<u8>>,
    pub(crate) is_html: bool,
    pub(crate) is_css: bool,
}

/// Gets URLs, one after the other.
#[derive(Debug)]
pub(crate) struct Retriever {
    pub(crate) plan: Plan,
    pub(crate) log: Log,
    client: Client,
    output: Option<Output>,
    /// Hosts that have wanted a name and a password.
    logins: Vec<String>,
    worst: i32,
    pub(crate) files: u64,
    bytes: u64,
    time: Duration,
    started: Instant,
    requests: u64,
    /// The files of URLs, for links.
    pub(crate) got: HashMap<Url, Page>,
    /// The pages in the order in which they came.
    pub(crate) pages: Vec<Page>,
}

/// Where all documents go with `-O`.
#[derive(Debug)]
enum Output {
    Stdout,
    File(File),
}

/// How an attempt ended.
enum Attempt {
    Done(Option<Page>),
    /// It goes on at another URL.
    Moved(Url, bool),
    /// It may go better another time; the text that says so.
    Again(i32),
    Failed(i32),
}

impl Retriever {
    /// The error is wget's status.
    pub(crate) fn new(plan: &Plan) -> Result<Retriever, i32> {
        let file = match &plan.log {
            None => None,
            Some((name, appends)) => {
                let mut options = OpenOptions::new();
                options
                    .create(true)
                    .append(*appends)
                    .write(true)
                    .truncate(!appends);
                match options.open(path(name)) {
                    Ok(file) => Some(file),
                    Err(error) => return Err(cannot(name, &error, status::GENERIC)),
                }
            }
        };
        let mut client = Client::new();
        client.connect_within(plan.connect_timeout);
        client.read_within(plan.read_timeout);
        if let Some(file) = &plan.ca_file {
            let roots = pem::certificates(&std::fs::read(path(file)).unwrap_or_default());
            if roots.is_empty() {
                let name = String::from_utf8_lossy(file);
                codepod_tool::complain("wget", format!("'{name}' has no certificates (PEM)"));
                return Err(status::TLS);
            }
            client.trust(roots);
        }
        let output = match plan.output.as_deref() {
            None => None,
            Some(_) if plan.spider => None,
            Some(b"-") => Some(Output::Stdout),
            Some(name) => {
                let mut options = OpenOptions::new();
                let appends = plan.continues;
                options
                    .create(true)
                    .append(appends)
                    .write(true)
                    .truncate(!appends);
                match options.open(path(name)) {
                    Ok(file) => Some(Output::File(file)),
                    Err(error) => return Err(cannot(name, &error, status::GENERIC)),
                }
            }
        };
        Ok(Retriever {
            plan: plan.clone(),
            log: Log::new(plan.loudness, plan.shows_progress, file),
            client,
            output,
            logins: Vec::new(),
            worst: 0,
            files: 0,
            bytes: 0,
            time: Duration::ZERO,
            started: Instant::now(),
            requests: 0,
            got: HashMap::new(),
            pages: Vec::new(),
        })
    }

    /// wget's status: the worst of what happened.
    pub(crate) fn status(&self) -> i32 {
        self.worst
    }

    pub(crate) fn fail(&mut self, status: i32) {
        if self.worst == 0 || status < self.worst {
            self.worst = status;
        }
    }

    /// Sets the status back: what happened since does not count.
    pub(crate) fn forgive(&mut self, before: i32) {
        self.worst = before;
    }

    pub(crate) fn is_over_quota(&self) -> bool {
        self.plan.quota > 0 && self.bytes > self.plan.quota
    }

    /// Says what all of it was.
    pub(crate) fn finish(&mut self) {
        let text = format!(
            "FINISHED --{}--\nTotal wall clock time: {}s\nDownloaded: {} files, {} in {}s ({})\n",
            date::now(),
            decimal(self.started.elapsed().as_secs_f64()),
            self.files,
            human(self.bytes),
            decimal(self.time.as_secs_f64()),
            rate_text(self.bytes, self.time)
        );
        self.log.note(text);
        if self.is_over_quota() {
            let quota = human(self.plan.quota);
            self.log
                .note(format!("Download quota of {quota} EXCEEDED!\n"));
        }
    }

    /// Gets a URL as it was given.
    pub(crate) fn get(&mut self, text: &[u8]) -> Option<Page> {
        match parse(text) {
            Ok(url) => self.get_url(&url, None),
            Err(why) => {
                let text = String::from_utf8_lossy(text);
                self.log.note(format!("{text}: {why}.\n"));
                self.fail(status::GENERIC);
                None
            }
        }
    }

    /// Gets a URL; `referer` is the page that led to it.
    pub(crate) fn get_url(&mut self, first: &Url, referer: Option<&Url>) -> Option<Page> {
        let mut url = first.clone();
        let mut name = self.name(&url);
        if self.plan.keeps_old && self.plan.output.is_none() && names::exists(&name) {
            let shown = String::from_utf8_lossy(&name).into_owned();
            self.log
                .verbose(format!("File '{shown}' already there; not retrieving.\n\n"));
            let is_html = shown.ends_with(".html") || shown.ends_with(".htm");
            let page = Page {
                url: url.clone(),
                file: Some(name),
                is_html,
                is_css: false,
            };
            self.remember(first, &page);
            return Some(page);
        }
        let mut method = self.plan.method.clone().unwrap_or_else(|| "GET".to_owned());
        let mut has_body = true;
        let (mut redirects, mut tries) = (0, 1);
        if self.plan.spider {
            self.log
                .verbose("Spider mode enabled. Check if remote file exists.\n");
        }
        loop {
            if self.requests > 0 && !self.plan.wait.is_zero() && redirects == 0 {
                std::thread::sleep(self.plan.wait);
            }
            self.requests += 1;
            let ask = Ask {
                url: &url,
                referer,
                method: &method,
                has_body,
                name: &name,
                tries,
            };
            match self.attempt(&ask) {
                Attempt::Done(page) => {
                    if let Some(page) = &page {
                        self.remember(first, page);
                    }
                    return page;
                }
                Attempt::Moved(next, keeps) => {
                    redirects += 1;
                    if redirects > self.plan.max_redirect {
                        let most = self.plan.max_redirect;
                        self.log.note(format!("{most} redirections exceeded.\n"));
                        self.fail(status::SERVER);
                        return None;
                    }
                    if !keeps && method != "HEAD" {
                        method = "GET".to_owned();
                        has_body = false;
                    }
                    url = next;
                    tries = 1;
                    if self.plan.trusts_names {
                        name = self.name(&url);
                    }
                }
                Attempt::Again(failure) => {
                    if self.plan.tries.is_some_and(|most| tries >= most) {
                        self.fail(failure);
                        return None;
                    }
                    let wait = u64::from(tries).min(self.plan.wait_retry);
                    std::thread::sleep(Duration::from_secs(wait));
                    tries += 1;
                }
                Attempt::Failed(failure) => {
                    self.fail(failure);
                    return None;
                }
            }
        }
    }

    fn remember(&mut self, first: &Url, page: &Page) {
        self.got.insert(plain(first), page.clone());
        self.got.insert(plain(&page.url), page.clone());
        self.pages.push(page.clone());
    }

    /// The file that a URL goes to, before it is known whether that one is taken.
    fn name(&self, url: &Url) -> Vec<u8> {
        match &self.plan.output {
            Some(name) => name.clone(),
            None => names::of(&self.plan, url),
        }
    }

    fn connect(&mut self, url: &Url) -> Result<(), Attempt> {
        let (host, port) = (&url.host, url.port);
        if self.client.is_connected(url) {
            let text = format!("Reusing existing connection to {host}:{port}.\n");
            self.log.verbose(text);
            return Ok(());
        }
        let is_address = host.parse::<std::net::Ipv4Addr>().is_ok();
        let mut shown = format!("{host}:{port}");
        if !is_address {
            self.log.verbose(format!("Resolving {host} ({host})... "));
            match codepod_net::resolve(host) {
                Some(address) => {
                    self.log.verbose(format!("{address}\n"));
                    shown = format!("{host} ({host})|{address}|:{port}");
                }
                None => {
                    self.log.verbose("failed: Name or service not known.\n");
                    let text = format!("wget: unable to resolve host address '{host}'\n");
                    self.log.note(text);
                    return Err(Attempt::Failed(status::NETWORK));
                }
            }
        }
        self.log.verbose(format!("Connecting to {shown}... "));
        let failed = match self.client.connect(url) {
            Ok(()) => {
                self.log.verbose("connected.\n");
                return Ok(());
            }
            Err(error) => error,
        };
        let is_refused = matches!(&failed, Error::Connect { text, why: None, .. } if text == "Connection refused");
        let (text, result) = match &failed {
            Error::Connect {
                text,
                why: Some(why),
                ..
            } => (
                format!("{text} (codepod: {why})"),
                Attempt::Failed(status::NETWORK),
            ),
            Error::Connect { text, .. } if is_refused && !self.plan.retries_refused => {
                (text.clone(), Attempt::Failed(status::NETWORK))
            }
            Error::Connect { text, .. } => (text.clone(), Attempt::Again(status::NETWORK)),
            Error::TimedOut(_) => (
                "Connection timed out".to_owned(),
                Attempt::Again(status::NETWORK),
            ),
            Error::Tls { text, verify } => {
                self.log.verbose("connected.\n");
                let what = match verify {
                    Some(_) => format!("ERROR: cannot verify {host}'s certificate: {text}.\n"),
                    None => format!("Unable to establish SSL connection: {text}.\n"),
                };
                self.log.note(what);
                return Err(Attempt::Failed(status::TLS));
            }
            other => (other.to_string(), Attempt::Again(status::NETWORK)),
        };
        self.log.note(format!("failed: {text}.\n"));
        if matches!(result, Attempt::Again(_)) {
            self.log.verbose("Retrying.\n\n");
        }
        Err(result)
    }

    fn request(&self, ask: &Ask<'_>, first: u64) -> Request {
        let plan = &self.plan;
        let mut request = Request::get(ask.url.clone());
        request.method = ask.method.to_owned();
        let mut field = |name: &str, value: Vec<u8>| request.fields.push((name.to_owned(), value));
        let referer = plan
            .referer
            .clone()
            .or_else(|| ask.referer.map(|url| url.to_string().into_bytes()));
        if let Some(referer) = referer {
            field("Referer", referer);
        }
        if plan.no_cache {
            field("Cache-Control", b"no-cache".to_vec());
            field("Pragma", b"no-cache".to_vec());
        }
        if plan.newer_only
            && plan.asks_if_modified
            && let Ok(found) = path(ask.name).metadata()
            && let Ok(time) = found.modified()
        {
            field("If-Modified-Since", date::http(time).into_bytes());
        }
        if first > 0 {
            field("Range", format!("bytes={first}-").into_bytes());
        }
        let agent = plan
            .agent
            .clone()
            .unwrap_or_else(|| b"Wget/1.21.3".to_vec());
        if !agent.is_empty() {
            field("User-Agent", agent);
        }
        field("Accept", b"*/*".to_vec());
        field("Accept-Encoding", b"identity".to_vec());
        let is_known = plan.preemptive || self.logins.contains(&ask.url.authority());
        if let Some(login) = self.login(ask.url).filter(|_| is_known) {
            field("Authorization", login.into_bytes());
        }
        field("Host", ask.url.authority().into_bytes());
        field("Connection", b"Keep-Alive".to_vec());
        if let Some(body) = plan.body.as_ref().filter(|_| ask.has_body) {
            if plan.is_form {
                field(
                    "Content-Type",
                    b"application/x-www-form-urlencoded".to_vec(),
                );
            }
            field("Content-Length", body.len().to_string().into_bytes());
            request.body = Some(body.clone());
        }
        for (name, value) in &plan.fields {
            let known = request
                .fields
                .iter_mut()
                .find(|(known, _)| known.eq_ignore_ascii_case(name));
            match known {
                Some(known) => known.1 = value.clone(),
                None => request.fields.push((name.clone(), value.clone())),
            }
        }
        request
    }

    /// The field for a name and a password, of the URL or of the options.
    fn login(&self, url: &Url) -> Option<String> {
        let (user, password) = match (&url.user, &url.password) {
            (Some(user), Some(password)) => (user, password),
            _ => (self.plan.user.as_ref()?, self.plan.password.as_ref()?),
        };
        let pair = [&user[..], b":", password].concat();
        Some(format!("Basic {}", base64(&pair)))
    }

    fn attempt(&mut self, ask: &Ask<'_>) -> Attempt {
        let shown = shown(ask.url);
        let now = date::now();
        match ask.tries {
            1 => self.log.verbose(format!("--{now}--  {shown}\n")),
            tries => self
                .log
                .verbose(format!("--{now}--  (try:{tries:>2})  {shown}\n")),
        }
        let to_file = self.output.is_none() && !self.plan.spider;
        // What is there of a file goes on where it ends.
        let mut first = 0;
        if (self.plan.continues || ask.tries > 1)
            && (to_file || self.plan.continues)
            && self.plan.output.as_deref() != Some(b"-")
        {
            first = path(ask.name).metadata().map_or(0, |found| found.len());
            if !self.plan.continues {
                first = 0;
            }
        }
        if let Err(failed) = self.connect(ask.url) {
            return failed;
        }
        let mut is_asked = false;
        loop {
            let mut request = self.request(ask, first);
            if self.plan.spider && request.method == "GET" && !self.plan.recursive {
                request.method = "HEAD".to_owned();
            }
            self.log.verbose("HTTP request sent, awaiting response... ");
            let response = match self.client.send(&request) {
                Ok(response) => response,
                Err(error) => return self.no_reply(&error),
            };
            if self.plan.shows_head {
                self.show_head(&response);
            } else {
                let reason = if response.reason.is_empty() {
                    "(no description)"
                } else {
                    &response.reason
                };
                let text = format!("{} {reason}\n", response.status);
                self.log.verbose(text);
            }
            if response.status == 401 && !is_asked && self.login(ask.url).is_some() {
                let wants = response.fields.get("www-authenticate").unwrap_or_default();
                let wants = String::from_utf8_lossy(wants).into_owned();
                let is_known = self.plan.preemptive || self.logins.contains(&ask.url.authority());
                if wants.to_ascii_lowercase().starts_with("basic") && !is_known {
                    self.log
                        .verbose(format!("Authentication selected: {wants}\n"));
                    self.logins.push(ask.url.authority());
                    self.client.done(response);
                    is_asked = true;
                    if let Err(failed) = self.connect(ask.url) {
                        return failed;
                    }
                    continue;
                }
            }
            return self.reply(ask, response, first);
        }
    }

    fn no_reply(&mut self, error: &Error) -> Attempt {
        let (text, again) = match error {
            Error::Denied(why) => (why.clone(), false),
            Error::NoReply => ("No data received".to_owned(), true),
            Error::TimedOut(_) => (
                "Read error (Connection timed out) in headers".to_owned(),
                true,
            ),
            Error::CutOff => ("Read error (Connection closed) in headers".to_owned(), true),
            Error::Malformed(what) => ((*what).to_owned(), false),
            other => (format!("Read error ({other}) in headers"), true),
        };
        match error {
            Error::Denied(_) => {
                self.log.verbose("403 Forbidden\n");
                let now = date::now();
                self.log.note(format!("{now} ERROR 403: {text}\n"));
                Attempt::Failed(status::SERVER)
            }
            Error::Malformed(_) => {
                self.log.note(format!("{text}.\n"));
                Attempt::Failed(status::PROTOCOL)
            }
            _ if again => {
                self.log.note(format!("{text}.\n"));
                self.log.verbose("Retrying.\n\n");
                Attempt::Again(status::NETWORK)
            }
            _ => Attempt::Failed(status::NETWORK),
        }
    }

    fn show_head(&mut self, response: &Response) {
        let mut text = format!(
            "\n  HTTP/1.{} {} {}\n",
            response.minor, response.status, response.reason
        );
        for (name, value) in response.fields.iter() {
            text.push_str(&format!("  {name}: {}\n", masked(value)));
        }
        self.log.verbose(text);
    }

    /// What a reply means.
    fn reply(&mut self, ask: &Ask<'_>, response: Response, first: u64) -> Attempt {
        let plan = &self.plan;
        if redirect::is_one(&response) {
            let location = response.fields.get("location").unwrap_or_default().to_vec();
            let keeps = matches!(response.status, 307 | 308);
            let shown = masked(&location);
            self.client.done(response);
            return match ask.url.join(&location) {
                Ok(mut next) => {
                    if next.same_origin(ask.url) && next.user.is_none() {
                        next.user = ask.url.user.clone();
                        next.password = ask.url.password.clone();
                    }
                    self.log.verbose(format!("Location: {shown} [following]\n"));
                    Attempt::Moved(next, keeps)
                }
                Err(why) => {
                    self.log.verbose(format!("Location: {shown} [following]\n"));
                    self.log.note(format!("{shown}: {}.\n", bad(why)));
                    Attempt::Failed(status::SERVER)
                }
            };
        }
        if response.status == 401 {
            self.log.verbose("\n");
            self.log.note("Username/Password Authentication Failed.\n");
            self.client.done(response);
            return Attempt::Failed(status::LOGIN);
        }
        let is_whole = response.status == 416 && first > 0;
        if is_whole {
            self.log
                .verbose("\n    The file is already fully retrieved; nothing to do.\n\n");
            self.client.done(response);
            return Attempt::Done(self.page(ask, &[], Some(ask.name.to_vec())));
        }
        if response.status == 304 && plan.newer_only {
            let name = String::from_utf8_lossy(ask.name).into_owned();
            self.log.verbose(format!(
                "File '{name}' not modified on server. Omitting download.\n\n"
            ));
            self.client.done(response);
            return Attempt::Done(self.page(ask, &[], Some(ask.name.to_vec())));
        }
        let is_good = (200..300).contains(&response.status);
        if !is_good && !(plan.content_on_error && !plan.spider) {
            return self.refused(ask, response);
        }
        if plan.newer_only
            && is_good
            && let Some(time) = response.fields.get("last-modified").and_then(date::parse)
            && let Ok(found) = path(ask.name).metadata()
            && found.modified().is_ok_and(|own| own >= time)
            && response
                .body
                .length()
                .is_none_or(|length| length == found.len())
        {
            let name = String::from_utf8_lossy(ask.name).into_owned();
            self.log.verbose(format!(
                "Server file no newer than local file '{name}' -- not retrieving.\n\n"
            ));
            return Attempt::Done(self.page(ask, &[], Some(ask.name.to_vec())));
        }
        self.body(ask, response, first)
    }

    fn refused(&mut self, ask: &Ask<'_>, response: Response) -> Attempt {
        let (number, reason) = (response.status, response.reason.clone());
        let again = self.plan.retries_status.contains(&number);
        self.client.done(response);
        if self.plan.spider {
            if self.log.loudness == Loudness::NotVerbose {
                self.log.note(format!("{}:\n", shown(ask.url)));
            }
            self.log
                .note("Remote file does not exist -- broken link!!!\n");
            self.log.verbose("\n");
            return Attempt::Failed(status::SERVER);
        }
        let now = date::now();
        self.log.short(format!("{}:\n", shown(ask.url)));
        let text = if reason.is_empty() {
            "(no description)".to_owned()
        } else {
            reason
        };
        self.log.note(format!("{now} ERROR {number}: {text}.\n"));
        self.log.verbose("\n");
        match again {
            true => Attempt::Again(status::SERVER),
            false => Attempt::Failed(status::SERVER),
        }
    }

    fn page(&self, ask: &Ask<'_>, kind: &[u8], file: Option<Vec<u8>>) -> Option<Page> {
        let name = file.as_deref().unwrap_or_default();
        let suffix = |end: &[u8]| kind.is_empty() && name.ends_with(end);
        Some(Page {
            url: plain(ask.url),
            is_html: matches!(kind, b"text/html" | b"application/xhtml+xml")
                || suffix(b".html")
                || suffix(b".htm"),
            is_css: kind == b"text/css" || suffix(b".css"),
            file,
        })
    }

    /// Whether a file goes again once it was looked at.
    pub(crate) fn is_passing(&self, name: &[u8]) -> bool {
        let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_recursive = self.plan.recursive || self.plan.requisites;
        self.plan.deletes || is_recursive && !is_accepted(&self.plan, last)
    }

    /// Removes a file that goes again.
    pub(crate) fn tidy(&mut self, page: &Page) {
        let Some(file) = page.file.as_ref().filter(|file| file.ends_with(b".tmp")) else {
            return;
        };
        if !self.is_passing(&file[..file.len() - 4]) {
            return;
        }
        let shown = String::from_utf8_lossy(file).into_owned();
        self.log.verbose(match self.plan.deletes {
            true => format!("Removing {shown}.\n"),
            false => format!("Removing {shown} since it should be rejected.\n\n"),
        });
        if let Err(error) = std::fs::remove_file(path(file)) {
            let text = codepod_tool::io_text(&error);
            self.log.note(format!("unlink: {text}\n"));
        }
        self.pages.retain(|other| other.file.as_ref() != Some(file));
        self.got
            .retain(|_, other| other.file.as_ref() != Some(file));
    }

    /// Takes what comes.
    fn body(&mut self, ask: &Ask<'_>, mut response: Response, first: u64) -> Attempt {
        let kind = response.fields.get("content-type").unwrap_or_default();
        let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default();
        let kind = kind.trim_ascii().to_ascii_lowercase();
        let first = match range_start(&response) {
            Some(start) if start == first => first,
            _ => 0,
        };
        let is_head = self.plan.spider;
        let length = match is_head {
            true => response.fields.get("content-length").and_then(number),
            false => response.body.length(),
        };
        let total = length.map(|length| length + first);
        if (200..300).contains(&response.status) {
            self.log.verbose(length_text(total, first, &kind));
        }
        if self.plan.spider && !self.plan.recursive {
            let text = match kind == b"text/html" {
                true => {
                    "Remote file exists and could contain further links,\nbut recursion is disabled -- not retrieving.\n\n"
                }
                false => "Remote file exists.\n\n",
            };
            self.log.verbose(text);
            let now = date::now();
            let reason = response.reason.clone();
            self.log.short(format!(
                "{now} URL: {} {} {reason}\n",
                shown(ask.url),
                response.status
            ));
            self.client.done(response);
            return Attempt::Done(None);
        }
        let mut name = ask.name.to_vec();
        if self.plan.output.is_none() {
            if self.plan.content_disposition
                && let Some(given) = response
                    .fields
                    .get("content-disposition")
                    .and_then(names::disposition)
            {
                let end = name
                    .iter()
                    .rposition(|byte| *byte == b'/')
                    .map_or(0, |at| at + 1);
                name.truncate(end);
                name.extend(given);
            }
            if self.plan.adjusts {
                adjust(&mut name, &kind);
            }
            let overwrites = self.plan.continues
                || self.plan.newer_only
                || ask.tries > 1
                || (self.plan.has_directories() && (self.plan.recursive || self.plan.requisites));
            if self.is_passing(&name) {
                name.extend(b".tmp");
            }
            if !overwrites {
                name = names::unique(&name);
            }
        }
        let (is_stdout, written) = (matches!(self.output, Some(Output::Stdout)), &name);
        let shown_name = match is_stdout {
            true => "STDOUT".to_owned(),
            false => String::from_utf8_lossy(written).into_owned(),
        };
        let mut file = match self.output {
            Some(_) => None,
            None => match open(&name, first) {
                Ok(file) => Some(file),
                Err(error) => {
                    let text = codepod_tool::io_text(&error);
                    self.log.note(format!(
                        "{shown_name}: {text}\n\nCannot write to '{shown_name}' ({text}).\n"
                    ));
                    return Attempt::Failed(status::FILES);
                }
            },
        };
        self.log.verbose(format!("Saving to: '{shown_name}'\n"));
        let mut dots = Dots::new(&mut self.log, first, total);
        let copied = self.copy(&mut response, &mut file, &mut dots);
        let time = dots.elapsed();
        dots.finish(&mut self.log);
        if self.plan.newer_only && response.fields.get("last-modified").is_none() {
            let text = "Last-modified header missing -- time-stamps turned off.\n";
            self.log.note(text);
        }
        let (count, failed) = copied;
        self.bytes += count;
        self.time += time;
        let now = date::now();
        let rate = rate_text(count, time);
        match failed {
            None => {}
            Some(Broken::Writing(text)) => {
                self.log
                    .note(format!("Cannot write to '{shown_name}' ({text}).\n"));
                return Attempt::Failed(status::FILES);
            }
            Some(Broken::Reading(error)) => {
                let place = first + count;
                let text = match (&error, total) {
                    (Error::CutOff, _) => {
                        format!("{now} ({rate}) - Connection closed at byte {place}. ")
                    }
                    (error, Some(total)) => {
                        format!("{now} ({rate}) - Read error at byte {place}/{total} ({error}). ")
                    }
                    (error, None) => {
                        format!("{now} ({rate}) - Read error at byte {place} ({error}). ")
                    }
                };
                self.log.note(text);
                let is_last = self.plan.tries.is_some_and(|most| ask.tries >= most);
                self.log.note(if is_last {
                    "Giving up.\n\n"
                } else {
                    "Retrying.\n\n"
                });
                return Attempt::Again(status::NETWORK);
            }
        }
        if let (Some(file), Some(time), true) = (
            &file,
            response.fields.get("last-modified").and_then(date::parse),
            self.plan.sets_time,
        ) {
            set_time(file, time);
        } else if let (Some(Output::File(file)), Some(time), true) = (
            &self.output,
            response.fields.get("last-modified").and_then(date::parse),
            self.plan.sets_time,
        ) {
            set_time(file, time);
        }
        drop(file);
        let (number, reason) = (response.status, response.reason.clone());
        let end = first + count;
        self.client.done(response);
        if !(200..300).contains(&number) {
            self.log.short(format!("{}:\n", shown(ask.url)));
            self.log.note(format!("{now} ERROR {number}: {reason}.\n"));
            self.log.verbose("\n");
            return Attempt::Failed(status::SERVER);
        }
        self.files += 1;
        let sizes = total.map_or_else(|| format!("[{end}]"), |total| format!("[{end}/{total}]"));
        let done = match is_stdout {
            true => "written to stdout".to_owned(),
            false => format!("'{shown_name}' saved"),
        };
        self.log
            .verbose(format!("{now} ({rate}) - {done} {sizes}\n\n"));
        let short_name = if is_stdout { "-" } else { &shown_name };
        let tries = ask.tries;
        self.log.short(format!(
            "{now} URL:{} {sizes} -> \"{short_name}\" [{tries}]\n",
            shown(ask.url)
        ));
        let place = (!is_stdout).then_some(name);
        Attempt::Done(self.page(ask, &kind, place))
    }

    /// Writes a body. Returns how much, and why it ended too soon.
    fn copy(
        &mut self,
        response: &mut Response,
        file: &mut Option<File>,
        dots: &mut Dots,
    ) -> (u64, Option<Broken>) {
        let mut buffer = vec![0; PIECE];
        let mut count = 0;
        let started = Instant::now();
        loop {
            let most = self
                .plan
                .limit_rate
                .map_or(PIECE, |rate| (rate as usize / 10).clamp(1, PIECE));
            let read = match response.body.read(&mut buffer[..most]) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => return (count, Some(Broken::Reading(error))),
            };
            let piece = &buffer[..read];
            let written = match (&mut *file, &mut self.output) {
                (Some(file), _) => file.write_all(piece),
                (None, Some(Output::File(file))) => file.write_all(piece),
                (None, _) => std::io::stdout().write_all(piece),
            };
            if let Err(error) = written {
                return (count, Some(Broken::Writing(codepod_tool::io_text(&error))));
            }
            count += read as u64;
            dots.add(&mut self.log, read as u64);
            if let Some(rate) = self.plan.limit_rate {
                let due = Duration::from_secs_f64(count as f64 / rate as f64);
                std::thread::sleep(due.saturating_sub(started.elapsed()));
            }
        }
        let _ = std::io::stdout().flush();
        (count, None)
    }
}

/// Why a body ended too soon.
enum Broken {
    Reading(Error),
    Writing(String),
}

/// What is asked for.
struct Ask<'a> {
    url: &'a Url,
    referer: Option<&'a Url>,
    method: &'a str,
    has_body: bool,
    name: &'a [u8],
    tries: u32,
}

fn open(name: &[u8], first: u64) -> std::io::Result<File> {
    if let Some(above) = path(name)
        .parent()
        .filter(|above| !above.as_os_str().is_empty())
    {
        std::fs::create_dir_all(above)?;
    }
    let mut options = OpenOptions::new();
    options
        .create(true)
        .write(true)
        .append(first > 0)
        .truncate(first == 0);
    options.open(path(name))
}

fn set_time(file: &File, time: SystemTime) {
    // A file system without times has the file all the same.
    let _ = file.set_modified(time);
}

/// Says that a file cannot be opened. Returns the status.
fn cannot(name: &[u8], error: &std::io::Error, status: i32) -> i32 {
    use std::io::Write as _;
    let line = format!(
        "{}: {}\n",
        String::from_utf8_lossy(name),
        codepod_tool::io_text(error)
    );
    let _ = std::io::stderr().write_all(line.as_bytes());
    status
}

/// Reads a URL as it is given: `http://` may be left out.
fn parse(text: &[u8]) -> Result<Url, &'static str> {
    let has_scheme = text.windows(3).any(|part| part == b"://");
    let whole = match has_scheme {
        true => text.to_vec(),
        false => [b"http://", text].concat(),
    };
    Url::parse(&whole).map_err(bad)
}

fn bad(why: BadUrl) -> &'static str {
    match why {
        BadUrl::Scheme => "Unsupported scheme (codepod's wget speaks http and https)",
        BadUrl::Host => "Invalid host name",
        BadUrl::Port => "Bad port number",
        BadUrl::Text => "Invalid URL",
    }
}

/// A URL without name and password, to compare by.
pub(crate) fn plain(url: &Url) -> Url {
    Url {
        user: None,
        password: None,
        ..url.clone()
    }
}

/// A URL as messages have it: without the password.
fn shown(url: &Url) -> String {
    let text = url.to_string();
    match (&url.user, &url.password) {
        (None, _) => text,
        (Some(user), password) => {
            let user = String::from_utf8_lossy(user);
            let hidden = if password.is_some() {
                ":*password*"
            } else {
                ""
            };
            text.replacen("://", &format!("://{user}{hidden}@"), 1)
        }
    }
}

/// A value of a field for a message: escapes of a terminal are not the server's to send.
fn masked(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    text.chars()
        .map(|one| if one.is_control() { '?' } else { one })
        .collect()
}

fn number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

/// Where a part begins: `bytes 100-199/200`.
fn range_start(response: &Response) -> Option<u64> {
    let field = response
        .fields
        .get("content-range")
        .filter(|_| response.status == 206)?;
    let text = std::str::from_utf8(field).ok()?.trim();
    let rest = text.strip_prefix("bytes")?.trim_start_matches([' ', ':']);
    rest.split('-').next()?.trim().parse().ok()
}

fn length_text(total: Option<u64>, first: u64, kind: &[u8]) -> String {
    let mut text = "Length: ".to_owned();
    match total {
        None => text.push_str("unspecified"),
        Some(total) => {
            text.push_str(&total.to_string());
            if total >= 1024 {
                text.push_str(&format!(" ({})", human(total)));
            }
            let left = total - first;
            if first > 0 {
                match left >= 1024 {
                    true => text.push_str(&format!(", {left} ({}) remaining", human(left))),
                    false => text.push_str(&format!(", {left} remaining")),
                }
            }
        }
    }
    match kind {
        b"" => text.push('\n'),
        kind => text.push_str(&format!(" [{}]\n", masked(kind))),
    }
    text
}

/// Gives a page the end of its name that says what it is.
fn adjust(name: &mut Vec<u8>, kind: &[u8]) {
    let lower = name.to_ascii_lowercase();
    let end: &[u8] = match kind {
        b"text/html" | b"application/xhtml+xml" => {
            if lower.ends_with(b".html") || lower.ends_with(b".htm") {
                return;
            }
            b".html"
        }
        b"text/css" if !lower.ends_with(b".css") => b".css",
        _ => return,
    };
    name.extend_from_slice(end);
}
