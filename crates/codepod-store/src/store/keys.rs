//! The keys under which manifests, packs and claims are kept.

use crate::pack::PackName;

pub(super) fn manifest_key(epoch: u64, sequence: u64) -> String {
    format!("m/{epoch:016x}.{sequence:016x}.manifest")
}

pub(super) fn parse_key(key: &str) -> Option<(u64, u64)> {
    let name = key.strip_prefix("m/")?.strip_suffix(".manifest")?;
    let (epoch, sequence) = name.split_once('.')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let (epoch, sequence) = (number(epoch)?, number(sequence)?);
    (manifest_key(epoch, sequence) == key).then_some((epoch, sequence))
}

pub(super) fn pack_key(name: &PackName) -> String {
    let hex = blake3::Hash::from_bytes(name.digest).to_hex();
    match name.epoch {
        0 => format!("p/{hex}"),
        epoch => format!("p/{epoch:016x}.{hex}"),
    }
}

/// The epoch of whoever wrote a pack; `None` if it is not the key of a pack.
pub(super) fn pack_epoch(key: &str) -> Option<u64> {
    match key.strip_prefix("p/")?.split_once('.') {
        Some((epoch, _)) => u64::from_str_radix(epoch, 16).ok(),
        None => Some(0),
    }
}

pub(super) fn claim_key(epoch: u64) -> String {
    format!("c/{epoch:016x}")
}

pub(super) fn parse_claim(key: &str) -> Option<u64> {
    u64::from_str_radix(key.strip_prefix("c/")?, 16).ok()
}
