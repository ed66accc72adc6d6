//! The model: plain maps and vectors, and the rules of the calls as their table tells them.

use std::collections::{BTreeMap, VecDeque};

use codepod_abi::Errno;
use codepod_abi::wire::ROOT_FD;
use codepod_abi::wire::wasi::{fdflags, filetype, oflags, rights};

use super::{
    Answer, Bytes, Described, FILE_BYTES, NAMES, Operation, Setting, Sizes, number, pattern,
};

/// A write of at most this much goes into a pipe whole or not at all.
const ATOMIC: usize = 4096;

const WRITING: u64 =
    rights::FD_WRITE | rights::FD_DATASYNC | rights::FD_ALLOCATE | rights::FD_FILESTAT_SET_SIZE;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Object {
    /// A file, by its place among all that ever were.
    File(usize),
    /// The root or the directory `d` in it.
    Directory {
        root: bool,
    },
    /// `/dev/null`, and the standard streams of a process that got none.
    Null,
    Zero,
    /// What it reads from and writes to, as far as it still can.
    Stream {
        from: Option<usize>,
        to: Option<usize>,
    },
    /// One of a connected pair, by its place among all that ever were.
    Socket(usize),
}

#[derive(Debug, Clone)]
struct OpenFile {
    object: Object,
    offset: u64,
    flags: u16,
    readable: bool,
    writable: bool,
}

#[derive(Debug, Clone, Copy)]
struct Descriptor {
    /// Its place among all open files that ever were.
    file: usize,
    rights: u64,
    inheriting: u64,
}

#[derive(Debug, Default)]
struct Pipe {
    queue: VecDeque<u8>,
    readers: usize,
    writers: usize,
}

#[derive(Debug, Default)]
struct Socket {
    queue: VecDeque<u8>,
    /// The other one; `None` when that is closed.
    peer: Option<usize>,
    receives: bool,
    sends: bool,
    /// Whether its peer has closed without having read all.
    reset: bool,
    closed: bool,
}

pub(super) struct Model {
    descriptors: BTreeMap<u32, Descriptor>,
    open_files: Vec<OpenFile>,
    /// What paths below the root may be used for, and be given on.
    root: [u64; 2],
    /// Whether [`ROOT_FD`] is the root's descriptor still, whose rights are those of the paths.
    root_is_open: bool,
    pipes: Vec<Pipe>,
    sockets: Vec<Socket>,
    /// The content of every file that ever was.
    contents: Vec<Vec<u8>>,
    /// The files that have a name.
    names: BTreeMap<String, usize>,
    limit: usize,
    pipe_limit: usize,
    capacity: usize,
    ignores_pipe: bool,
}

type Outcome = Result<Answer, Errno>;

/// Puts as much into a queue as fits: of a small piece all or nothing.
fn put(queue: &mut VecDeque<u8>, capacity: usize, bytes: &[u8]) -> usize {
    let room = capacity - queue.len();
    let taken = if bytes.len() <= ATOMIC && room < bytes.len() {
        0
    } else {
        room.min(bytes.len())
    };
    queue.extend(&bytes[..taken]);
    taken
}

/// How a write ends of which so much was taken.
fn wrote(taken: usize, len: usize, blocking: bool) -> Outcome {
    match (taken, blocking) {
        (0, false) => Err(Errno::Again),
        (0, true) => interrupted(Answer::Failed(Errno::Intr)),
        (_, true) if taken < len => interrupted(Answer::Done(vec![taken as u64])),
        _ => done([taken as u64]),
    }
}

fn done(numbers: impl IntoIterator<Item = u64>) -> Outcome {
    Ok(Answer::Done(numbers.into_iter().collect()))
}

fn interrupted(answer: Answer) -> Outcome {
    Ok(Answer::Interrupted(Box::new(answer)))
}

