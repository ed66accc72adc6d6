//! The texts of `/proc`: what each file says.
//!
//! The formats are Linux's as far as programs read them; what codepod does not have is 0.

use std::fmt::Write;
use std::sync::Arc;

use codepod_abi::Errno;

use super::{Node, Proc, What, output, process};
use crate::caller::{Caller, ProcLimits, ProcessInfo};
use crate::limits::Usage;

/// Linux counts processor time in hundredths of a second.
const TICK_NS: u64 = 10_000_000;
const SECOND_NS: u64 = 1_000_000_000;

impl Proc {
    /// What a file says now.
    pub(super) fn text(&self, caller: &Caller<'_>, node: Node) -> Result<Arc<[u8]>, Errno> {
        let source = caller.proc;
        let text = match node.what {
            What::Uptime => {
                let uptime = seconds(source.uptime_ns());
                format!("{uptime} {uptime}\n")
            }
            What::Meminfo => meminfo(source.memory_total(), source.memory_used()),
            What::Cpuinfo => cpuinfo(source.processors()),
            What::Version => format!("Linux version {} (codepod)\n", source.release()),
            What::SystemStat => system_stat(caller),
            What::Loadavg => {
                let pids = source.pids();
                let running = pids.iter().filter_map(|pid| source.process(*pid));
                let running = running.filter(|process| process.state == 'R').count();
                let last = pids.iter().max().copied().unwrap_or(0);
                format!("0.00 0.00 0.00 {running}/{} {last}\n", pids.len())
            }
            What::Filesystems => {
                "nodev\ttmpfs\nnodev\tproc\nnodev\tdevtmpfs\nnodev\thostfs\nnodev\toverlay\n\tsquashfs\n"
                    .to_owned()
            }
            What::Hostname => format!("{}\n", source.hostname()),
            What::Ostype => "Linux\n".to_owned(),
            What::Osrelease => format!("{}\n", source.release()),
            What::Status => return Ok(status(node.pid, &process(caller, node.pid)?).into()),
            What::Stat => return Ok(stat(node.pid, &process(caller, node.pid)?).into()),
            What::Statm => {
                let pages = process(caller, node.pid)?.memory / 4096;
                format!("{pages} {pages} 0 0 0 {pages} 0\n")
            }
            What::Cmdline => return Ok(process(caller, node.pid)?.argv),
            What::Environ => return Ok(process(caller, node.pid)?.environ),
            What::Comm => {
                let mut name = comm(&process(caller, node.pid)?);
                name.push(b'\n');
                return Ok(name.into());
            }
            What::Mounts => return Ok(self.mounts.clone()),
            What::RunStdout | What::RunStderr => {
                return output(caller, node)?.ok_or(Errno::NoEnt);
            }
            What::Limits => limits(source.limits()),
            What::FsUsage => fs_usage(source.files()),
            _ => return Err(Errno::IsDir),
        };
        Ok(text.into_bytes().into())
    }
}

fn seconds(ns: u64) -> String {
    format!("{}.{:02}", ns / SECOND_NS, ns % SECOND_NS / TICK_NS)
}

fn meminfo(total: u64, used: u64) -> String {
    let (total, free) = (total / 1024, total.saturating_sub(used) / 1024);
    let mut text = String::new();
    for (name, value) in [
        ("MemTotal", total),
        ("MemFree", free),
        ("MemAvailable", free),
        ("Buffers", 0),
        ("Cached", 0),
        ("SwapTotal", 0),
        ("SwapFree", 0),
    ] {
        let label = format!("{name}:");
        let _ = writeln!(text, "{label:<15} {value:>8} kB");
    }
    text
}

fn cpuinfo(processors: u32) -> String {
    let mut text = String::new();
    for processor in 0..processors {
        let _ = write!(
            text,
            "processor\t: {processor}\nvendor_id\t: codepod\nmodel name\t: WebAssembly\n\
             cpu MHz\t\t: 1000.000\ncpu cores\t: {processors}\nflags\t\t: wasm simd128\n\n"
        );
    }
    text
}

