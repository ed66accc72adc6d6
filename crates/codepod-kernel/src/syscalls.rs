//! The handlers: one function per line of the table, named as the line. [`Syscall`] is what each of
//! them gets.
//!
//! Made by `cargo xtask generate` from the table and the files of this directory. Changes here are
//! lost.

mod args;
mod call;
mod clock;
mod connect;
mod fd;
mod fifo;
mod hash;
mod io;
mod lock;
mod names;
mod open;
mod path;
mod poll;
mod process;
mod read_until;
mod session;
mod signals;
mod socket;
mod stat;
mod transfer;
mod tty;

pub(crate) use call::files_of;
use call::follow;
pub use call::{Outcome, Syscall};

pub use args::{
    abi_version, args_get, args_sizes_get, environ_get, environ_sizes_get, memory_touched,
    proc_chdir, proc_cwd, proc_ids, proc_umask,
};
pub use clock::{clock_res_get, clock_time_get, random_get, sched_yield};
pub use connect::{sock_accept, sock_connect};
pub use fd::{
    fd_advise, fd_allocate, fd_close, fd_datasync, fd_dup, fd_dup_to, fd_fdstat_get,
    fd_fdstat_set_flags, fd_fdstat_set_rights, fd_filestat_get, fd_filestat_set_size,
    fd_filestat_set_times, fd_pipe, fd_prestat_dir_name, fd_prestat_get, fd_readdir, fd_renumber,
    fd_seek, fd_sync, fd_tell,
};
pub use hash::hash_blocks;
pub use io::{fd_pread, fd_pwrite, fd_read, fd_write};
pub use lock::fd_lock;
pub use names::{name_of, name_resolve};
pub use open::{path_open, path_open_mode};
pub use path::{
    path_create_directory, path_filestat_get, path_filestat_set_times, path_link, path_readlink,
    path_remove_directory, path_rename, path_symlink, path_unlink_file,
};
pub use poll::poll_oneoff;
pub use process::{proc_exit, proc_group_set, proc_spawn, proc_wait};
pub use read_until::fd_read_until;
pub use session::{session_done, session_next};
pub use signals::{proc_alarm, proc_kill, proc_raise, signal_action, signal_take};
pub use socket::{
    net_why, sock_bind, sock_listen, sock_name, sock_open, sock_option_get, sock_option_set,
    sock_pair, sock_shutdown,
};
pub use stat::{
    fd_mode_set, fd_owner_set, fd_stat, path_access, path_mkfifo, path_mode_set, path_owner_set,
    path_stat,
};
pub use transfer::{sock_recv, sock_recv_from, sock_send, sock_send_to};
pub use tty::{tty_get, tty_set};
