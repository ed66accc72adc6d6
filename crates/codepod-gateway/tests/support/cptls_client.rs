//! What a guest's TLS library does: the hello, the reply, and records.

use codepod_gateway::cptls::{self, Record, fail, hello, reply};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// What a handshake came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shaken {
    pub(crate) version: u16,
    pub(crate) cipher: String,
    pub(crate) alpn: Option<Vec<u8>>,
    pub(crate) chain: Vec<Vec<u8>>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) alert: Option<u8>,
    pub(crate) verify: Option<u32>,
    pub(crate) text: String,
}

/// Asks for TLS; `fields` are those of the hello beside the name.
pub(crate) async fn shake<S>(
    stream: &mut S,
    name: &str,
    fields: &[(u8, &[u8])],
) -> Result<Shaken, Failed>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut payload = Vec::new();
    cptls::push_field(&mut payload, hello::SERVER_NAME, name.as_bytes());
    for (tag, value) in fields {
        cptls::push_field(&mut payload, *tag, value);
    }
    let head = Record::Hello.head(payload.len());
    stream
        .write_all(&[&cptls::MAGIC[..], &head, &payload].concat())
        .await
        .unwrap();
    let Some((record, payload)) = read_record(stream).await else {
        return Err(Failed::default());
    };
    let mut rest = &payload[..];
    let mut shaken = Shaken::default();
    let mut failed = Failed::default();
    while let Some((tag, value, more)) = cptls::field(rest).unwrap() {
        rest = more;
        let words = || String::from_utf8(value.to_vec()).unwrap();
        match (record, tag) {
            (Record::Reply, reply::VERSION) => {
                shaken.version = u16::from_be_bytes(value.try_into().unwrap())
            }
            (Record::Reply, reply::CIPHER) => shaken.cipher = words(),
            (Record::Reply, reply::ALPN) => shaken.alpn = Some(value.to_vec()),
            (Record::Reply, reply::CERTIFICATE) => shaken.chain.push(value.to_vec()),
            (Record::Fail, fail::ALERT) => failed.alert = Some(value[0]),
            (Record::Fail, fail::VERIFY) => {
                failed.verify = Some(u32::from_be_bytes(value.try_into().unwrap()))
            }
            (Record::Fail, fail::TEXT) => failed.text = words(),
            other => panic!("{other:?}"),
        }
    }
    match record {
        Record::Reply => Ok(shaken),
        Record::Fail => Err(failed),
        other => panic!("{other:?}"),
    }
}

async fn read_record<S: AsyncRead + Unpin>(stream: &mut S) -> Option<(Record, Vec<u8>)> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.ok()?;
    let (record, length) = cptls::payload_length(
        head,
        &[Record::Reply, Record::Fail, Record::Data, Record::Close],
    )
    .unwrap();
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).await.ok()?;
    Some((record, payload))
}

/// Sends plain text in a record, closes, and reads plain text until the other side closes. The
/// second part says whether that was a close, and not a break.
pub(crate) async fn talk<S>(stream: S, bytes: &[u8]) -> (Vec<u8>, bool)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    converse(stream, bytes, 50_000, false).await
}

/// The same, with records of at most `size` bytes.
pub(crate) async fn talk_in_pieces<S>(stream: S, bytes: &[u8], size: usize) -> (Vec<u8>, bool)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    converse(stream, bytes, size, false).await
}

/// The same, and says that nothing more comes.
pub(crate) async fn talk_and_close<S>(stream: S, bytes: &[u8]) -> (Vec<u8>, bool)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    converse(stream, bytes, 50_000, true).await
}

async fn converse<S>(stream: S, bytes: &[u8], size: usize, closes: bool) -> (Vec<u8>, bool)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut reads, mut writes) = tokio::io::split(stream);
    let write = async {
        for piece in bytes.chunks(size) {
            let record = [&Record::Data.head(piece.len())[..], piece].concat();
            if writes.write_all(&record).await.is_err() {
                return;
            }
        }
        if closes {
            let _ = writes.write_all(&Record::Close.head(0)).await;
        }
    };
    let read = async {
        let mut all = Vec::new();
        loop {
            match read_record(&mut reads).await {
                Some((Record::Data, payload)) => all.extend(payload),
                Some((Record::Close, _)) => return (all, true),
                other => {
                    assert!(other.is_none(), "{other:?}");
                    return (all, false);
                }
            }
        }
    };
    let both = async { tokio::join!(write, read).1 };
    tokio::time::timeout(super::PATIENCE, both).await.unwrap()
}
