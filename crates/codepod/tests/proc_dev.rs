//! AC-PROCDEV 1 and 2: `/proc` and `/dev` as programs expect them, with nothing of the host in
//! them.

mod support;

use codepod::{Options, Sandbox};
use support::text;

#[test]
fn ac_procdev_1_proc_files_have_linux_form() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let check = "
        [[ $(< /proc/uptime) =~ ^[0-9]+\\.[0-9]{2}\\ [0-9]+\\.[0-9]{2}$ ]] || echo uptime
        grep -qE '^MemTotal: +[0-9]+ kB$' /proc/meminfo && grep -q ^MemFree: /proc/meminfo && grep -q ^MemAvailable: /proc/meminfo || echo meminfo
        grep -qE '^processor\\s*: 0$' /proc/cpuinfo || echo cpuinfo
        grep -q '^Linux version ' /proc/version || echo version
        grep -qE '^[^ ]+ / [^ ]+ rw' /proc/mounts || echo mounts
        grep -qE '^proc /proc proc ' /proc/mounts || echo proc
        [[ $(< /proc/loadavg) =~ ^[0-9.]+\\ [0-9.]+\\ [0-9.]+\\ [0-9]+/[0-9]+\\ [0-9]+$ ]] || echo loadavg
        grep -qE '^cpu +[0-9]+ ' /proc/stat || echo stat
        grep -q '^Name:.bash$' /proc/$$/status && grep -q \"^Pid:.$$\\$\" /proc/$$/status || echo status
        [[ $(tr '\\0' ' ' < /proc/$$/cmdline) == bash* ]] || echo cmdline
        [[ $(readlink /proc/$$/cwd) == \"$PWD\" ]] || echo cwd
        [[ $(readlink /proc/$$/exe) == /bin/bash || $(readlink /proc/$$/exe) == /usr/bin/bash ]] || echo exe
        [[ $(cat /proc/self/comm) == cat ]] || echo comm
        [[ $(readlink /proc/self/fd/7 7< /etc/passwd) == /etc/passwd ]] || echo fd
        [[ $(cat /proc/sys/kernel/hostname) == $(hostname) ]] || echo hostname
        for f in /proc/*; do [[ -r $f ]] || echo $f; done";
    assert_eq!(text(&sandbox, check), "");
    // Nothing of the machine.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let all = text(
        &sandbox,
        "cat /proc/{version,cpuinfo,meminfo,mounts,stat,uptime,loadavg} /proc/sys/kernel/*",
    );
    assert!(
        host.trim().is_empty() || !all.contains(host.trim()),
        "{host}"
    );
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    assert!(release.trim().is_empty() || !all.contains(release.trim()));
}

#[test]
fn ac_procdev_2_devices_do_what_they_are_for() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let script = "
        echo gone > /dev/null; wc -c < /dev/null
        head -c 5 /dev/zero | od -An -tx1; echo x > /dev/zero && echo zero takes
        echo x > /dev/full || echo full refuses; head -c 2 /dev/full | od -An -tx1
        [[ $(head -c 16 /dev/random | md5sum) != $(head -c 16 /dev/random | md5sum) ]] && echo random
        [[ $(head -c 16 /dev/urandom | md5sum) != $(head -c 16 /dev/urandom | md5sum) ]] && echo urandom
        head -c 1000000 /dev/urandom | wc -c
        echo in | cat /dev/stdin; echo out > /dev/stdout; echo fd > /dev/fd/1
        for d in null zero full random urandom tty; do [[ -c /dev/$d ]] || echo $d; done
        stat -c '%t %T' /dev/null /dev/zero /dev/urandom";
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(
        result.stdout_text(),
        "0\n 00 00 00 00 00\nzero takes\nfull refuses\n 00 00\nrandom\nurandom\n1000000\nin\nout\nfd\n1 3\n1 5\n1 9\n"
    );
    assert!(
        result.stderr_text().contains("No space left on device"),
        "{}",
        result.stderr_text()
    );
}
