//! Bytes to and from a host: as they are, or in the gateway's records.

use codepod_cptls::{Failure, Hello, MAX_RECORD, RECORD_HEAD, Record, Reply, payload_length};

use crate::Error;
use crate::socket::{Patience, Socket};

/// How much is read at once.
const BUFFER: usize = 128 * 1024;

/// What a server says that is no gateway, such as one within the sandbox.
const NOT_THERE: &str = "no TLS with this host: the sandbox's gateway does TLS, and this connection \
    does not lead there";

/// An open connection.
#[derive(Debug)]
pub(crate) struct Channel {
    socket: Socket,
    patience: Patience,
    /// What was read and not taken yet is `buffer[start..end]`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    tls: Option<Records>,
}

/// Where the reading of records stands.
#[derive(Debug, Default)]
struct Records {
    /// What is left of the payload that is being read.
    left: usize,
    ended: bool,
}

impl Channel {
    /// Connects; `tls` is what the gateway is to be asked for, if it is to do TLS.
    pub(crate) fn open(
        host: &str,
        port: u16,
        patience: Patience,
        tls: Option<&Hello>,
    ) -> Result<Channel, Error> {
        let mut channel = Channel {
            socket: Socket::connect(host, port, patience)?,
            patience,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            tls: None,
        };
        if let Some(hello) = tls {
            channel.shake(hello)?;
        }
        Ok(channel)
    }

    fn shake(&mut self, hello: &Hello) -> Result<(), Error> {
        let bytes = hello.to_bytes().map_err(|_| Error::Tls {
            text: "too many certificates to trust".to_owned(),
            verify: None,
        })?;
        self.socket.write_all(&bytes)?;
        let tls = |text: &str| Error::Tls {
            text: text.to_owned(),
            verify: None,
        };
        let (record, payload) = match self.control(&[Record::Reply, Record::Fail]) {
            Err(Error::Malformed(_)) => return Err(tls(NOT_THERE)),
            Err(Error::CutOff | Error::Broken(_)) => {
                return Err(tls("the connection was closed during the TLS handshake"));
            }
            read => read?,
        };
        if record == Record::Fail {
            return Err(failed(&payload));
        }
        Reply::parse(&payload).map_err(|_| Error::Malformed("bad reply of the gateway"))?;
        self.tls = Some(Records::default());
        Ok(())
    }

    /// Reads a whole record of one of these types.
    fn control(&mut self, expected: &[Record]) -> Result<(Record, Vec<u8>), Error> {
        let head = self.exactly(RECORD_HEAD)?;
        let head = *head.first_chunk().ok_or(Error::CutOff)?;
        let (record, length) = payload_length(head, expected)
            .map_err(|_| Error::Malformed("the gateway sent a record that does not belong here"))?;
        Ok((record, self.exactly(length)?.to_vec()))
    }

    /// The next bytes, so many, which must be at most [`MAX_RECORD`].
    fn exactly(&mut self, count: usize) -> Result<&[u8], Error> {
        debug_assert!(count <= MAX_RECORD && MAX_RECORD <= BUFFER);
        while self.end - self.start < count {
            if self.read_more()? == 0 {
                return Err(Error::CutOff);
            }
        }
        let from = self.start;
        self.start += count;
        Ok(&self.buffer[from..from + count])
    }

    /// Reads behind what is there already; 0 at the end.
    fn read_more(&mut self) -> Result<usize, Error> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let room = &mut self.buffer[self.end..];
        let read = self.socket.read(room, self.patience.read)?;
        self.end += read;
        Ok(read)
    }

    /// Plain text that has come, at least one byte; nothing at the end.
    pub(crate) fn fill(&mut self) -> Result<&[u8], Error> {
        loop {
            let Some(records) = &self.tls else {
                if self.start == self.end {
                    self.read_more()?;
                }
                return Ok(&self.buffer[self.start..self.end]);
            };
            if records.ended {
                return Ok(&[]);
            }
            let left = records.left;
            if left > 0 {
                if self.start == self.end && self.read_more()? == 0 {
                    return Err(Error::CutOff);
                }
                let end = self.end.min(self.start + left);
                return Ok(&self.buffer[self.start..end]);
            }
            self.next_record()?;
        }
    }

    fn next_record(&mut self) -> Result<(), Error> {
        let head = *self
            .exactly(RECORD_HEAD)?
            .first_chunk()
            .ok_or(Error::CutOff)?;
        let expected = [Record::Data, Record::Close, Record::Fail];
        let (record, length) = payload_length(head, &expected)
            .map_err(|_| Error::Malformed("the gateway sent a record that does not belong here"))?;
        if record == Record::Fail {
            let payload = self.exactly(length)?;
            return Err(failed(payload));
        }
        if let Some(records) = &mut self.tls {
            match record {
                Record::Close => records.ended = true,
                _ => records.left = length,
            }
        }
        Ok(())
    }

    /// Takes bytes that [`Channel::fill`] has shown.
    pub(crate) fn take(&mut self, count: usize) {
        self.start += count;
        if let Some(records) = &mut self.tls {
            records.left -= count;
        }
    }

    /// Sends everything.
    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.tls.is_none() {
            return self.socket.write_all(bytes);
        }
        for part in bytes.chunks(MAX_RECORD) {
            let record = [&Record::Data.head(part.len())[..], part].concat();
            self.socket.write_all(&record)?;
        }
        Ok(())
    }
}

