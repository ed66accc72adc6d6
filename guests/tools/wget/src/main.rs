//! `wget`: files over http and https, as GNU's is.
//!
//! `options` says what is wanted, `retrieve` gets one URL, `recurse` what pages lead to, which
//! `links` finds and `convert` makes relative. Messages, files and statuses are GNU wget's.

mod convert;
mod date;
mod links;
mod log;
mod names;
mod options;
mod progress;
mod recurse;
mod retrieve;
mod robots;

use options::{Asked, Plan};
use retrieve::Retriever;

codepod_tool::tools! {
    "wget": wget, "download files over http and https";
}

/// wget as a tool.
fn wget(_: &str, arguments: codepod_tool::Arguments) -> i32 {
    let plan = match options::read(arguments) {
        Ok(Asked::Text(text)) => {
            print(text.as_bytes());
            return 0;
        }
        Ok(Asked::Plan(plan)) => plan,
        Err(status) => return status,
    };
    run(&plan)
}

fn print(text: &[u8]) {
    use std::io::Write as _;
    // Where nobody reads there is nobody to tell.
    let _ = std::io::stdout().write_all(text);
}

fn run(plan: &Plan) -> i32 {
    let mut urls = plan.urls.clone();
    let mut retriever = match Retriever::new(plan) {
        Ok(retriever) => retriever,
        Err(status) => return status,
    };
    for file in &plan.lists {
        match options::listed(file, plan) {
            Ok(found) if found.is_empty() => {
                let name = String::from_utf8_lossy(file);
                retriever.log.note(format!("No URLs found in {name}.\n"));
            }
            Ok(found) => urls.extend(found),
            Err(why) => {
                let name = String::from_utf8_lossy(file);
                retriever.log.note(format!("{name}: {why}\n"));
                return 1;
            }
        }
    }
    for (at, url) in urls.iter().enumerate() {
        match plan.recursive || plan.requisites {
            true => recurse::run(&mut retriever, url),
            false => {
                if let Some(page) = retriever.get(url) {
                    retriever.tidy(&page);
                }
            }
        }
        // What the command line names comes in any case.
        if retriever.is_over_quota() && at + 1 >= plan.urls.len() {
            break;
        }
    }
    if retriever.files > 0 && (urls.len() > 1 || plan.recursive || plan.requisites) {
        retriever.finish();
    }
    if plan.convert {
        convert::run(&mut retriever);
    }
    retriever.status()
}
