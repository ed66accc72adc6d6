//! `git fetch`: the references that are asked for, what is to follow them here, and how that goes.

use super::refspec::{self, Refspec};
use super::remotes::{default_remote, names, url};
use super::transfer::{For, Other, Row, open, print_rows, shown_place};
use super::{Call, short_ref};
use crate::args::options;
use crate::ident::{Role, identity};
use crate::oid::Oid;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::wire::fetch::{Depth, Wanted};
use crate::{date, os, out, walk};

options! {
    /// What the command line says.
    struct Options for "fetch" {
        quiet: bool = "q|quiet",
        all: bool = "all",
        force: bool = "f|force",
        tags: Option<bool> = ["t|tags" => true, "no-tags" => false, "n|" => false],
        prune: Option<bool> = "p|prune",
        depth: Option<String> = "depth=",
        deepen: Option<String> = "deepen=",
        since: Option<String> = "shallow-since=",
        unshallow: bool = "unshallow",
        update_head: bool = "u|update-head-ok",
    }
    ignored "v|verbose upload-pack= m|multiple j|jobs= P|prune-tags recurse-submodules? \
        write-fetch-head k|keep progress refetch atomic"
    refused "dry-run porcelain a|append set-upstream prefetch shallow-exclude= filter= \
        o|server-option= refmap="
}

/// How a fetch goes.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) quiet: bool,
    /// Whether references go whose branch the other repository has no more.
    pub(crate) prune: bool,
    /// All tags, or none; without a word, those of the commits that come.
    pub(crate) tags: Option<bool>,
    pub(crate) force: bool,
    /// Whether the branch that is checked out may be moved.
    pub(crate) update_head: bool,
    /// How far back history goes.
    pub(crate) depth: Depth,
}

/// A reference of the other repository that was asked for: a line of `FETCH_HEAD`.
pub(crate) struct Head {
    pub(crate) oid: Oid,
    /// Its full name there.
    pub(crate) name: Vec<u8>,
    /// Whether `pull` merges it.
    pub(crate) for_merge: bool,
    /// Whether it was said where it goes.
    has_target: bool,
}

/// Where it comes from.
struct Source<'a> {
    /// The remote's name, or the path that was given.
    name: &'a [u8],
    place: Vec<u8>,
    is_remote: bool,
    /// What the settings say of the remote.
    specs: Vec<Refspec>,
    other: Other,
}

/// A reference of this repository that is to follow one of the other. The names are full.
struct Update {
    from: Vec<u8>,
    to: Vec<u8>,
    oid: Oid,
    force: bool,
}

/// `git fetch`.
pub(crate) fn fetch(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let settings = Settings {
        quiet: options.quiet,
        prune: (options.prune).unwrap_or(repo.config.truth("fetch.prune") == Some(true)),
        tags: options.tags,
        force: options.force,
        update_head: options.update_head,
        depth: depth(&repo, &options)?,
    };
    if options.all {
        for name in names(&repo) {
            out::line(format!("Fetching {}", show(&name)));
            fetch_from(&repo, &name, &[], &settings)?;
        }
        return Ok(0);
    }
    let (name, specs) = match &rest.words[..] {
        [] => (default_remote(&repo), &[][..]),
        [name, specs @ ..] => (name.clone(), specs),
    };
    let specs = with_tags(specs)?;
    if rest.words.is_empty() && url(&repo, &name).is_none() {
        return fatal(
            "No remote repository specified.  Please, specify either a URL or a\nremote name from which new revisions should be fetched.",
        );
    }
    fetch_from(&repo, &name, &specs, &settings)?;
    Ok(0)
}

/// The words, with `tag NAME` as the refspec that it stands for.
fn with_tags(words: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    let mut specs = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word != b"tag" {
            specs.push(word.clone());
            continue;
        }
        match words.next() {
            Some(name) => {
                let full = [b"refs/tags/", &name[..]].concat();
                specs.push([&full[..], b":", &full].concat());
            }
            None => return fatal("You need to specify a tag name."),
        }
    }
    Ok(specs)
}

/// How far back history is to go.
fn depth(repo: &Repo, options: &Options) -> Result<Depth> {
    if options.unshallow {
        return match repo.objects.shallow().is_empty() {
            true => fatal("--unshallow on a complete repository does not make sense"),
            false => Ok(Depth::ALL),
        };
    }
    if let Some(time) = &options.since {
        return Ok(Depth::Since(date::approximate(time, date::now())));
    }
    if let Some(count) = &options.deepen {
        return Ok(Depth::Deepen(parse_depth(count)?));
    }
    options.depth.as_deref().map_or(Ok(Depth::AsItIs), |count| {
        Ok(Depth::Commits(parse_depth(count)?))
    })
}

