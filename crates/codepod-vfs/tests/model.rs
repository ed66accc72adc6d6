//! Random operations against a naive model: a map from paths to nodes.
//!
//! After every operation, everything that can be seen must be the same in both, the counters must
//! be what a recount says, and `diff` must agree with comparing the maps. Snapshots, restores,
//! forks and files held open while they are deleted are among the operations. Under tight limits
//! an operation may fail with `NoSpc`; then nothing may have changed.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use codepod_abi::Errno;
use codepod_vfs::{
    Change, ChangeKind, FileKind, FsLimits, Image, NodeRef, OpenOptions, Overlay, Tree, Vfs,
    VfsSnapshot, diff,
};
use proptest::prelude::*;
use support::{names, root};

#[derive(Debug, Clone)]
enum Op {
    Mkdir(String),
    Write(String, u64, usize, u8),
    Append(String, usize),
    Truncate(String, u64),
    Allocate(String, u64, u64),
    Symlink(String),
    Link(String, String),
    Unlink(String),
    Rmdir(String),
    Rename(String, String),
    Chmod(String, u16),
    Hold(String),
    WriteHeld(usize, u8),
    Release(usize),
    Snapshot,
    Restore(usize),
    Fork,
    Switch(usize),
}

/// A file's number in the model, or another kind of node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Directory(u16),
    File(usize),
    Link(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    bytes: Vec<u8>,
    mode: u16,
}

#[derive(Debug, Clone, Default)]
struct Model {
    nodes: BTreeMap<String, Node>,
    files: BTreeMap<usize, Content>,
    next: usize,
}

impl Model {
    fn parent(&self, path: &str) -> Result<(), Errno> {
        for (at, _) in path.match_indices('/') {
            match self.nodes.get(&path[..at]) {
                Some(Node::Directory(_)) => {}
                Some(Node::File(_)) => return Err(Errno::NotDir),
                // All links of the model lead nowhere.
                Some(Node::Link(_)) | None => return Err(Errno::NoEnt),
            }
        }
        Ok(())
    }

    fn find(&self, path: &str) -> Result<Node, Errno> {
        self.parent(path)?;
        self.nodes.get(path).copied().ok_or(Errno::NoEnt)
    }

    fn vacant(&self, path: &str) -> Result<(), Errno> {
        match self.find(path) {
            Ok(_) => Err(Errno::Exist),
            Err(Errno::NoEnt) => self.parent(path),
            Err(error) => Err(error),
        }
    }

    fn file(&self, path: &str) -> Result<usize, Errno> {
        match self.find(path)? {
            Node::File(file) => Ok(file),
            Node::Directory(_) => Err(Errno::IsDir),
            Node::Link(_) => Err(Errno::NoEnt),
        }
    }

    fn is_empty(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        !self.nodes.keys().any(|other| other.starts_with(&inside))
    }

    /// What the operation does, were there room for everything.
    fn apply(&mut self, op: &Op) -> Result<(), Errno> {
        match op {
            Op::Mkdir(path) => {
                self.vacant(path)?;
                self.nodes.insert(path.clone(), Node::Directory(0o755));
            }
            Op::Write(path, ..) => match self.find(path) {
                Ok(Node::Directory(_)) => return Err(Errno::IsDir),
                Ok(Node::Link(_)) => return Err(Errno::Loop),
                Ok(Node::File(_)) => {}
                Err(Errno::NoEnt) => {
                    self.parent(path)?;
                    let content = Content {
                        bytes: Vec::new(),
                        mode: 0o644,
                    };
                    self.files.insert(self.next, content);
                    self.nodes.insert(path.clone(), Node::File(self.next));
                    self.next += 1;
                }
                Err(error) => return Err(error),
            },
            Op::Append(path, _) => {
                self.file(path)?;
            }
            Op::Truncate(path, size) => {
                let file = self.file(path)?;
                self.files
                    .get_mut(&file)
                    .unwrap()
                    .bytes
                    .resize(*size as usize, 0);
            }
            Op::Allocate(path, offset, length) => {
                let file = self.file(path)?;
                let bytes = &mut self.files.get_mut(&file).unwrap().bytes;
                let end = (offset + length) as usize;
                bytes.resize(bytes.len().max(end), 0);
            }
            Op::Symlink(path) => {
                self.vacant(path)?;
                self.nodes.insert(path.clone(), Node::Link(self.next));
                self.next += 1;
            }
            Op::Link(old, new) => {
                let node = self.find(old)?;
                self.vacant(new)?;
                if matches!(node, Node::Directory(_)) {
                    return Err(Errno::Perm);
                }
                self.nodes.insert(new.clone(), node);
            }
            Op::Unlink(path) => {
                if matches!(self.find(path)?, Node::Directory(_)) {
                    return Err(Errno::IsDir);
                }
                self.nodes.remove(path);
            }
            Op::Rmdir(path) => {
                if !matches!(self.find(path)?, Node::Directory(_)) {
                    return Err(Errno::NotDir);
                }
                if !self.is_empty(path) {
                    return Err(Errno::NotEmpty);
                }
                self.nodes.remove(path);
            }
            Op::Rename(old, new) => self.rename(old, new)?,
            Op::Chmod(path, mode) => match self.find(path)? {
                Node::Link(_) => return Err(Errno::NotSup),
                Node::File(file) => self.files.get_mut(&file).unwrap().mode = *mode,
                Node::Directory(_) => {
                    self.nodes.insert(path.clone(), Node::Directory(*mode));
                }
            },
            _ => {}
        }
        Ok(())
    }