impl Model {
    pub(super) fn new(setting: &Setting) -> Model {
        let mut model = Model {
            descriptors: BTreeMap::new(),
            open_files: Vec::new(),
            root: [rights::ALL; 2],
            root_is_open: true,
            pipes: Vec::new(),
            sockets: Vec::new(),
            contents: vec![b"0123456789".to_vec(), pattern(0, 5000)],
            names: BTreeMap::from([("a".to_owned(), 0), ("b".to_owned(), 1)]),
            limit: setting.descriptors(),
            pipe_limit: setting.pipes(),
            capacity: setting.pipe_bytes().max(ATOMIC),
            ignores_pipe: setting.ignores_pipe,
        };
        for fd in 0..3 {
            model.insert(fd, Object::Null, 0, (true, true), [rights::ALL; 2]);
        }
        let root = Object::Directory { root: true };
        model.insert(ROOT_FD, root, 0, (true, false), [rights::ALL; 2]);
        model
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Vec<u8>)> {
        self.names
            .iter()
            .map(|(name, file)| (&**name, &self.contents[*file]))
    }

    pub(super) fn describe(&self, fd: u32) -> Described {
        let mut descriptor = match self.get(fd) {
            Err(_) if fd == ROOT_FD => {
                return Ok((filetype::DIRECTORY, 0, self.root[0], self.root[1]));
            }
            descriptor => descriptor?,
        };
        if fd == ROOT_FD {
            descriptor.inheriting = self.root[1];
        }
        let file = &self.open_files[descriptor.file];
        let kind = match file.object {
            Object::File(_) => filetype::REGULAR_FILE,
            Object::Directory { .. } => filetype::DIRECTORY,
            Object::Null | Object::Zero => filetype::CHARACTER_DEVICE,
            Object::Socket(_) => filetype::SOCKET_STREAM,
            Object::Stream { .. } => filetype::UNKNOWN,
        };
        Ok((kind, file.flags, descriptor.rights, descriptor.inheriting))
    }

    pub(super) fn apply(&mut self, operation: &Operation) -> Answer {
        self.answer(operation).unwrap_or_else(Answer::Failed)
    }