fn system_stat(caller: &Caller<'_>) -> String {
    let source = caller.proc;
    let pids = source.pids();
    let used: u64 = pids
        .iter()
        .filter_map(|pid| source.process(*pid))
        .map(|p| p.cpu_ns)
        .sum();
    let uptime = source.uptime_ns();
    let idle = uptime.saturating_sub(used) / TICK_NS;
    let user = used / TICK_NS;
    let mut text = format!("cpu  {user} 0 0 {idle} 0 0 0 0 0 0\n");
    for processor in 0..source.processors() {
        let _ = writeln!(text, "cpu{processor} {user} 0 0 {idle} 0 0 0 0 0 0");
    }
    let boot = caller.now.saturating_sub(uptime) / SECOND_NS;
    let last = pids.iter().max().copied().unwrap_or(0);
    let _ = write!(
        text,
        "intr 0\nctxt 0\nbtime {boot}\nprocesses {last}\nprocs_running 1\nprocs_blocked 0\n"
    );
    text
}

fn status(pid: u32, process: &ProcessInfo) -> Vec<u8> {
    let state = match process.state {
        'R' => "R (running)",
        'T' => "T (stopped)",
        'Z' => "Z (zombie)",
        _ => "S (sleeping)",
    };
    let (uid, gid, memory) = (process.uid, process.gid, process.memory / 1024);
    let mut text = b"Name:\t".to_vec();
    // A name with a line break must not look like another line.
    for byte in comm(process) {
        match byte {
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\\' => text.extend_from_slice(b"\\\\"),
            _ => text.push(byte),
        }
    }
    let rest = format!(
        "\nUmask:\t0022\nState:\t{state}\nTgid:\t{pid}\nPid:\t{pid}\nPPid:\t{}\nTracerPid:\t0\n\
         Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{gid}\t{gid}\t{gid}\t{gid}\n\
         NSpgid:\t{}\nNSsid:\t{}\nVmSize:\t{memory:>8} kB\nVmRSS:\t{memory:>8} kB\nThreads:\t1\n",
        process.ppid, process.pgid, process.sid
    );
    text.extend_from_slice(rest.as_bytes());
    text
}

fn stat(pid: u32, process: &ProcessInfo) -> Vec<u8> {
    let mut text = format!("{pid} (").into_bytes();
    text.extend_from_slice(&comm(process));
    let rest = format!(
        ") {} {} {} {} 0 -1 0 0 0 0 0 {} 0 0 0 20 0 1 0 {} {} {} 18446744073709551615 \
         0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
        process.state,
        process.ppid,
        process.pgid,
        process.sid,
        process.cpu_ns / TICK_NS,
        process.start_ns / TICK_NS,
        process.memory,
        process.memory / 4096,
    );
    text.extend_from_slice(rest.as_bytes());
    text
}

/// The last part of the program's name, cut to 15 bytes as Linux does.
fn comm(process: &ProcessInfo) -> Vec<u8> {
    let name = match process.argv.split(|byte| *byte == 0).next() {
        Some(name) if !process.argv.is_empty() => name,
        _ => &process.exe,
    };
    let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
    name[..name.len().min(15)].to_vec()
}

fn limits(of: Option<ProcLimits>) -> String {
    let mut text = format!(
        "{:<26}{:<21}{:<21}{:<10}\n",
        "Limit", "Soft Limit", "Hard Limit", "Units"
    );
    for (name, limit, unit) in [
        ("Max cpu time", None, "seconds"),
        ("Max file size", of.map(|of| of.file_bytes), "bytes"),
        ("Max processes", of.map(|of| of.processes), "processes"),
        ("Max open files", of.map(|of| of.descriptors), "files"),
        ("Max address space", of.map(|of| of.memory), "bytes"),
    ] {
        let limit = limit.filter(|limit| *limit < u64::MAX);
        let limit = limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string());
        let _ = writeln!(text, "{name:<26}{limit:<21}{limit:<21}{unit:<10}");
    }
    text
}

/// What the files take and may take: for `df`, as no call tells it.
fn fs_usage((used, most): (Usage, Usage)) -> String {
    format!(
        "bytes {} {}\nnodes {} {}\n",
        used.bytes, most.bytes, used.nodes, most.nodes
    )
}
