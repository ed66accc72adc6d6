//! Programs that fetch and send, beside those of the machine, to one nginx.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use codepod::network::{Network, NetworkSpec, Places, RuleSpec, SecretSpec, TlsSpec, certificates};
use codepod::{Mount, MountAccess, Options, Sandbox};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

use crate::report::{Goal, Report};
use crate::timing::{median, show, time};
use crate::{Outcome, create};

const ROUNDS: usize = 5;
const BYTES: u64 = 1 << 30;
const BODY: u64 = 128 << 20;
/// Processes of curl, one after the other.
const PROCESSES: u32 = 100;
/// Requests of one session of Python.
const REQUESTS: u32 = 1000;
/// Where the package requests is; `cargo xtask bench` gets it.
const PACKAGES: &str = "CODEPOD_REQUESTS";
/// The name of the server inside, which its certificate has as well as `localhost`.
const NAME: &str = "a.test";

const SESSION: &str = r#"
import sys, time, requests
session = requests.Session()
url, count = sys.argv[1], int(sys.argv[2])
session.get(url).raise_for_status()
began = time.perf_counter_ns()
for _ in range(count):
    if len(session.get(url).content) != 1024:
        sys.exit("another answer")
print(time.perf_counter_ns() - began)
"#;

pub(crate) fn run(report: &mut Report) -> Outcome {
    let server = Server::start()?;
    let sandbox = server.sandbox(Vec::new())?;
    for (scheme, least) in [("http", 0.5), ("https", 0.6)] {
        let what = format!("curl of 1 GiB over {scheme}, speed");
        let script = |url: String| format!("curl -sf -o /dev/null {url}");
        let (ours, theirs) = server.beside(&sandbox, scheme, "big", script)?;
        let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
        let goal = Goal::AtLeast(least);
        report.ratio(&what, rate(BYTES, ours), rate(BYTES, theirs), ratio, goal);
    }
    for (scheme, most) in [("http", 0.5), ("https", 0.8)] {
        let what = format!("{PROCESSES} × curl of 1 KB over {scheme}");
        let script = |url: String| {
            format!("for i in {{1..{PROCESSES}}}; do curl -sf -o /dev/null {url} || exit 1; done")
        };
        let (ours, theirs) = server.beside(&sandbox, scheme, "small", script)?;
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        report.ratio(&what, show(ours), show(theirs), ratio, Goal::AtMost(most));
    }
    session(report, &server, &sandbox)?;
    substitution(report, &server)
}

fn rate(bytes: u64, took: Duration) -> String {
    format!("{:.2} GB/s", bytes as f64 / took.as_secs_f64() / 1e9)
}

