//! The hashes of `openssl dgst`, and HMAC over them.

use md5::Digest as _;

/// A hash that takes bytes as they come.
pub(super) trait Hash {
    fn add(&mut self, bytes: &[u8]);
    fn finish(self: Box<Self>) -> Vec<u8>;
}

macro_rules! hash {
    ($($type:ty)*) => {$(
        impl Hash for $type {
            fn add(&mut self, bytes: &[u8]) {
                self.update(bytes);
            }

            fn finish(self: Box<Self>) -> Vec<u8> {
                self.finalize().to_vec()
            }
        }
    )*};
}

hash! {
    md5::Md5 sha1::Sha1 sha2::Sha224 sha2::Sha256 sha2::Sha384 sha2::Sha512
    sha2::Sha512_224 sha2::Sha512_256
}

/// A digest by its names.
pub(super) struct Digest {
    /// As an option or a command: `sha256`.
    pub(super) name: &'static str,
    /// In what is printed: `SHA2-256`.
    pub(super) shown: &'static str,
    /// Bytes of a block, for HMAC.
    block: usize,
    start: fn() -> Box<dyn Hash>,
}

const fn digest(
    name: &'static str,
    shown: &'static str,
    block: usize,
    start: fn() -> Box<dyn Hash>,
) -> Digest {
    Digest {
        name,
        shown,
        block,
        start,
    }
}

/// All that there are.
pub(super) const DIGESTS: &[Digest] = &[
    digest("md5", "MD5", 64, || Box::new(md5::Md5::new())),
    digest("sha1", "SHA1", 64, || Box::new(sha1::Sha1::new())),
    digest("sha224", "SHA2-224", 64, || Box::new(sha2::Sha224::new())),
    digest("sha256", "SHA2-256", 64, || Box::new(sha2::Sha256::new())),
    digest("sha384", "SHA2-384", 128, || Box::new(sha2::Sha384::new())),
    digest("sha512", "SHA2-512", 128, || Box::new(sha2::Sha512::new())),
    digest("sha512-224", "SHA2-512/224", 128, || {
        Box::new(sha2::Sha512_224::new())
    }),
    digest("sha512-256", "SHA2-512/256", 128, || {
        Box::new(sha2::Sha512_256::new())
    }),
];

impl Digest {
    /// The one of a name, in any case.
    pub(super) fn named(name: &[u8]) -> Option<&'static Digest> {
        DIGESTS
            .iter()
            .find(|digest| name.eq_ignore_ascii_case(digest.name.as_bytes()))
    }

    /// Starts one, with a key for HMAC.
    pub(super) fn start(&self, key: Option<&[u8]>) -> Sum {
        let mut inner = (self.start)();
        let outer = key.map(|key| {
            let mut block = match key.len() > self.block {
                true => {
                    let mut hash = (self.start)();
                    hash.add(key);
                    hash.finish()
                }
                false => key.to_vec(),
            };
            block.resize(self.block, 0);
            let padded = |with: u8| block.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
            inner.add(&padded(0x36));
            let mut outer = (self.start)();
            outer.add(&padded(0x5c));
            outer
        });
        Sum { inner, outer }
    }
}

/// A hash in progress.
pub(super) struct Sum {
    inner: Box<dyn Hash>,
    outer: Option<Box<dyn Hash>>,
}

impl Sum {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.inner.add(bytes);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let sum = self.inner.finish();
        match self.outer {
            Some(mut outer) => {
                outer.add(&sum);
                outer.finish()
            }
            None => sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hmac_is_that_of_rfc_2202() {
        let mut sum = Digest::named(b"MD5").expect("md5").start(Some(b"Jefe"));
        sum.add(b"what do ya want ");
        sum.add(b"for nothing?");
        let expected = 0x750c_783e_6ab0_b503_eaa8_6e31_0a5d_b738_u128;
        assert_eq!(sum.finish(), expected.to_be_bytes());
        let mut sum = Digest::named(b"md5").expect("md5").start(Some(&[0xaa; 80]));
        sum.add(b"Test Using Larger Than Block-Size Key - Hash Key First");
        let expected = 0x6b1a_b7fe_4bd7_bf8f_0b62_e6ce_61b9_d0cd_u128;
        assert_eq!(sum.finish(), expected.to_be_bytes());
    }
}