    fn rename(&mut self, old: &str, new: &str) -> Result<(), Errno> {
        self.parent(old)?;
        self.parent(new)?;
        let node = self.find(old)?;
        let is_directory = matches!(node, Node::Directory(_));
        let inside = format!("{old}/");
        if is_directory && new.starts_with(&inside) {
            return Err(Errno::Inval);
        }
        if old == new {
            return Ok(());
        }
        match self.nodes.get(new) {
            // Two names of one node.
            Some(other) if node == *other && !is_directory => return Ok(()),
            Some(Node::Directory(_)) if !is_directory => return Err(Errno::IsDir),
            Some(Node::Directory(_)) if !self.is_empty(new) => return Err(Errno::NotEmpty),
            Some(Node::Directory(_)) | None => {}
            Some(_) if is_directory => return Err(Errno::NotDir),
            Some(_) => {}
        }
        self.nodes.remove(old);
        self.nodes.insert(new.to_owned(), node);
        let below: Vec<String> = self
            .nodes
            .keys()
            .filter(|path| path.starts_with(&inside))
            .cloned()
            .collect();
        for path in below {
            let node = self.nodes.remove(&path).unwrap();
            self.nodes
                .insert(format!("{new}/{}", &path[inside.len()..]), node);
        }
        Ok(())
    }

    /// Everything that can be seen, by path.
    fn view(&self) -> BTreeMap<String, (FileKind, u16, Vec<u8>)> {
        let show = |node: &Node| match node {
            Node::Directory(mode) => (FileKind::Directory, *mode, Vec::new()),
            Node::Link(_) => (FileKind::Symlink, 0o777, b"/nowhere".to_vec()),
            Node::File(file) => {
                let content = &self.files[file];
                (FileKind::File, content.mode, content.bytes.clone())
            }
        };
        self.nodes
            .iter()
            .map(|(path, node)| (path.clone(), show(node)))
            .collect()
    }
}

fn view(vfs: &mut Vfs) -> BTreeMap<String, (FileKind, u16, Vec<u8>)> {
    let mut seen = BTreeMap::new();
    let mut open = vec![(String::new(), vfs.root())];
    while let Some((path, dir)) = open.pop() {
        for name in names(vfs, &root(), dir) {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}/{name}")
            };
            let node = vfs.resolve(&root(), dir, name.as_bytes(), false).unwrap();
            let stat = vfs.stat(&root(), node).unwrap();
            let bytes = match stat.kind {
                FileKind::File => content(vfs, node),
                FileKind::Symlink => vfs.readlink_node(&root(), node).unwrap(),
                _ => Vec::new(),
            };
            if stat.kind == FileKind::Directory {
                open.push((path.clone(), node));
            }
            assert!(vfs.path_of(node).is_ok());
            seen.insert(path, (stat.kind, stat.mode, bytes));
        }
    }
    seen
}