/// The error that a failure of the gateway's is.
fn failed(payload: &[u8]) -> Error {
    match Failure::parse(payload) {
        Ok(failure) => Error::Tls {
            text: failure.text,
            verify: failure.verify,
        },
        Err(_) => Error::Malformed("bad failure of the gateway"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::tests::{heard, serve};
    use codepod_cptls::{fail, push_field, reply};

    fn hello() -> Hello {
        Hello {
            server_name: Some("a.test".into()),
            ..Hello::default()
        }
    }

    fn record(record: Record, payload: &[u8]) -> Vec<u8> {
        [&record.head(payload.len())[..], payload].concat()
    }

    fn open(sent: Vec<u8>) -> Result<Channel, Error> {
        let port = serve(vec![sent]);
        Channel::open("127.0.0.1", port, Patience::default(), Some(&hello()))
    }

    fn all(channel: &mut Channel) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        loop {
            let part = channel.fill()?;
            if part.is_empty() {
                return Ok(text);
            }
            // One byte and then the rest, as readers do.
            let count = if text.len() % 2 == 0 { 1 } else { part.len() };
            text.extend_from_slice(&part[..count]);
            channel.take(count);
        }
    }

    #[test]
    fn plain_text_comes_out_of_records() {
        let mut version = Vec::new();
        push_field(&mut version, reply::VERSION, &[3, 4]);
        let sent = [
            record(Record::Reply, &version),
            record(Record::Data, b"one"),
            record(Record::Data, b""),
            record(Record::Data, &[7; 60_000]),
            record(Record::Close, b""),
            b"after the end".to_vec(),
        ]
        .concat();
        let mut channel = open(sent).unwrap();
        channel.write_all(&[9; MAX_RECORD + 1]).unwrap();
        let text = all(&mut channel).unwrap();
        assert_eq!((&text[..3], text.len()), (&b"one"[..], 60_003));
        drop(channel);
        let heard = heard();
        let hello = hello().to_bytes().unwrap();
        assert!(heard.starts_with(&hello));
        let records = record(Record::Data, &[9; MAX_RECORD]);
        assert_eq!(
            heard[hello.len()..],
            [records, record(Record::Data, &[9])].concat()
        );
    }

    #[test]
    fn a_failure_says_why() {
        let mut payload = Vec::new();
        push_field(&mut payload, fail::VERIFY, &10u32.to_be_bytes());
        push_field(&mut payload, fail::TEXT, b"certificate has expired");
        let failure = Error::Tls {
            text: "certificate has expired".into(),
            verify: Some(10),
        };
        let sent = record(Record::Fail, &payload);
        assert_eq!(open(sent.clone()).unwrap_err(), failure);
        let mut later = open([record(Record::Reply, b""), sent].concat()).unwrap();
        assert_eq!(later.fill().unwrap_err(), failure);
    }

    #[test]
    fn what_is_no_record_ends_the_connection() {
        let start = record(Record::Reply, b"");
        for sent in [
            vec![],
            record(Record::Hello, b""),
            record(Record::Reply, b"x"),
            b"HTTP/1.1 400 Bad".to_vec(),
            vec![0x15, 3, 3, 0, 2, 2, 40],
        ] {
            let error = open(sent.clone()).unwrap_err();
            let is_tls = matches!(error, Error::Tls { verify: None, .. });
            assert!(
                is_tls || error == Error::Malformed("bad reply of the gateway"),
                "{sent:?}"
            );
        }
        for (sent, error) in [
            (&b""[..], Error::CutOff),
            (&[3, 0], Error::CutOff),
            (&[3, 0, 0, 2, 1], Error::CutOff),
            (
                &[3, 1, 0, 1],
                Error::Malformed("the gateway sent a record that does not belong here"),
            ),
            (
                &[5, 0, 0, 1, 0],
                Error::Malformed("bad failure of the gateway"),
            ),
        ] {
            let mut channel = open([&start[..], sent].concat()).unwrap();
            assert_eq!(all(&mut channel).unwrap_err(), error, "{sent:?}");
        }
    }
}