    fn answer(&mut self, operation: &Operation) -> Outcome {
        match *operation {
            Operation::Open {
                directory,
                name,
                oflags,
                fdflags,
                rights,
                inheriting,
            } => {
                let name = NAMES[usize::from(name) % NAMES.len()];
                let asked = [rights.get(), inheriting.get()];
                let flags = (u64::from(oflags % 16), fdflags % 64);
                self.open(number(directory), name, flags, asked)
            }
            Operation::Close(fd) => {
                let descriptor = self.descriptors.remove(&number(fd)).ok_or(Errno::Badf)?;
                self.root_is_open &= number(fd) != ROOT_FD;
                self.release(descriptor.file);
                done([])
            }
            Operation::Dup { fd, least } => {
                let descriptor = self.get(number(fd))?;
                let least = number(least);
                if least as usize >= self.limit {
                    return Err(Errno::Inval);
                }
                let free = self.lowest_free(least)?;
                self.descriptors.insert(free, descriptor);
                done([free.into()])
            }
            Operation::DupTo { fd, to } => {
                let (fd, to) = (number(fd), number(to));
                let descriptor = self.get(fd)?;
                if fd == to {
                    return done([]);
                }
                if to as usize >= self.limit {
                    return Err(Errno::Badf);
                }
                self.root_is_open &= to != ROOT_FD;
                if let Some(old) = self.descriptors.insert(to, descriptor) {
                    self.release(old.file);
                }
                done([])
            }
            Operation::Renumber { from, to } => {
                let (from, to) = (number(from), number(to));
                let old = self.get(to)?;
                let descriptor = self.get(from)?;
                if from != to {
                    self.root_is_open &= from != ROOT_FD && to != ROOT_FD;
                    self.descriptors.remove(&from);
                    self.descriptors.insert(to, descriptor);
                    self.release(old.file);
                }
                done([])
            }
            Operation::Pipe => self.pipe(),
            Operation::SockPair => self.socket_pair(),
            Operation::Read { fd, sizes } => {
                let file = self.readable(number(fd), rights::FD_READ)?;
                self.read(file, sizes, false)
            }
            Operation::Receive { fd, sizes, peek } => {
                let file = self.socket(number(fd))?;
                self.read(file, sizes, peek)
            }
            Operation::Write { fd, sizes, first } => {
                let file = self.writable(number(fd), rights::FD_WRITE)?;
                self.write(file, sizes, first)
            }
            Operation::Send { fd, sizes, first } => {
                let file = self.socket(number(fd))?;
                self.write(file, sizes, first)
            }
            Operation::Pread { fd, sizes, offset } => {
                let file = self.readable(number(fd), rights::FD_READ)?;
                self.seekable(file)?;
                self.read_at(file, sizes, offset.get())
                    .map(|bytes| Answer::Got(Bytes(bytes)))
            }
            Operation::Pwrite {
                fd,
                sizes,
                first,
                offset,
            } => {
                let file = self.writable(number(fd), rights::FD_WRITE)?;
                self.seekable(file)?;
                let written = self.write_at(file, &pattern(first, sizes.total()), offset.get())?;
                done([written])
            }
            Operation::Shutdown { fd, how } => {
                let file = self.socket(number(fd))?;
                let Object::Socket(socket) = self.open_files[file].object else {
                    return Err(Errno::NotSock);
                };
                if how == 0 || how > 3 {
                    return Err(Errno::Inval);
                }
                let peer = self.sockets[socket].peer;
                for (socket, receives, sends) in [(Some(socket), 1, 2), (peer, 2, 1)] {
                    if let Some(socket) = socket.map(|socket| &mut self.sockets[socket]) {
                        socket.receives &= how & receives == 0;
                        socket.sends &= how & sends == 0;
                    }
                }
                done([])
            }
            Operation::Seek { fd, offset, whence } => self.seek(number(fd), offset, whence),
            Operation::SeekNear { fd, offset, whence } => {
                self.seek(number(fd), offset.into(), whence)
            }
            Operation::Tell(fd) => {
                let file = self.get(number(fd))?.file;
                self.seekable(file)?;
                done([self.open_files[file].offset])
            }
            Operation::SetFlags { fd, flags } => {
                let file = self.get(number(fd))?.file;
                let flags = u16::from(flags % 64);
                if flags & !fdflags::ALL != 0 {
                    return Err(Errno::Inval);
                }
                self.open_files[file].flags = flags;
                done([])
            }
            Operation::SetRights {
                fd,
                rights,
                inheriting,
            } => {
                let descriptor = self.descriptors.get_mut(&number(fd)).ok_or(Errno::Badf)?;
                let (base, inheriting) = (rights.get(), inheriting.get());
                if base & !descriptor.rights != 0 || inheriting & !descriptor.inheriting != 0 {
                    return Err(Errno::NotCapable);
                }
                (descriptor.rights, descriptor.inheriting) = (base, inheriting);
                if number(fd) == ROOT_FD && self.root_is_open {
                    self.root = [base, inheriting];
                }
                done([])
            }
            Operation::SetSize { fd, size } => {
                let file = self.get(number(fd))?.file;
                let Object::File(content) = self.open_files[file].object else {
                    return Err(Errno::Inval);
                };
                self.writable(number(fd), rights::FD_FILESTAT_SET_SIZE)?;
                let size = size.get();
                if size > FILE_BYTES {
                    return Err(Errno::Fbig);
                }
                self.contents[content].resize(size as usize, 0);
                done([])
            }
            Operation::Allocate { fd, offset, len } => {
                let file = self.get(number(fd))?.file;
                self.seekable(file)?;
                self.writable(number(fd), rights::FD_ALLOCATE)?;
                let (offset, len) = (offset.get(), len.get());
                let Object::File(content) = self.open_files[file].object else {
                    return Err(Errno::Inval);
                };
                if len == 0 {
                    return Err(Errno::Inval);
                }
                let end = offset.checked_add(len).filter(|end| *end <= FILE_BYTES);
                let end = end.ok_or(Errno::Fbig)? as usize;
                let content = &mut self.contents[content];
                content.resize(content.len().max(end), 0);
                done([])
            }
            Operation::Poll { fd, write } => self.poll(number(fd), write),
            Operation::Unlink(name) => {
                self.names.remove(NAMES[usize::from(name) % NAMES.len()]);
                done([])
            }
        }
    }