/// Requests of one session of Python's `requests`, by the program's own clock.
fn session(report: &mut Report, server: &Server, sandbox: &Sandbox) -> Outcome {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let count = REQUESTS.to_string();
    let nanoseconds = |stdout: &[u8], stderr: &[u8]| -> Outcome<Duration> {
        let text = String::from_utf8_lossy(stdout);
        let took = text.trim().parse().map(Duration::from_nanos);
        took.map_err(|_| String::from_utf8_lossy(stderr).into())
    };
    for _ in 0..ROUNDS {
        let url = server.url(NAME, "https", "small");
        let result = sandbox
            .command(["python3", "-c", SESSION, &url, &count])
            .run_blocking()?;
        ours.push(nanoseconds(&result.stdout, &result.stderr)?);
        let url = server.url("localhost", "https", "small");
        let output = Command::new("python3")
            .args(["-c", SESSION, &url, &count])
            .env("PYTHONPATH", &server.packages)
            .env("REQUESTS_CA_BUNDLE", server.file("ca.pem"))
            .output()?;
        theirs.push(nanoseconds(&output.stdout, &output.stderr)?);
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    report.ratio(
        "1,000 requests of one requests.Session",
        show(ours),
        show(theirs),
        ratio,
        Goal::AtMost(3.0),
    );
    Ok(())
}

/// A body in which eight secrets are looked for, beside one without.
fn substitution(report: &mut Report, server: &Server) -> Outcome {
    let secrets = (0..8).map(|i| {
        let (name, value) = (
            format!("SECRET_{i}"),
            format!("the value of the secret {i}"),
        );
        let mut secret = SecretSpec::new(&name, &value.replace(' ', "-"), &[NAME]);
        secret.hosts = vec![server.rule("https")];
        secret.places = Places {
            body: true,
            ..Places::default()
        };
        secret
    });
    let with = server.sandbox(secrets.collect())?;
    let without = server.sandbox(Vec::new())?;
    let url = server.url(NAME, "https", "sink");
    let script = format!("curl -sf -T /tmp/body {url}");
    for sandbox in [&with, &without] {
        inside(sandbox, &format!("head -c {BODY} /dev/urandom > /tmp/body"))?;
    }
    let (mut with_times, mut without_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        with_times.push(inside(&with, &script)?);
        without_times.push(inside(&without, &script)?);
    }
    let (with, without) = (median(&mut with_times), median(&mut without_times));
    report.ratio(
        "an upload of 128 MiB with 8 secrets, speed",
        rate(BODY, with),
        format!("{} without", rate(BODY, without)),
        without.as_secs_f64() / with.as_secs_f64(),
        Goal::AtLeast(0.7),
    );
    Ok(())
}

fn inside(sandbox: &Sandbox, script: &str) -> Outcome<Duration> {
    let (took, result) = time(|| sandbox.run_blocking(script));
    match result? {
        result if result.exit_code == 0 => Ok(took),
        result => Err(format!("{script}: {} {}", result.exit_code, result.stderr_text()).into()),
    }
}

fn outside(script: &str) -> Outcome<Duration> {
    let mut command = Command::new("bash");
    let (took, status) = time(|| command.args(["-c", script]).status());
    match status?.success() {
        true => Ok(took),
        false => Err(format!("{script}: failed outside").into()),
    }
}

/// An nginx of one worker, with an authority of its own.
struct Server {
    directory: tempfile::TempDir,
    packages: PathBuf,
    http: u16,
    https: u16,
    nginx: Child,
}

impl Server {
    fn start() -> Outcome<Server> {
        let packages = std::env::var_os(PACKAGES).ok_or("run `cargo xtask bench network`")?;
        let directory = tempfile::tempdir()?;
        let place = directory.path();
        certify(place)?;
        std::fs::create_dir(place.join("www"))?;
        File::create(place.join("www/big"))?.set_len(BYTES)?;
        std::fs::write(place.join("www/small"), [b'x'; 1024])?;
        let (http, https) = (free_port()?, free_port()?);
        std::fs::write(place.join("conf"), configuration(place, http, https))?;
        let nginx = Command::new("nginx")
            .arg("-c")
            .arg(place.join("conf"))
            .args(["-e", "stderr"])
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| format!("nginx: {error} (Debian: `apt-get install nginx-light`)"))?;
        let mut server = Server {
            packages: packages.into(),
            http,
            https,
            nginx,
            directory,
        };
        server.wait()?;
        Ok(server)
    }

    fn wait(&mut self) -> Outcome {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10) {
            if std::net::TcpStream::connect(("127.0.0.1", self.https)).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.nginx.try_wait()? {
                return Err(format!("nginx: {status}").into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err("nginx does not listen after 10 s".into())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn url(&self, host: &str, scheme: &str, path: &str) -> String {
        let port = match scheme {
            "https" => self.https,
            _ => self.http,
        };
        format!("{scheme}://{host}:{port}/{path}")
    }

    fn rule(&self, scheme: &str) -> RuleSpec {
        RuleSpec::from(self.url(NAME, scheme, "").trim_end_matches('/'))
    }

    /// A sandbox that may reach the server.
    fn sandbox(&self, secrets: Vec<SecretSpec>) -> Outcome<Sandbox> {
        let roots = certificates(&std::fs::read(self.file("ca.pem"))?)?;
        let mut spec = NetworkSpec::default();
        let rules = ["http", "https"].map(|scheme| RuleSpec {
            tls: TlsSpec {
                roots: Some(roots.clone()),
                ..TlsSpec::default()
            },
            ..self.rule(scheme)
        });
        spec.policy.allowed_hosts = Some(rules.into());
        spec.policy.hosts = [(NAME.to_owned(), "127.0.0.1".to_owned())].into();
        spec.limits.requests = u64::MAX;
        spec.limits.bytes_in = u64::MAX;
        spec.limits.bytes_out = u64::MAX;
        spec.secrets = secrets;
        let mut options = Options::default();
        options.network = Some(Network::new(spec)?);
        options.timeout = Duration::from_secs(600);
        let access = MountAccess::ReadOnly;
        let packages = Mount::host(&self.packages, "/packages", access);
        options.mounts.push(packages);
        let path = ("PYTHONPATH".to_owned(), "/packages".to_owned());
        options.env.push(path);
        Ok(create::sandbox(options)?)
    }

    /// How long a script takes inside and outside, with the URL of a file for either.
    fn beside(
        &self,
        sandbox: &Sandbox,
        scheme: &str,
        path: &str,
        script: impl Fn(String) -> String,
    ) -> Outcome<(Duration, Duration)> {
        let within = script(self.url(NAME, scheme, path));
        let ca = self.file("ca.pem");
        let url = self.url("localhost", scheme, path);
        let without = script(format!("--cacert {} {url}", ca.display()));
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        inside(sandbox, &within)?;
        for _ in 0..ROUNDS {
            ours.push(inside(sandbox, &within)?);
            theirs.push(outside(&without)?);
        }
        Ok((median(&mut ours), median(&mut theirs)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.nginx.kill();
        let _ = self.nginx.wait();
    }
}

fn free_port() -> Outcome<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// One process, which is ours to end; the cipher is the one that both sides are measured with.
fn configuration(place: &Path, http: u16, https: u16) -> String {
    let place = place.display();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("    {kind}_temp_path {place}/{kind};\n"))
        .concat();
    format!(
        "daemon off;\nmaster_process off;\npid {place}/pid;\nevents {{}}\nhttp {{\n\
        access_log off;\nsendfile on;\nkeepalive_requests 1000000;\nclient_max_body_size 0;\n{temporary}\
        server {{\nlisten 127.0.0.1:{http};\nlisten 127.0.0.1:{https} ssl;\nroot {place}/www;\n\
        ssl_certificate {place}/chain.pem;\nssl_certificate_key {place}/key.pem;\n\
        ssl_protocols TLSv1.3;\nssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;\n\
        location = /sink {{ dav_methods PUT; }}\n}}\n}}\n"
    )
}

/// Makes an authority and a certificate of it in a directory.
fn certify(place: &Path) -> Outcome {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::default();
    // Named unlike the server, whose certificate would look signed by itself otherwise.
    params
        .distinguished_name
        .push(DnType::CommonName, "an authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    std::fs::write(place.join("ca.pem"), params.self_signed(&key)?.pem())?;
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate()?;
    let params = CertificateParams::new([NAME, "localhost"].map(String::from))?;
    std::fs::write(
        place.join("chain.pem"),
        params.signed_by(&key, &issuer)?.pem(),
    )?;
    Ok(std::fs::write(place.join("key.pem"), key.serialize_pem())?)
}