/// Reads the number of `--depth`.
pub(crate) fn parse_depth(text: &str) -> Result<u32> {
    match text.parse() {
        Ok(count @ 1..=0x7fff_ffff) => Ok(count),
        _ => fatal(format!("depth {text} is not a positive number")),
    }
}

/// Brings what the specs name, or all branches of a remote. Returns the references asked for.
pub(crate) fn fetch_from(
    repo: &Repo,
    name: &[u8],
    specs: &[Vec<u8>],
    settings: &Settings,
) -> Result<Vec<Head>> {
    let source = source(repo, name, specs, settings)?;
    let who = identity(repo, Role::Committer, false)?;
    let (mut heads, updates) = match specs {
        [] => (branch_heads(repo, &source), branch_updates(&source)),
        _ => named(&source, specs, settings)?,
    };
    if !settings.update_head {
        keep_head(repo, &updates)?;
    }
    let mut starts: Vec<Oid> = heads.iter().map(|head| head.oid).collect();
    starts.extend(updates.iter().map(|update| update.oid));
    let key = [b"remote.", name, b".tagopt"].concat();
    let setting = match repo.config.get_bytes(&key) {
        Some(b"--no-tags") => Some(false),
        Some(b"--tags") => Some(true),
        _ => None,
    };
    let tag_option = settings.tags.or(setting);
    // Without a word tags follow what goes into this repository.
    let comes_in = match specs {
        [] => !source.specs.is_empty(),
        _ => heads.iter().any(|head| head.has_target),
    };
    let follows = tag_option.unwrap_or(comes_in);
    let wanted = Wanted {
        oids: &starts,
        depth: settings.depth,
        with_tags: follows,
        is_clone: false,
    };
    source.other.bring(repo, wanted)?;
    let mut tags = match follows {
        true => tags(repo, &source, tag_option == Some(true), wanted)?,
        false => Vec::new(),
    };
    tags.retain(|tag| updates.iter().all(|update| update.to != tag.to));
    let mut rows = Vec::new();
    if settings.prune {
        rows.extend(prune(repo, &source)?);
    }
    // Each head that was asked for is told of, with where it goes.
    let mut asked = updates.iter();
    let shows_heads = !specs.is_empty() || updates.is_empty() && tags.is_empty();
    for head in &heads {
        if head.has_target {
            let update = asked.next().map(|own| apply(repo, &source, own, &who));
            rows.extend(update.transpose()?.flatten());
        } else if head.for_merge && shows_heads {
            rows.push(head_row(head));
        }
    }
    for update in asked.chain(&tags) {
        rows.extend(apply(repo, &source, update, &who)?);
    }
    if !specs.is_empty() {
        // What follows the same references at other times follows them now.
        for head in &heads {
            if let Some(update) = passing(&source, head) {
                rows.extend(apply(repo, &source, &update, &who)?);
            }
        }
    }
    heads.extend(tags.iter().map(|tag| Head {
        oid: tag.oid,
        name: tag.from.clone(),
        for_merge: false,
        has_target: true,
    }));
    write_heads(repo, &source, &heads)?;
    if !settings.quiet {
        let rows: Vec<&Row> = rows.iter().collect();
        print_rows("From", &shown_place(&source.place), &rows);
    }
    match rows.iter().any(|row| row.flag == '!') {
        true => Err(Stop::Status(1)),
        false => Ok(heads),
    }
}

fn source<'a>(
    repo: &Repo,
    name: &'a [u8],
    specs: &[Vec<u8>],
    settings: &Settings,
) -> Result<Source<'a>> {
    let known = url(repo, name);
    let is_remote = known.is_some();
    let place = known.unwrap_or_else(|| name.to_vec());
    let base = repo.work_tree.as_ref().unwrap_or(&repo.started_in);
    let configured = match is_remote {
        true => refspec::configured(repo, name)?,
        false => Vec::new(),
    };
    let mut prefixes = vec![b"HEAD".to_vec(), b"refs/tags/".to_vec()];
    if specs.is_empty() {
        prefixes.extend(configured.iter().map(|spec| spec.prefix().to_vec()));
        prefixes.push(b"refs/heads/".to_vec());
    }
    for word in specs {
        let spec = Refspec::parse(word)?;
        for prefix in ["", "refs/", "refs/heads/", "refs/tags/"] {
            prefixes.push([prefix.as_bytes(), spec.prefix()].concat());
        }
    }
    let other = open(
        &repo.config,
        &place,
        base,
        For::Fetch(&prefixes),
        settings.quiet,
    )?;
    Ok(Source {
        name,
        place: other.place.clone(),
        is_remote,
        specs: configured,
        other,
    })
}