    fn open(&mut self, fd: u32, name: &'static str, flags: (u64, u8), asked: [u64; 2]) -> Outcome {
        let open_flags = flags.0 as u32;
        let (create, exclusive) = (
            open_flags & oflags::CREAT != 0,
            open_flags & oflags::EXCL != 0,
        );
        let (directory, truncate) = (
            open_flags & oflags::DIRECTORY != 0,
            open_flags & oflags::TRUNC != 0,
        );
        let mut needed = rights::PATH_OPEN;
        if create {
            needed |= rights::PATH_CREATE_FILE;
        }
        if truncate {
            needed |= rights::PATH_FILESTAT_SET_SIZE;
        }
        let (allowed, inheriting) = match fd {
            ROOT_FD => (self.root[0], self.root[1]),
            _ => (self.get(fd)?.rights, self.get(fd)?.inheriting),
        };
        if needed & !allowed != 0 {
            return Err(Errno::NotCapable);
        }
        let fd_flags = u16::from(flags.1);
        if fd_flags & !fdflags::ALL != 0 {
            return Err(Errno::Inval);
        }
        let free = self.lowest_free(0)?;
        let root = match fd {
            ROOT_FD => true,
            _ => match self.open_files[self.get(fd)?.file].object {
                Object::Directory { root } => root,
                _ => return Err(Errno::NotDir),
            },
        };
        let granted = asked.map(|rights| rights & inheriting);
        let read = granted[0] & (rights::FD_READ | rights::FD_READDIR) != 0;
        let write = granted[0] & WRITING != 0 && !directory;
        let changes = write || fd_flags & fdflags::APPEND != 0;
        if create && directory {
            return Err(Errno::Inval);
        }
        let name = if root || name.starts_with('/') {
            name.to_owned()
        } else {
            format!("d/{name}")
        };
        let found = self.look_up(&name)?;
        let object = match found {
            Some(_) if create && exclusive => return Err(Errno::Exist),
            Some(Object::Directory { .. }) if changes || create => return Err(Errno::IsDir),
            Some(object) if directory && !matches!(object, Object::Directory { .. }) => {
                return Err(Errno::NotDir);
            }
            Some(Object::File(file)) if truncate && changes => {
                self.contents[file].clear();
                Object::File(file)
            }
            Some(object) => object,
            None if create => {
                self.contents.push(Vec::new());
                let file = self.contents.len() - 1;
                self.names.insert(name, file);
                Object::File(file)
            }
            None => return Err(Errno::NoEnt),
        };
        let readable = read || matches!(object, Object::Directory { .. });
        self.insert(free, object, fd_flags, (readable, write), granted);
        done([free.into()])
    }

    /// What has a name, from the root.
    fn look_up(&self, name: &str) -> Result<Option<Object>, Errno> {
        let file = |name: &str| self.names.get(name).map(|file| Object::File(*file));
        Ok(match name {
            "d" => Some(Object::Directory { root: false }),
            "/dev/null" => Some(Object::Null),
            "/dev/zero" => Some(Object::Zero),
            _ => match name.rsplit_once('/') {
                None | Some(("d", _)) => file(name),
                Some((parent, _)) if file(parent).is_some() => return Err(Errno::NotDir),
                Some(_) => return Err(Errno::NoEnt),
            },
        })
    }

    fn pipe(&mut self) -> Outcome {
        let first = self.lowest_free(0)?;
        let second = self.lowest_free(first + 1)?;
        let used = |pipe: &&Pipe| pipe.readers + pipe.writers > 0;
        if self.pipes.iter().filter(used).count() >= self.pipe_limit {
            return Err(Errno::Nfile);
        }
        self.pipes.push(Pipe {
            readers: 1,
            writers: 1,
            ..Pipe::default()
        });
        let pipe = Some(self.pipes.len() - 1);
        let stream = |from, to| Object::Stream { from, to };
        let all = [rights::ALL; 2];
        self.insert(first, stream(pipe, None), 0, (true, false), all);
        self.insert(second, stream(None, pipe), 0, (false, true), all);
        done([first.into(), second.into()])
    }

    fn socket_pair(&mut self) -> Outcome {
        let first = self.lowest_free(0)?;
        let second = self.lowest_free(first + 1)?;
        let used = |socket: &&Socket| !socket.closed;
        // The setting's pipes are its sockets, too.
        if self.sockets.iter().filter(used).count() + 2 > self.pipe_limit {
            return Err(Errno::Nfile);
        }
        let one = self.sockets.len();
        for (fd, socket, peer) in [(first, one, one + 1), (second, one + 1, one)] {
            self.sockets.push(Socket {
                peer: Some(peer),
                receives: true,
                sends: true,
                ..Socket::default()
            });
            let all = [rights::ALL; 2];
            self.insert(fd, Object::Socket(socket), 0, (true, true), all);
        }
        done([first.into(), second.into()])
    }