fn content(vfs: &mut Vfs, node: NodeRef) -> Vec<u8> {
    let size = vfs.stat(&root(), node).unwrap().size;
    let mut bytes = vec![0xaa; size as usize];
    assert_eq!(vfs.read_at(&root(), node, 0, &mut bytes), Ok(bytes.len()));
    bytes
}

/// A Vfs, its model, and the files that are held open in both.
struct Pair {
    vfs: Vfs,
    model: Model,
    held: Vec<(NodeRef, usize)>,
}

impl Pair {
    /// Writes through an open node and puts as much into the model as was taken.
    fn write(
        &mut self,
        node: NodeRef,
        file: usize,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), Errno> {
        let taken = self.vfs.write_at(&root(), node, offset, bytes)?;
        let content = &mut self.model.files.get_mut(&file).unwrap().bytes;
        if taken > 0 {
            let end = offset as usize + taken;
            content.resize(content.len().max(end), 0);
            content[offset as usize..end].copy_from_slice(&bytes[..taken]);
        }
        Ok(())
    }

    fn run(&mut self, op: &Op) {
        let before = self.model.clone();
        let base = self.vfs.root();
        let caller = root();
        let expected = self.model.apply(op);
        let vfs = &mut self.vfs;
        let b = str::as_bytes;
        let actual = match op {
            Op::Mkdir(path) => vfs.mkdir(&caller, base, b(path), 0o777).map(drop),
            Op::Write(path, offset, length, byte) => {
                let create = OpenOptions {
                    read: false,
                    write: true,
                    create: true,
                    ..OpenOptions::READ
                };
                let options = OpenOptions {
                    follow: false,
                    ..create
                };
                vfs.open(&caller, base, b(path), &options).map(|node| {
                    let file = self.model.file(path).unwrap();
                    let written = self.write(node, file, *offset, &vec![*byte; *length]);
                    assert!(matches!(written, Ok(()) | Err(Errno::NoSpc)), "{written:?}");
                    self.vfs.close(node);
                })
            }
            Op::Append(path, length) => {
                let options = OpenOptions {
                    append: true,
                    ..OpenOptions::READ
                };
                vfs.open(&caller, base, b(path), &options).map(|node| {
                    let file = self.model.file(path).unwrap();
                    let end = self.model.files[&file].bytes.len() as u64;
                    match vfs.append(&caller, node, &vec![b'+'; *length]) {
                        Ok((now, taken)) => {
                            assert_eq!(now, end + taken as u64);
                            let bytes = &mut self.model.files.get_mut(&file).unwrap().bytes;
                            bytes.resize(now as usize, b'+');
                        }
                        Err(error) => assert_eq!(error, Errno::NoSpc),
                    }
                    vfs.close(node);
                })
            }
            Op::Truncate(path, size) => vfs.truncate(&caller, base, b(path), *size),
            Op::Allocate(path, offset, length) => vfs
                .resolve(&caller, base, b(path), true)
                .and_then(|node| vfs.allocate(&caller, node, *offset, *length)),
            Op::Symlink(path) => vfs.symlink(&caller, b"/nowhere", base, b(path)).map(drop),
            Op::Link(old, new) => vfs.link(&caller, base, b(old), false, base, b(new)),
            Op::Unlink(path) => vfs.unlink(&caller, base, b(path)),
            Op::Rmdir(path) => vfs.rmdir(&caller, base, b(path)),
            Op::Rename(old, new) => vfs.rename(&caller, base, b(old), base, b(new)),
            Op::Chmod(path, mode) => vfs
                .resolve(&caller, base, b(path), false)
                .and_then(|node| vfs.set_mode(&caller, node, *mode)),
            Op::Hold(path) => {
                if let Ok(file) = self.model.file(path) {
                    let node = vfs
                        .open(&caller, base, b(path), &OpenOptions::READ)
                        .unwrap();
                    self.held.push((node, file));
                }
                Ok(())
            }
            Op::WriteHeld(index, byte) => {
                if let Some((node, file)) = pick(&self.held, *index).copied() {
                    let _ = self.write(node, file, 1, &[*byte; 3]);
                }
                Ok(())
            }
            Op::Release(index) => {
                if !self.held.is_empty() {
                    let (node, _) = self.held.remove(index % self.held.len());
                    vfs.close(node);
                }
                Ok(())
            }
            _ => Ok(()),
        };
        if matches!(actual, Err(Errno::NoSpc | Errno::Xdev)) {
            // No room, or a directory of an overlay's lower part: then nothing has happened.
            self.model = before;
        } else {
            assert_eq!(actual, expected, "{op:?}");
        }
    }

