//! What pages lead to: level by level, by the rules of the options.

use std::collections::{HashMap, HashSet, VecDeque};

use codepod_net::Url;
use codepod_tool::path;

use crate::links::{self, Link};
use crate::options::Plan;
use crate::retrieve::{Page, Retriever, plain};
use crate::robots::Robots;

/// The most URLs that wait.
const MOST: usize = 1_000_000;

/// A URL that waits.
struct Todo {
    url: Url,
    referer: Option<Url>,
    depth: usize,
    /// Whether links in it are followed.
    is_html: bool,
}

/// Gets a URL and what it leads to.
pub(crate) fn run(retriever: &mut Retriever, start: &[u8]) {
    let whole = match start.windows(3).any(|part| part == b"://") {
        true => start.to_vec(),
        false => [b"http://", start].concat(),
    };
    let Ok(start) = Url::parse(&whole) else {
        retriever.get(start);
        return;
    };
    let mut walk = Walk {
        seen: HashSet::from([plain(&start)]),
        robots: HashMap::new(),
        start: start.clone(),
    };
    let mut todo = VecDeque::from([Todo {
        url: start,
        referer: None,
        depth: 0,
        is_html: true,
    }]);
    while let Some(next) = todo.pop_front() {
        if retriever.is_over_quota() {
            return;
        }
        let known = retriever.got.get(&plain(&next.url)).cloned();
        let page = match known {
            Some(page) => Some(page),
            None => retriever.get_url(&next.url, next.referer.as_ref()),
        };
        let Some(page) = page else {
            continue;
        };
        walk.seen.insert(plain(&page.url));
        if next.depth == 0 && page.url.host != walk.start.host {
            // The first URL may lead to another host: that one is meant.
            walk.start = page.url.clone();
        }
        walk.descend(retriever, &next, &page, &mut todo);
        retriever.tidy(&page);
    }
}

struct Walk {
    seen: HashSet<Url>,
    robots: HashMap<String, Robots>,
    start: Url,
}

impl Walk {
    fn descend(
        &mut self,
        retriever: &mut Retriever,
        from: &Todo,
        page: &Page,
        todo: &mut VecDeque<Todo>,
    ) {
        if !(page.is_css || page.is_html && from.is_html) {
            return;
        }
        let plan = retriever.plan.clone();
        let is_deepest = plan.level.is_some_and(|level| from.depth >= level) || !plan.recursive;
        // Beyond the last level come only the parts of a page.
        if is_deepest && !plan.requisites {
            return;
        }
        let Some(text) = page
            .file
            .as_ref()
            .and_then(|file| std::fs::read(path(file)).ok())
        else {
            return;
        };
        for (link, url) in resolved(&text, page) {
            if is_deepest && !link.is_part {
                continue;
            }
            let url = plain(&url);
            if self.seen.contains(&url) || todo.len() >= MOST {
                continue;
            }
            if !self.is_wanted(retriever, &plan, &link, &url, from, page) {
                continue;
            }
            self.seen.insert(url.clone());
            todo.push_back(Todo {
                url,
                referer: Some(page.url.clone()),
                depth: from.depth + 1,
                is_html: !(is_deepest && link.is_part && link.in_css),
            });
        }
    }

    fn is_wanted(
        &mut self,
        retriever: &mut Retriever,
        plan: &Plan,
        link: &Link,
        url: &Url,
        from: &Todo,
        page: &Page,
    ) -> bool {
        let is_part = link.is_part && plan.requisites;
        let (directory, file) = url
            .path
            .split('?')
            .next()
            .unwrap_or_default()
            .rsplit_once('/')
            .unwrap_or(("", ""));
        if plan.no_parent && !is_part && url.host == self.start.host && url.port == self.start.port
        {
            let top = self.start.path.split('?').next().unwrap_or_default();
            let top = top.rsplit_once('/').map_or("", |(top, _)| top);
            if !below(directory, top) {
                return false;
            }
        }
        let starts = |list: &[Vec<u8>]| {
            list.iter()
                .any(|one| below(directory, &String::from_utf8_lossy(one)))
        };
        if !plan.include_directories.is_empty() && !starts(&plan.include_directories) {
            return false;
        }
        if starts(&plan.exclude_directories) {
            return false;
        }
        let is_page = has_html_suffix(file) || file.is_empty();
        let goes_on = plan.level.is_none_or(|level| from.depth + 1 < level) || plan.requisites;
        if !file.is_empty() && !(is_page && goes_on) && !is_accepted(plan, file.as_bytes()) {
            return false;
        }
        let of = |list: &[String]| {
            list.iter()
                .any(|domain| url.host == *domain || url.host.ends_with(&format!(".{domain}")))
        };
        if !plan.domains.is_empty() && !of(&plan.domains) || of(&plan.exclude_domains) {
            return false;
        }
        if !plan.spans_hosts && url.host != page.url.host {
            return false;
        }
        !plan.heeds_robots || self.may_robots(retriever, url)
    }