    fn receive(&mut self, file: usize, socket: usize, sizes: Sizes, peek: bool) -> Outcome {
        let blocking = self.open_files[file].flags & fdflags::NONBLOCK == 0;
        let socket = &mut self.sockets[socket];
        let count = sizes.total().min(socket.queue.len());
        let bytes: Vec<u8> = if peek {
            socket.queue.iter().take(count).copied().collect()
        } else {
            socket.queue.drain(..count).collect()
        };
        if !bytes.is_empty() || sizes.total() == 0 {
            return Ok(Answer::Got(Bytes(bytes)));
        }
        if std::mem::take(&mut socket.reset) {
            return Err(Errno::ConnReset);
        }
        match (socket.receives, blocking) {
            (false, _) => Ok(Answer::Got(Bytes(bytes))),
            (true, false) => Err(Errno::Again),
            (true, true) => interrupted(Answer::Failed(Errno::Intr)),
        }
    }

    fn send(&mut self, file: usize, socket: usize, bytes: &[u8]) -> Outcome {
        let blocking = self.open_files[file].flags & fdflags::NONBLOCK == 0;
        let sender = &mut self.sockets[socket];
        if !sender.sends {
            return self.broken_pipe();
        }
        if bytes.is_empty() {
            return done([0]);
        }
        if std::mem::take(&mut sender.reset) {
            return Err(Errno::ConnReset);
        }
        let Some(peer) = sender.peer.filter(|peer| self.sockets[*peer].receives) else {
            return self.broken_pipe();
        };
        let taken = put(&mut self.sockets[peer].queue, self.capacity, bytes);
        wrote(taken, bytes.len(), blocking)
    }

    fn read(&mut self, file: usize, sizes: Sizes, peek: bool) -> Outcome {
        if let Object::Socket(socket) = self.open_files[file].object {
            return self.receive(file, socket, sizes, peek);
        }
        let Object::Stream { from, .. } = self.open_files[file].object else {
            let offset = self.open_files[file].offset;
            let bytes = self.read_at(file, sizes, offset)?;
            if matches!(self.open_files[file].object, Object::File(_)) {
                self.open_files[file].offset += bytes.len() as u64;
            }
            return Ok(Answer::Got(Bytes(bytes)));
        };
        let Some(pipe) = from else {
            return Ok(Answer::Got(Bytes(Vec::new())));
        };
        let pipe = &mut self.pipes[pipe];
        if pipe.queue.is_empty() && pipe.writers > 0 && sizes.total() > 0 {
            if self.open_files[file].flags & fdflags::NONBLOCK != 0 {
                return Err(Errno::Again);
            }
            return interrupted(Answer::Failed(Errno::Intr));
        }
        let count = sizes.total().min(pipe.queue.len());
        let bytes = if peek {
            pipe.queue.iter().take(count).copied().collect()
        } else {
            pipe.queue.drain(..count).collect()
        };
        Ok(Answer::Got(Bytes(bytes)))
    }

    fn write(&mut self, file: usize, sizes: Sizes, first: u8) -> Outcome {
        let bytes = pattern(first, sizes.total());
        if let Object::Socket(socket) = self.open_files[file].object {
            return self.send(file, socket, &bytes);
        }
        let open_file = &self.open_files[file];
        let Object::Stream { to, .. } = open_file.object else {
            let offset = match open_file.object {
                Object::File(content) if open_file.flags & fdflags::APPEND != 0 => {
                    self.contents[content].len() as u64
                }
                _ => open_file.offset,
            };
            let written = self.write_at(file, &bytes, offset)?;
            if written > 0 && matches!(self.open_files[file].object, Object::File(_)) {
                self.open_files[file].offset = offset + written;
            }
            return done([written]);
        };
        let blocking = open_file.flags & fdflags::NONBLOCK == 0;
        let Some(pipe) = to.map(|pipe| &mut self.pipes[pipe]) else {
            return self.broken_pipe();
        };
        if bytes.is_empty() {
            return done([0]);
        }
        if pipe.readers == 0 {
            return self.broken_pipe();
        }
        let taken = put(&mut pipe.queue, self.capacity, &bytes);
        wrote(taken, bytes.len(), blocking)
    }

