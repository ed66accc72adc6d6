//! What every file system over a tree reads alike.

/// The methods of a file system that only read, for one that keeps its files in a field `tree`. Who
/// uses it imports the types that they name.
macro_rules! reads_of_tree {
    () => {
        fn root(&self) -> InodeId {
            Tree::ROOT
        }

        fn lookup(&mut self, _: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<InodeId, Errno> {
            self.tree.lookup(dir, name)
        }

        fn parent(&mut self, dir: InodeId) -> Result<InodeId, Errno> {
            self.tree.parent(dir)
        }

        fn path_of(&mut self, inode: InodeId) -> Result<Vec<u8>, Errno> {
            self.tree.path_of(inode)
        }

        fn stat(&mut self, _: &Caller<'_>, inode: InodeId) -> Result<Stat, Errno> {
            self.tree.stat(inode)
        }

        fn readlink(&mut self, _: &Caller<'_>, inode: InodeId) -> Result<Arc<[u8]>, Errno> {
            self.tree.readlink(inode)
        }

        fn read_at(
            &mut self,
            _: &Caller<'_>,
            inode: InodeId,
            offset: u64,
            buf: &mut [u8],
        ) -> Result<usize, Errno> {
            self.tree.read_at(inode, offset, buf)
        }

        fn list(
            &mut self,
            _: &Caller<'_>,
            dir: InodeId,
            cookie: u64,
            until: u64,
            sink: DirSink<'_>,
        ) -> Result<(), Errno> {
            self.tree.list(dir, cookie, until, sink)
        }

        fn end_cookie(&mut self, dir: InodeId) -> Result<u64, Errno> {
            self.tree.end_cookie(dir)
        }
    };
}

pub(crate) use reads_of_tree;
