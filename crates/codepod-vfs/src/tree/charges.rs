//! Whatever happens to trees that share a budget, it has been charged what they hold, each piece
//! once, and gets all of it back.

use std::collections::HashMap;
use std::sync::Arc;

use codepod_abi::Errno;

use super::Tree;
use super::inode::Body;
use crate::budget::{Budget, BudgetLimits, BudgetUse};
use crate::node::{InodeId, New, NewBody};

const FILE: New<'static> = New {
    body: NewBody::File,
    mode: 0o644,
    uid: 0,
    gid: 0,
};

/// What trees hold, each node and each piece once; and everything that is charged is what it takes.
fn held(trees: &[Tree]) -> u64 {
    let mut seen: HashMap<*const u8, u64> = HashMap::new();
    for (_, inode) in trees.iter().flat_map(|tree| &tree.inodes) {
        let charged = inode.held.0.bytes();
        if !inode.base && !inode.held.is_free() {
            assert_eq!(charged, inode.memory());
        }
        seen.insert(Arc::as_ptr(inode).cast(), charged);
        if let Body::File(content) = &inode.body {
            for (_, chunk) in content.chunks() {
                let (charged, taken) = chunk.charged_and_taken();
                assert_eq!(charged, taken);
                seen.insert(Arc::as_ptr(chunk).cast(), charged);
            }
        }
    }
    seen.values().sum()
}

fn image() -> Tree {
    Tree::builder()
        .file(b"/a", 0o644, [7; 100_000])
        .dir(b"/d", 0o755)
        .file(b"/d/b", 0o644, b"b")
        .build()
}

#[test]
fn at_random_every_piece_is_charged_once_and_given_back() {
    let budget = Budget::new(BudgetLimits::new(0, 1 << 20));
    let image = image();
    let mut trees = vec![image.with_budget(&budget)];
    let mut random = 1u64;
    let mut refused = 0;
    for step in 0..6000 {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let pick = (random >> 33) as usize;
        let at = pick / 16 % trees.len();
        let name = format!("f{}", pick / 64 % 12).into_bytes();
        let other = format!("some longer name {}", pick / 1024 % 5).into_bytes();
        let (offset, length) = (pick as u64 / 7 % 200_000, pick / 5 % 90_000);
        let closed = |_: InodeId| false;
        let tree = &mut trees[at];
        let root = Tree::ROOT;
        let id = tree
            .lookup(root, &name)
            .or_else(|_| tree.lookup(root, b"a"));
        let changed = match (pick % 16, id) {
            (0..=2, _) => tree.create(root, &name, FILE, 1).map(drop),
            (3..=6, Ok(id)) => tree.write_at(id, offset, &vec![1; length], 0, 1).map(drop),
            (7, Ok(id)) => tree.set_size(id, offset, 0, 1),
            (8, Ok(id)) => tree.allocate(id, offset, length as u64 + 1, 0, 1),
            (9, _) => tree.unlink(root, &name, 1, &closed),
            (10, _) => tree.rename(root, &name, root, &other, 1, &closed),
            (11, Ok(id)) => tree.link(id, root, &other, 1),
            (12, _) => tree.unlink(root, &other, 1, &closed),
            (13, Ok(id)) => tree.set_mode(id, 0o600, 1),
            (14, _) if trees.len() < 6 => {
                let fork = trees[at].clone();
                trees.push(fork);
                Ok(())
            }
            (15, _) if trees.len() > 1 => {
                trees.swap_remove(at);
                Ok(())
            }
            _ => Ok(()),
        };
        refused += usize::from(changed == Err(Errno::NoSpc));
        let used = budget.used().memory_bytes;
        // Copies of nodes that are removed from are all that may go beyond it.
        assert!(used < (1 << 20) + 8192, "step {step}: {used}");
        if step % 16 == 0 {
            assert_eq!(used, held(&trees), "step {step}");
            for tree in &trees {
                assert_eq!(tree.usage(), tree.recount(), "step {step}");
            }
        }
    }
    assert!(refused > 100, "{refused}");
    drop(trees);
    assert_eq!(budget.used(), BudgetUse::default());
}

#[test]
fn removing_makes_room_again_even_where_a_snapshot_shares_it() {
    let budget = Budget::new(BudgetLimits::new(0, 300_000));
    let mut tree = image().with_budget(&budget);
    let file = tree.create(Tree::ROOT, b"f", FILE, 1).unwrap();
    let mut written = 0;
    let refused = loop {
        match tree.append(file, &[1; 10_000], 0, 1) {
            Ok((_, bytes)) => written += bytes,
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused, Errno::NoSpc);
    assert!((200_000..300_000).contains(&written), "{written}");
    let rest = budget.memory(300_000 - budget.used().memory_bytes).unwrap();
    let snapshot = tree.clone();
    let closed = |_: InodeId| false;
    assert_eq!(tree.set_mode(file, 0o600, 1), Err(Errno::NoSpc));
    assert_eq!(tree.create(Tree::ROOT, b"g", FILE, 1), Err(Errno::NoSpc));
    assert_eq!(tree.link(file, Tree::ROOT, b"g", 1), Err(Errno::NoSpc));
    assert_eq!(tree.unlink(Tree::ROOT, b"f", 1, &closed), Ok(()));
    drop(snapshot);
    let file = tree.create(Tree::ROOT, b"g", FILE, 1).unwrap();
    assert!(tree.append(file, &[1; 100_000], 0, 1).is_ok());
    assert_eq!(tree.usage(), tree.recount());
    drop((tree, rest));
    assert_eq!(budget.used(), BudgetUse::default());
}