    fn broken_pipe(&self) -> Outcome {
        if self.ignores_pipe {
            Err(Errno::Pipe)
        } else {
            Ok(Answer::Ends)
        }
    }

    fn read_at(&self, file: usize, sizes: Sizes, offset: u64) -> Result<Vec<u8>, Errno> {
        match self.open_files[file].object {
            Object::File(content) => {
                let content = &self.contents[content];
                let start = (offset.min(content.len() as u64)) as usize;
                let end = content.len().min(start + sizes.total());
                Ok(content[start..end].to_vec())
            }
            Object::Zero => Ok(vec![0; sizes.total()]),
            Object::Directory { .. } => Err(Errno::IsDir),
            _ => Ok(Vec::new()),
        }
    }

    fn write_at(&mut self, file: usize, bytes: &[u8], offset: u64) -> Result<u64, Errno> {
        let Object::File(content) = self.open_files[file].object else {
            return Ok(bytes.len() as u64);
        };
        if bytes.is_empty() {
            return Ok(0);
        }
        if offset >= FILE_BYTES {
            return Err(Errno::Fbig);
        }
        let start = offset as usize;
        let taken = bytes.len().min(FILE_BYTES as usize - start);
        let content = &mut self.contents[content];
        content.resize(content.len().max(start + taken), 0);
        content[start..start + taken].copy_from_slice(&bytes[..taken]);
        Ok(taken as u64)
    }

    fn seek(&mut self, fd: u32, offset: i64, whence: u8) -> Outcome {
        let file = self.get(fd)?.file;
        self.seekable(file)?;
        let open_file = &self.open_files[file];
        let start = match (whence % 4, open_file.object) {
            (0, _) => 0,
            (1, _) => open_file.offset,
            (2, Object::File(content)) => self.contents[content].len() as u64,
            (2, _) => 0,
            _ => return Err(Errno::Inval),
        };
        let target = i128::from(start) + i128::from(offset);
        if !(0..=i128::from(i64::MAX)).contains(&target) {
            return Err(Errno::Inval);
        }
        let target = match open_file.object {
            Object::File(_) => target as u64,
            Object::Directory { .. } => return Err(Errno::Badf),
            _ => 0,
        };
        self.open_files[file].offset = target;
        done([target])
    }

    /// One event, or none: error, bytes, whether the other side is gone.
    fn poll(&self, fd: u32, write: bool) -> Outcome {
        let checked = if write {
            self.writable(fd, rights::POLL_FD_READWRITE)
        } else {
            self.readable(fd, rights::POLL_FD_READWRITE)
        };
        let file = match checked {
            Ok(file) => file,
            Err(errno) => return self.poll_without_readers(fd, write, errno),
        };
        let open_file = &self.open_files[file];
        if let Object::Socket(socket) = open_file.object {
            return self.poll_socket(&self.sockets[socket], write);
        }
        let pipe = match (open_file.object, write) {
            (Object::Stream { to, .. }, true) => to,
            (Object::Stream { from, .. }, false) => from,
            (Object::File(content), false) => {
                let size = self.contents[content].len() as u64;
                return done([0, size.saturating_sub(open_file.offset), 0]);
            }
            _ => return done([0, 0, 0]),
        };
        let Some(pipe) = pipe.map(|pipe| &self.pipes[pipe]) else {
            return done([0, 0, 1]);
        };
        let (ready, bytes, gone) = if write {
            let room = self.capacity - pipe.queue.len();
            (room >= ATOMIC, room, pipe.readers == 0)
        } else {
            let len = pipe.queue.len();
            (len > 0, len, pipe.writers == 0)
        };
        if ready || gone {
            done([0, bytes as u64, gone.into()])
        } else {
            done([])
        }
    }

    fn poll_socket(&self, socket: &Socket, write: bool) -> Outcome {
        let gone = !socket.receives && !socket.sends;
        let room = |peer: usize| self.capacity - self.sockets[peer].queue.len() >= ATOMIC;
        let ready = match write {
            true => !socket.sends || socket.peer.is_none_or(room),
            false => !socket.receives || !socket.queue.is_empty(),
        };
        let bytes = if write { 0 } else { socket.queue.len() };
        if ready || gone || socket.reset {
            done([0, bytes as u64, gone.into()])
        } else {
            done([])
        }
    }