/// What is asked for when nothing is named: what the settings say of a remote, or `HEAD`.
fn branch_heads(repo: &Repo, source: &Source<'_>) -> Vec<Head> {
    if !source.is_remote || source.specs.is_empty() {
        let head = source.other.resolve(b"HEAD").map(|oid| Head {
            oid,
            name: b"HEAD".to_vec(),
            for_merge: true,
            has_target: false,
        });
        return head.into_iter().collect();
    }
    let current = repo.branch().unwrap_or_default();
    let setting = |what: &[u8]| {
        let key = [b"branch.", &current[..], b".", what].concat();
        repo.config.get_bytes(&key)
    };
    let follows = setting(b"remote") == Some(source.name);
    let merges = setting(b"merge").filter(|_| follows);
    let fits = |name: &[u8]| source.specs.iter().any(|spec| spec.map(name).is_some());
    let mut heads: Vec<Head> = (source.other.all(b"refs/").into_iter())
        .map(|(name, oid)| Head {
            oid,
            for_merge: merges == Some(&name[..]),
            has_target: false,
            name,
        })
        .filter(|head| head.for_merge || fits(&head.name))
        .collect();
    heads.sort_by_key(|head| !head.for_merge);
    heads
}

/// What follows the references of a remote.
fn branch_updates(source: &Source<'_>) -> Vec<Update> {
    let all = source.other.all(b"refs/").into_iter();
    let updates = all.filter_map(|(from, oid)| {
        let (to, force) = refspec::tracking(&source.specs, &from)?;
        Some(Update {
            from,
            to,
            oid,
            force,
        })
    });
    updates.collect()
}

/// What follows a reference of a remote whenever all of it is brought.
fn passing(source: &Source<'_>, head: &Head) -> Option<Update> {
    let (to, force) = refspec::tracking(&source.specs, &head.name)?;
    Some(Update {
        from: head.name.clone(),
        to,
        oid: head.oid,
        force,
    })
}

/// Refuses to move the branch that is checked out, whose files would stay behind.
fn keep_head(repo: &Repo, updates: &[Update]) -> Result<()> {
    let (Some(branch), Some(tree)) = (repo.refs.head_branch(), &repo.work_tree) else {
        return Ok(());
    };
    match updates.iter().any(|update| update.to == branch) {
        false => Ok(()),
        true => fatal(format!(
            "refusing to fetch into branch '{}' checked out at '{}'",
            show(&branch),
            show(tree)
        )),
    }
}

/// What the words `[+]SOURCE[:TARGET]` ask for, and what is to follow it, an update for each that
/// has a target, in their order.
fn named(
    source: &Source<'_>,
    specs: &[Vec<u8>],
    settings: &Settings,
) -> Result<(Vec<Head>, Vec<Update>)> {
    let mut heads = Vec::new();
    let mut updates = Vec::new();
    for word in specs {
        let spec = Refspec::parse(word)?;
        let force = spec.force || settings.force;
        if spec.from.contains(&b'*') {
            for (from, oid) in source.other.all(b"refs/") {
                let Some(to) = spec.map(&from) else {
                    continue;
                };
                heads.push(Head {
                    oid,
                    name: from.clone(),
                    for_merge: true,
                    has_target: !to.is_empty(),
                });
                if !to.is_empty() {
                    updates.push(Update {
                        from,
                        to,
                        oid,
                        force,
                    });
                }
            }
            continue;
        }
        let name: &[u8] = match &spec.from[..] {
            b"" => b"HEAD",
            name => name,
        };
        let target = &spec.to[..];
        let found = ["", "refs/", "refs/tags/", "refs/heads/"]
            .iter()
            .find_map(|prefix| {
                let full = [prefix.as_bytes(), name].concat();
                let oid = source
                    .other
                    .resolve(&full)
                    .filter(|_| full == b"HEAD" || full.starts_with(b"refs/"));
                oid.map(|oid| (full, oid))
            });
        let Some((from, oid)) = found else {
            return fatal(format!("couldn't find remote ref {}", show(name)));
        };
        heads.push(Head {
            oid,
            name: from.clone(),
            for_merge: true,
            has_target: !target.is_empty(),
        });
        let to = match target {
            b"" => continue,
            target if target.starts_with(b"refs/") => target.to_vec(),
            target if from.starts_with(b"refs/tags/") => [b"refs/tags/", target].concat(),
            target => [b"refs/heads/", target].concat(),
        };
        updates.push(Update {
            from,
            to,
            oid,
            force,
        });
    }
    Ok((heads, updates))
}