    fn check(&mut self) {
        assert_eq!(view(&mut self.vfs), self.model.view());
        for (node, file) in self.held.clone() {
            assert_eq!(content(&mut self.vfs, node), self.model.files[&file].bytes);
        }
        let tree = self.vfs.root_tree().unwrap();
        assert_eq!(tree.usage(), tree.recount());
        assert!(tree.usage().bytes <= tree.limits().bytes);
        assert!(tree.usage().nodes <= tree.limits().nodes);
    }

    fn release_all(&mut self) {
        for (node, _) in std::mem::take(&mut self.held) {
            self.vfs.close(node);
        }
    }
}

fn pick<T>(items: &[T], index: usize) -> Option<&T> {
    if items.is_empty() {
        None
    } else {
        items.get(index % items.len())
    }
}

/// What `diff` has to say, from two views.
fn expected_diff(old: &Model, new: &Model) -> Vec<(String, ChangeKind)> {
    let (old, new) = (old.view(), new.view());
    let mut paths: Vec<&String> = old.keys().chain(new.keys()).collect();
    paths.sort();
    paths.dedup();
    let kind = |path: &String| match (old.get(path), new.get(path)) {
        (None, _) => Some(ChangeKind::Added),
        (_, None) => Some(ChangeKind::Removed),
        (Some(a), Some(b)) if a.0 != b.0 => Some(ChangeKind::TypeChanged),
        (Some(a), Some(b)) if a.2 != b.2 => Some(ChangeKind::Modified),
        (Some(a), Some(b)) if a.1 != b.1 => Some(ChangeKind::AttributesChanged),
        _ => None,
    };
    paths
        .into_iter()
        .filter_map(|path| Some((path.clone(), kind(path)?)))
        .collect()
}

fn paths_of(changes: &[Change]) -> Vec<(String, ChangeKind)> {
    changes
        .iter()
        .map(|change| (String::from_utf8(change.path.clone()).unwrap(), change.kind))
        .collect()
}

fn run(start: Vfs, model: Model, ops: &[Op], overlay: bool) {
    let original = model.clone();
    let mut pairs = vec![Pair {
        vfs: start,
        model,
        held: Vec::new(),
    }];
    let mut snapshots: Vec<(VfsSnapshot, Model)> = Vec::new();
    let mut current = 0;
    for op in ops {
        let count = pairs.len();
        let pair = &mut pairs[current];
        match op {
            Op::Snapshot if snapshots.len() < 4 => {
                snapshots.push((pair.vfs.snapshot(), pair.model.clone()));
            }
            Op::Restore(index) => {
                if let Some((snapshot, model)) = pick(&snapshots, *index) {
                    pair.release_all();
                    pair.vfs.restore(snapshot).unwrap();
                    pair.model = model.clone();
                }
            }
            Op::Fork if count < 3 => {
                let vfs = pair.vfs.fork().unwrap();
                let model = pair.model.clone();
                pairs.push(Pair {
                    vfs,
                    model,
                    held: Vec::new(),
                });
            }
            Op::Switch(index) => current = index % count,
            op => pair.run(op),
        }
        for pair in &mut pairs {
            pair.check();
        }
        let pair = &mut pairs[current];
        if overlay {
            let mount = pair.vfs.root().mount;
            let changes = pair.vfs.overlay_changes(&root(), mount).unwrap();
            assert_eq!(paths_of(&changes), expected_diff(&original, &pair.model));
        } else {
            for (snapshot, model) in &snapshots {
                let changes = diff(snapshot.root_tree().unwrap(), pair.vfs.root_tree().unwrap());
                assert_eq!(paths_of(&changes), expected_diff(model, &pair.model));
            }
        }
    }
    for pair in &mut pairs {
        pair.release_all();
        pair.check();
    }
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!["a", "b", "c", "a long name"]),
        1..4,
    )
    .prop_map(|names| names.join("/"))
}