    /// Who wants to read the end of a pipe that is written to waits for its readers to go.
    fn poll_without_readers(&self, fd: u32, write: bool, errno: Errno) -> Outcome {
        let failed = done([errno.raw().into(), 0, 0]);
        let Ok(file) = self.writable(fd, rights::POLL_FD_READWRITE) else {
            return failed;
        };
        match self.open_files[file].object {
            Object::Stream {
                from: None,
                to: Some(pipe),
                ..
            } if !write => {
                if self.pipes[pipe].readers == 0 {
                    done([0, 0, 1])
                } else {
                    done([])
                }
            }
            _ => failed,
        }
    }

    fn insert(
        &mut self,
        fd: u32,
        object: Object,
        flags: u16,
        (readable, writable): (bool, bool),
        [rights, inheriting]: [u64; 2],
    ) {
        self.open_files.push(OpenFile {
            object,
            offset: 0,
            flags,
            readable,
            writable,
        });
        let descriptor = Descriptor {
            file: self.open_files.len() - 1,
            rights,
            inheriting,
        };
        self.descriptors.insert(fd, descriptor);
    }

    /// A number has let go of an open file: if it was the last one, the pipes lose their ends.
    fn release(&mut self, file: usize) {
        if self.descriptors.values().any(|other| other.file == file) {
            return;
        }
        match self.open_files[file].object {
            Object::Stream { from, to } => self.drop_ends(from, to),
            Object::Socket(socket) => {
                let socket = &mut self.sockets[socket];
                socket.closed = true;
                let unread = !socket.queue.is_empty();
                if let Some(peer) = socket.peer.take() {
                    let peer = &mut self.sockets[peer];
                    peer.peer = None;
                    peer.receives = false;
                    peer.sends = false;
                    peer.reset |= unread;
                }
            }
            _ => {}
        }
    }

    fn drop_ends(&mut self, reading: Option<usize>, writing: Option<usize>) {
        if let Some(pipe) = reading.map(|pipe| &mut self.pipes[pipe]) {
            pipe.readers -= 1;
            if pipe.readers == 0 {
                pipe.queue.clear();
            }
        }
        if let Some(pipe) = writing {
            self.pipes[pipe].writers -= 1;
        }
    }

    fn lowest_free(&self, least: u32) -> Result<u32, Errno> {
        (least..self.limit as u32)
            .find(|fd| *fd != ROOT_FD && !self.descriptors.contains_key(fd))
            .ok_or(Errno::Mfile)
    }

    fn get(&self, fd: u32) -> Result<Descriptor, Errno> {
        self.descriptors.get(&fd).copied().ok_or(Errno::Badf)
    }

    fn with_rights(&self, fd: u32, rights: u64) -> Result<Descriptor, Errno> {
        let descriptor = self.get(fd)?;
        if rights & !descriptor.rights == 0 {
            Ok(descriptor)
        } else {
            Err(Errno::NotCapable)
        }
    }

    fn readable(&self, fd: u32, rights: u64) -> Result<usize, Errno> {
        let file = self.get(fd)?.file;
        if !self.open_files[file].readable {
            return Err(Errno::Badf);
        }
        self.with_rights(fd, rights).map(|_| file)
    }

    fn writable(&self, fd: u32, rights: u64) -> Result<usize, Errno> {
        let file = self.get(fd)?.file;
        if !self.open_files[file].writable {
            return Err(Errno::Badf);
        }
        self.with_rights(fd, rights).map(|_| file)
    }

    fn socket(&self, fd: u32) -> Result<usize, Errno> {
        let file = self.get(fd)?.file;
        match self.open_files[file].object {
            Object::Socket(_) => Ok(file),
            _ => Err(Errno::NotSock),
        }
    }

    fn seekable(&self, file: usize) -> Result<(), Errno> {
        match self.open_files[file].object {
            Object::Stream { .. } | Object::Socket(_) => Err(Errno::Spipe),
            _ => Ok(()),
        }
    }
}