/// The tags that are new here; their objects are brought with them.
fn tags(repo: &Repo, source: &Source<'_>, all: bool, wanted: Wanted<'_>) -> Result<Vec<Update>> {
    let mut updates = Vec::new();
    for (full, oid) in source.other.all(b"refs/tags/") {
        let target = source.other.target(&full, oid);
        let wanted = all || target.is_some_and(|target| repo.objects.has(&target));
        if wanted && repo.refs.resolve(&full).is_none() {
            updates.push(Update {
                from: full.clone(),
                to: full,
                oid,
                force: false,
            });
        }
    }
    let oids: Vec<Oid> = updates.iter().map(|update| update.oid).collect();
    let wanted = Wanted {
        oids: &oids,
        depth: Depth::AsItIs,
        ..wanted
    };
    source.other.bring(repo, wanted)?;
    Ok(updates)
}

/// Removes what follows a reference that the remote has no more.
fn prune(repo: &Repo, source: &Source<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (full, _) in repo.refs.all(b"refs/") {
        let mut from = source.specs.iter().filter_map(|spec| spec.back(&full));
        let is_gone = |name: Vec<u8>| source.other.resolve(&name).is_none();
        if full.ends_with(b"/HEAD") || !from.next().is_some_and(is_gone) {
            continue;
        }
        repo.refs.delete(&full)?;
        rows.push(row(b"(none)", &full).with('-', "[deleted]", ""));
    }
    Ok(rows)
}

fn row(from: &[u8], to: &[u8]) -> Row {
    Row {
        flag: ' ',
        summary: String::new(),
        from: show(short_ref(from)),
        to: show(short_ref(to)),
        reason: String::new(),
    }
}

/// Lets a reference follow; none when it is where it is to be.
fn apply(repo: &Repo, source: &Source<'_>, update: &Update, who: &[u8]) -> Result<Option<Row>> {
    let Update {
        from,
        to,
        oid,
        force,
    } = update;
    let row = row(from, to);
    let (row, what) = match repo.refs.resolve(to) {
        Some(old) if old == *oid => return Ok(None),
        None => {
            let kind = match to.starts_with(b"refs/tags/") {
                true => "[new tag]",
                false => "[new branch]",
            };
            (row.with('*', kind, ""), "storing head")
        }
        Some(old) => {
            let (before, after) = (repo.short(&old), repo.short(oid));
            match walk::is_ancestor(repo, old, *oid).unwrap_or(false) {
                true => {
                    let summary = format!("{before}..{after}");
                    (row.with(' ', summary, ""), "fast-forward")
                }
                false if *force => {
                    let summary = format!("{before}...{after}");
                    (row.with('+', summary, "forced update"), "forced-update")
                }
                false => return Ok(Some(row.with('!', "[rejected]", "non-fast-forward"))),
            }
        }
    };
    let message = format!("fetch {}: {what}", show(source.name));
    repo.refs.write(to, *oid, Some((who, message.as_bytes())))?;
    Ok(Some(row))
}

/// The row of a reference that is only in `FETCH_HEAD`.
fn head_row(head: &Head) -> Row {
    let kind = match head.name.starts_with(b"refs/tags/") {
        true => "tag",
        false => "branch",
    };
    row(&head.name, b"FETCH_HEAD").with('*', kind, "")
}

fn write_heads(repo: &Repo, source: &Source<'_>, heads: &[Head]) -> Result<()> {
    let place = shown_place(&source.place);
    let mut text = String::new();
    for Head {
        oid,
        name,
        for_merge,
        ..
    } in heads
    {
        let mark = if *for_merge { "" } else { "not-for-merge" };
        let what = match name.strip_prefix(b"refs/heads/") {
            Some(branch) => format!("branch '{}' of ", show(branch)),
            None if name == b"HEAD" => String::new(),
            None => format!("tag '{}' of ", show(short_ref(name))),
        };
        text += &format!("{oid}\t{mark}\t{what}{place}\n");
    }
    Ok(os::write(&repo.file("FETCH_HEAD"), text.as_bytes())?)
}