fn op() -> impl Strategy<Value = Op> {
    let size = prop_oneof![0..300u64, 65_000..66_500u64, Just(140_000u64)];
    let length = prop_oneof![1..200usize, 65_000..70_000usize];
    prop_oneof![
        4 => path().prop_map(Op::Mkdir),
        6 => (path(), size.clone(), length.clone(), any::<u8>())
            .prop_map(|(path, at, length, byte)| Op::Write(path, at, length, byte)),
        2 => (path(), length).prop_map(|(path, length)| Op::Append(path, length)),
        2 => (path(), size.clone()).prop_map(|(path, size)| Op::Truncate(path, size)),
        1 => (path(), size, 1..100_000u64).prop_map(|(path, at, length)| Op::Allocate(path, at, length)),
        1 => path().prop_map(Op::Symlink),
        2 => (path(), path()).prop_map(|(old, new)| Op::Link(old, new)),
        3 => path().prop_map(Op::Unlink),
        1 => path().prop_map(Op::Rmdir),
        4 => (path(), path()).prop_map(|(old, new)| Op::Rename(old, new)),
        1 => (path(), 0..0o1000u16).prop_map(|(path, mode)| Op::Chmod(path, mode)),
        2 => path().prop_map(Op::Hold),
        1 => (any::<usize>(), any::<u8>()).prop_map(|(index, byte)| Op::WriteHeld(index, byte)),
        1 => any::<usize>().prop_map(Op::Release),
        1 => Just(Op::Snapshot),
        1 => any::<usize>().prop_map(Op::Restore),
        1 => Just(Op::Fork),
        1 => any::<usize>().prop_map(Op::Switch),
    ]
}

fn limits() -> impl Strategy<Value = FsLimits> {
    prop_oneof![
        Just(FsLimits::default()),
        (0..3_000u64, 0..12u64).prop_map(|(bytes, nodes)| FsLimits {
            bytes,
            nodes,
            ..FsLimits::default()
        }),
        (60_000..200_000u64).prop_map(|bytes| FsLimits {
            bytes,
            ..FsLimits::default()
        }),
    ]
}

/// A tree that is there from the start, and its model.
fn start() -> (Tree, Model) {
    let tree = Tree::builder()
        .file("a/b/c", 0o644, "base")
        .file("a/c", 0o600, vec![1; 70_000])
        .dir("b", 0o755)
        .file("c", 0o644, "other")
        .build();
    let mut model = Model::default();
    for (path, node) in [
        ("a", Node::Directory(0o755)),
        ("a/b", Node::Directory(0o755)),
        ("b", Node::Directory(0o755)),
        ("a/b/c", Node::File(0)),
        ("a/c", Node::File(1)),
        ("c", Node::File(2)),
    ] {
        model.nodes.insert(path.to_owned(), node);
    }
    for (bytes, mode) in [
        (b"base".to_vec(), 0o644),
        (vec![1; 70_000], 0o600),
        (b"other".to_vec(), 0o644),
    ] {
        model.files.insert(model.next, Content { bytes, mode });
        model.next += 1;
    }
    (tree, model)
}

/// Few enough for every day; `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let cases = cases.unwrap_or(60);
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    // FS-05, FS-08, FS-12, FS-13
    #[test]
    fn a_memory_tree_behaves_like_the_model(limits in limits(), ops in prop::collection::vec(op(), 1..60)) {
        run(Vfs::with_tree(Tree::new().with_limits(limits)), Model::default(), &ops, false);
    }

    #[test]
    fn a_tree_over_a_base_image_behaves_like_the_model(limits in limits(), ops in prop::collection::vec(op(), 1..60)) {
        let (tree, model) = start();
        run(Vfs::with_tree(tree.with_limits(limits)), model, &ops, false);
    }

    #[test]
    fn an_overlay_behaves_like_the_model(limits in limits(), ops in prop::collection::vec(op(), 1..60)) {
        let (tree, model) = start();
        let overlay = Overlay::new(Box::new(Image::new(Arc::new(tree))), limits).unwrap();
        run(Vfs::new(Box::new(overlay)), model, &ops, true);
    }
}