    /// Whether robots may have a URL; the rules of each host are asked for once.
    fn may_robots(&mut self, retriever: &mut Retriever, url: &Url) -> bool {
        let host = format!("{}://{}", url.scheme.name(), url.authority());
        if !self.robots.contains_key(&host) {
            let rules = load(retriever, url);
            self.robots.insert(host.clone(), rules);
        }
        self.robots
            .get(&host)
            .is_none_or(|robots| robots.allow(&url.path))
    }
}

/// Gets the rules of a host.
fn load(retriever: &mut Retriever, url: &Url) -> Robots {
    retriever
        .log
        .verbose("Loading robots.txt; please ignore errors.\n");
    let robots = Url {
        path: "/robots.txt".to_owned(),
        ..plain(url)
    };
    let before = retriever.status();
    let page = retriever.get_url(&robots, None);
    retriever.forgive(before);
    let file = page.and_then(|page| page.file);
    match file.map(|file| std::fs::read(path(&file))) {
        Some(Ok(text)) => Robots::parse(&text),
        _ => Robots::default(),
    }
}

/// Whether a directory is another or below it.
fn below(directory: &str, top: &str) -> bool {
    let top = top.trim_end_matches('/');
    directory
        .strip_prefix(top)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn has_html_suffix(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [".html", ".htm", ".shtml", ".xhtml"]
        .iter()
        .any(|end| lower.ends_with(end))
}

/// Whether the lists of the options let a file in.
pub(crate) fn is_accepted(plan: &Plan, name: &[u8]) -> bool {
    let fits = |list: &[Vec<u8>]| {
        list.iter()
            .any(|pattern| matches(pattern, name, plan.ignores_case))
    };
    (plan.accept.is_empty() || fits(&plan.accept)) && !fits(&plan.reject)
}

/// Whether a name fits a pattern, or ends with it where it has no wildcards.
fn matches(pattern: &[u8], name: &[u8], ignores_case: bool) -> bool {
    let (pattern, name) = match ignores_case {
        true => (pattern.to_ascii_lowercase(), name.to_ascii_lowercase()),
        false => (pattern.to_vec(), name.to_vec()),
    };
    match pattern.iter().any(|byte| b"*?[".contains(byte)) {
        true => glob(&pattern, &name),
        false => name.ends_with(&pattern),
    }
}

/// `*`, `?` and `[…]`, without going back more than once for each star.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => class(&pattern[p..], name[n]),
            Some(byte) if *byte == name[n] => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(step), _) => {
                p += step;
                n += 1;
            }
            (None, Some((after, from))) => {
                star = Some((after, from + 1));
                (p, n) = (after, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// The length of a class that a byte is in.
fn class(pattern: &[u8], byte: u8) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|one| *one == b']')? + 2;
    let inner = &pattern[1..end];
    let (negated, inner) = match inner.first() {
        Some(b'!' | b'^') => (true, &inner[1..]),
        _ => (false, inner),
    };
    let mut found = false;
    let mut at = 0;
    while at < inner.len() {
        match inner.get(at..at + 3) {
            Some([low, b'-', high]) => {
                found |= (*low..=*high).contains(&byte);
                at += 3;
            }
            _ => {
                found |= inner[at] == byte;
                at += 1;
            }
        }
    }
    (found != negated).then_some(end + 1)
}

/// The links of a page with the URLs that they lead to.
pub(crate) fn resolved(text: &[u8], page: &Page) -> Vec<(Link, Url)> {
    let links = match page.is_css {
        true => links::css(text, 0),
        false => links::html(text),
    };
    let mut base = page.url.clone();
    let mut found = Vec::new();
    for link in links {
        let Ok(url) = base.join(&link.target) else {
            continue;
        };
        match link.is_base {
            true => base = url,
            false => found.push((link, url)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns_or_ends() {
        for (pattern, name, fits) in [
            ("png", "a.png", true),
            ("png", "png.a", false),
            ("*.p?g", "a.png", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[", "[", false),
            ("*", "", true),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), name.as_bytes(), false),
                fits,
                "{pattern} {name}"
            );
        }
        assert!(matches(b"PNG", b"a.png", true));
        assert!(
            below("/a/b", "/a") && below("/a", "/a/") && !below("/ab", "/a") && below("/x", "")
        );
    }
}
