//! One request at a time, on a connection that is kept for the next.

use std::time::Duration;

use codepod_cptls::Hello;

use crate::channel::Channel;
use crate::head::{self, Head};
use crate::socket::Patience;
use crate::{Body, Error, Fields, Scheme, Url};

/// How many replies before the real one (1xx) are passed over.
const MOST_INFORMATIONAL: usize = 16;
/// The longest reason of the gateway's that is read.
const LONGEST_REASON: usize = 8 * 1024;
/// The longest rest of a body that is read so that its connection can be kept.
const LONGEST_REST: usize = 64 * 1024;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET` and the like.
    pub method: String,
    /// Where it goes. Its name and password are not sent: a field has to say them.
    pub url: Url,
    /// Fields besides `Host`, `Content-Length` and `Connection`. One with the name `Host` takes
    /// that one's place.
    pub fields: Vec<(String, Vec<u8>)>,
    /// What follows the head.
    pub body: Option<Vec<u8>>,
}

impl Request {
    /// A request for a page.
    pub fn get(url: Url) -> Request {
        Request {
            method: "GET".to_owned(),
            url,
            fields: Vec::new(),
            body: None,
        }
    }

    /// This request with a field more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Vec<u8>>) -> Request {
        self.fields.push((name.to_owned(), value.into()));
        self
    }

    /// The head as it is sent.
    ///
    /// Fails when a field would become two.
    pub fn head(&self) -> Result<Vec<u8>, Error> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.url.path).into_bytes();
        let has = |name: &str| {
            let mut names = self.fields.iter().map(|(name, _)| name);
            names.any(|found| found.eq_ignore_ascii_case(name))
        };
        let mut field = |name: &str, value: &[u8]| -> Result<(), Error> {
            let is_bad = |byte: &u8| matches!(byte, 0 | b'\r' | b'\n');
            if name
                .bytes()
                .chain(value.iter().copied())
                .any(|byte| is_bad(&byte))
            {
                return Err(Error::Malformed(
                    "a field of the request has a line end in it",
                ));
            }
            for part in [name.as_bytes(), b": ", value, b"\r\n"] {
                head.extend_from_slice(part);
            }
            Ok(())
        };
        if !has("host") {
            field("Host", self.url.authority().as_bytes())?;
        }
        for (name, value) in &self.fields {
            field(name, value)?;
        }
        if let Some(body) = &self.body
            && !has("content-length")
        {
            field("Content-Length", body.len().to_string().as_bytes())?;
        }
        head.extend(b"\r\n");
        Ok(head)
    }
}

/// A reply; its body is still to be read.
#[derive(Debug)]
pub struct Response {
    /// `HTTP/1.` and this.
    pub minor: u8,
    /// 200 and the like.
    pub status: u16,
    /// `OK` and the like.
    pub reason: String,
    /// The fields of its head.
    pub fields: Fields,
    /// What follows the head.
    pub body: Body,
    origin: Origin,
}

/// A connection is for one of these.
type Origin = (Scheme, String, u16);

/// Sends requests.
#[derive(Debug, Default)]
pub struct Client {
    patience: Patience,
    /// Certificates to trust, DER; without any, the gateway's own.
    roots: Vec<Vec<u8>>,
    idle: Option<(Origin, Channel)>,
}

impl Client {
    /// One that waits as long as it takes.
    pub fn new() -> Client {
        Client::default()
    }

    /// Limits how long a connection may take.
    pub fn connect_within(&mut self, time: Option<Duration>) {
        self.patience.connect = time;
    }

    /// Limits how long the other side may be silent.
    pub fn read_within(&mut self, time: Option<Duration>) {
        self.patience.read = time;
    }

    /// Trusts these certificates only, DER.
    pub fn trust(&mut self, roots: Vec<Vec<u8>>) {
        self.roots = roots;
    }

    /// Whether there is a connection to the URL's host.
    pub fn is_connected(&self, url: &Url) -> bool {
        matches!(&self.idle, Some((found, _)) if *found == origin(url))
    }

    /// Connects to the URL's host, if that is not so.
    pub fn connect(&mut self, url: &Url) -> Result<(), Error> {
        if self.is_connected(url) {
            return Ok(());
        }
        self.idle = None;
        let hello = (url.scheme == Scheme::Https).then(|| Hello {
            server_name: Some(url.host.clone()),
            alpn: vec![b"http/1.1".to_vec()],
            roots: self.roots.clone(),
            ..Hello::default()
        });
        let channel = Channel::open(&url.host, url.port, self.patience, hello.as_ref())?;
        self.idle = Some((origin(url), channel));
        Ok(())
    }

    /// Sends a request and reads the head of its reply.
    ///
    /// Fails with [`Error::Denied`] when it is the gateway that replied, and not the server.
    pub fn send(&mut self, request: &Request) -> Result<Response, Error> {
        let was_open = self.is_connected(&request.url);
        let sent = self.exchange(request);
        // A connection that was kept may have been closed meanwhile.
        let sent = match sent {
            Err(Error::NoReply | Error::Broken(_)) if was_open => self.exchange(request),
            sent => sent,
        };
        let mut response = sent?;
        if response.status == 403 && response.fields.get("codepod-denied").is_some() {
            let why = response.body.read_all(LONGEST_REASON)?;
            let why = String::from_utf8_lossy(why.trim_ascii()).into_owned();
            return Err(Error::Denied(why));
        }
        Ok(response)
    }

    fn exchange(&mut self, request: &Request) -> Result<Response, Error> {
        let head = request.head()?;
        self.connect(&request.url)?;
        let Some((origin, mut channel)) = self.idle.take() else {
            return Err(Error::NoReply);
        };
        let sent = match &request.body {
            // A small body goes along with the head.
            Some(body) if body.len() < 64 * 1024 => channel.write_all(&[&head[..], body].concat()),
            Some(body) => channel
                .write_all(&head)
                .and_then(|()| channel.write_all(body)),
            None => channel.write_all(&head),
        };
        let head = match (sent, reply(&mut channel)) {
            // A server may reply before it has read everything.
            (_, Ok(head)) => head,
            (Err(error), Err(_)) | (Ok(()), Err(error)) => return Err(error),
        };
        let body = Body::new(channel, &head, &request.method)?;
        Ok(Response {
            minor: head.minor,
            status: head.status,
            reason: head.reason,
            fields: head.fields,
            body,
            origin,
        })
    }

    /// Keeps the connection of a reply for the next request, where that can be.
    pub fn done(&mut self, mut response: Response) {
        if response.body.skip(LONGEST_REST)
            && let Some(channel) = response.body.into_channel()
        {
            self.idle = Some((response.origin, channel));
        }
    }
}

fn reply(channel: &mut Channel) -> Result<Head, Error> {
    for _ in 0..MOST_INFORMATIONAL {
        let head = head::read(channel)?;
        match head.status {
            101 => return Err(Error::Malformed("the server changes the protocol unasked")),
            100..200 => {}
            _ => return Ok(head),
        }
    }
    Err(Error::Malformed("too many replies before the real one"))
}

fn origin(url: &Url) -> Origin {
    (url.scheme, url.host.clone(), url.port)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::redirect;

    thread_local! {
        static HEARD: RefCell<Option<Receiver<Vec<u8>>>> = const { RefCell::new(None) };
    }

    /// A server that sends this to each connection, in turn, at once. Returns its port.
    pub(crate) fn serve(replies: Vec<Vec<u8>>) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tell, heard) = channel();
        HEARD.set(Some(heard));
        std::thread::spawn(move || {
            for reply in replies {
                let (mut client, _) = listener.accept().unwrap();
                let _ = client.write_all(&reply);
                let _ = client.shutdown(std::net::Shutdown::Write);
                let mut all = Vec::new();
                let _ = client.read_to_end(&mut all);
                let _ = tell.send(all);
            }
        });
        port
    }

    /// What the server of this test's thread read on its next connection.
    pub(crate) fn heard() -> Vec<u8> {
        HEARD.with_borrow(|heard| heard.as_ref().unwrap().recv().unwrap())
    }

    fn url(port: u16) -> Url {
        Url::parse(format!("http://127.0.0.1:{port}/x?y").as_bytes()).unwrap()
    }

    fn get(reply: &[u8]) -> Result<(Response, Vec<u8>), Error> {
        let port = serve(vec![reply.to_vec()]);
        let mut response = Client::new().send(&Request::get(url(port)))?;
        let body = response.body.read_all(1 << 20)?;
        Ok((response, body))
    }

    #[test]
    fn a_request_goes_out_as_it_is_written() {
        let port = serve(vec![
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec(),
        ]);
        let mut request = Request::get(url(port)).with("X-A", "b");
        request.method = "POST".into();
        request.body = Some(b"body".to_vec());
        let mut client = Client::new();
        let response = client.send(&request).unwrap();
        assert_eq!((response.status, response.body.length()), (200, Some(2)));
        client.done(response);
        assert!(client.is_connected(&request.url));
        drop(client);
        let expected = format!(
            "POST /x?y HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-A: b\r\nContent-Length: 4\r\n\r\nbody"
        );
        assert_eq!(String::from_utf8(heard()).unwrap(), expected);
        let split = request.with("X-B", "c\r\nHost: evil");
        assert!(matches!(split.head(), Err(Error::Malformed(_))));
    }

    #[test]
    fn bodies_end_where_they_say() {
        for (reply, body) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", "abc"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nabc", ""),
            (
                "HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 3\n\nabc",
                "abc",
            ),
            ("HTTP/1.1 200 OK\r\n\r\nabc", "abc"),
            ("HTTP/1.1 204 No\r\n\r\nabc", ""),
            (
                "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 200 OK\r\n\r\nabc",
                "abc",
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: t\r\n\r\n",
                "abcde",
            ),
        ] {
            let (_, read) = get(reply.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(read).unwrap(), body, "{reply}");
        }
        let (response, _) =
            get(b"HTTP/1.1 200 OK\r\nA: 1\r\n b\r\na:2 \r\nContent-Length: 0\r\n\r\n").unwrap();
        let values: Vec<_> = response.fields.all("A").collect();
        assert_eq!(values, [&b"1 b"[..], b"2"]);
    }

    #[test]
    fn replies_of_hostile_servers_are_refused() {
        let fields = "A: b\r\n".repeat(300);
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let endless = "HTTP/1.1 100 Go on\r\n\r\n".repeat(20);
        for reply in [
            "",
            "\r\n",
            "garbage",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\n\r\nab",
            "HTTP/1.1 200 OK\r\n continued\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 101 Switching\r\n\r\n",
            &format!("HTTP/1.1 200 OK\r\n{fields}\r\n"),
            &format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "x".repeat(70_000)),
            &endless,
            &format!("{chunked}x\r\n"),
            &format!("{chunked}-1\r\n"),
            &format!("{chunked}ffffffffffffffffff\r\n"),
            &format!("{chunked}3\r\nabcd\r\n"),
            &format!("{chunked}3\r\nabc\r\n"),
            &format!("{chunked}0\r\n"),
            &format!("{chunked}{}", "0".repeat(9000)),
        ] {
            let result = get(reply.as_bytes());
            let start = &reply[..reply.len().min(80)];
            assert!(result.is_err(), "{start}: {:?}", result.unwrap().1);
        }
        assert_eq!(get(b"").unwrap_err(), Error::NoReply);
    }

    #[test]
    fn a_denial_of_the_gateways_is_its_reason() {
        let reply = b"HTTP/1.1 403 Forbidden\r\nCodepod-Denied: not-allowed\r\nContent-Length: 5\r\n\r\nwhy.\n";
        assert_eq!(get(reply).unwrap_err(), Error::Denied("why.".into()));
        let other = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(get(other).unwrap().0.status, 403);
    }

    #[test]
    fn a_kept_connection_that_was_closed_is_opened_anew() {
        let ok = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec();
        let port = serve(vec![ok.clone(), ok]);
        let mut client = Client::new();
        for _ in 0..2 {
            let response = client.send(&Request::get(url(port))).unwrap();
            assert_eq!(response.status, 200);
            client.done(response);
        }
    }

    #[test]
    fn silence_ends_after_its_time() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut client = Client::new();
        client.read_within(Some(Duration::from_millis(50)));
        let error = client.send(&Request::get(url(port))).unwrap_err();
        assert_eq!(error, Error::TimedOut("Read"));
        drop(listener);
        let error = Client::new().send(&Request::get(url(port))).unwrap_err();
        assert!(matches!(error, Error::Connect { port: found, .. } if found == port));
    }

    #[cfg(feature = "gzip")]
    #[test]
    fn gzip_is_unpacked() {
        use crate::Unpacked;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&[b'x'; 100_000]).unwrap();
        let packed = packed.finish().unwrap();
        let reply = |encoding: &str, body: &[u8]| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n\r\n");
            let port = serve(vec![[head.as_bytes(), body].concat()]);
            Client::new().send(&Request::get(url(port))).unwrap()
        };
        let mut text = Vec::new();
        let mut unpacked = Unpacked::new(reply("gzip", &packed)).unwrap();
        unpacked.read_to_end(&mut text).unwrap();
        assert_eq!(text, [b'x'; 100_000]);
        let mut cut = Unpacked::new(reply("gzip", &packed[..20])).unwrap();
        assert!(cut.read_to_end(&mut Vec::new()).is_err());
        assert!(Unpacked::new(reply("br", b"")).is_err());
        let mut plain = Unpacked::new(reply("identity", b"x")).unwrap();
        assert_eq!(plain.read_to_end(&mut text).unwrap(), 1);
    }

    #[test]
    fn redirects_follow_the_rules_of_curl() {
        let follow = |method: &str, status: u16, location: &str| {
            let text =
                format!("HTTP/1.1 {status} x\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
            let port = serve(vec![text.into_bytes()]);
            let mut request = Request::get(url(port))
                .with("Authorization", "secret")
                .with("Content-Type", "text/plain")
                .with("X", "y");
            request.method = method.into();
            request.body = Some(b"b".to_vec());
            let response = Client::new().send(&request).unwrap();
            redirect::next(&request, &response)
        };
        let next = follow("POST", 302, "/z").unwrap().unwrap();
        assert_eq!((next.method.as_str(), next.body), ("GET", None));
        assert_eq!(next.url.path, "/z");
        let names: Vec<_> = next.fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Authorization", "X"]);
        let next = follow("POST", 307, "http://other.test/").unwrap().unwrap();
        assert_eq!((next.method.as_str(), next.body.is_some()), ("POST", true));
        let names: Vec<_> = next.fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Content-Type", "X"]);
        let next = follow("PUT", 301, "/z").unwrap().unwrap();
        assert_eq!(next.method, "PUT");
        assert!(follow("GET", 302, "file:///etc/passwd").unwrap().is_err());
        assert!(follow("GET", 200, "/z").is_none());
    }
}
