//! TLS of Python: what programs do with it gives inside what the host's own Python gives with the
//! same servers.

#![cfg(feature = "network")]

mod support;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use codepod::network::{Network, NetworkSpec, RuleSpec};
use codepod::{Options, Sandbox};
use rcgen::{
    BasicConstraints, CertificateParams, CrlDistributionPoint, DnType, ExtendedKeyUsagePurpose,
    IsCa, Issuer, KeyPair, KeyUsagePurpose, SanType, date_time_ymd,
};

/// An authority, and what it is in PEM.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

fn authority(name: &str) -> Authority {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, name);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let certificate = params.self_signed(&key).unwrap();
    Authority {
        pem: certificate.pem(),
        issuer: Issuer::new(params, key),
    }
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.use_authority_key_identifier_extension = true;
    params
}

/// A certificate that `authority` has signed, or nobody else, and its key.
fn identity(params: CertificateParams, authority: Option<&Authority>) -> String {
    let key = KeyPair::generate().unwrap();
    let certificate = match authority {
        Some(authority) => params.signed_by(&key, &authority.issuer),
        None => params.self_signed(&key),
    };
    format!("{}{}", certificate.unwrap().pem(), key.serialize_pem())
}

/// Writes the certificates of all servers into a directory.
fn certificates(directory: &Path) {
    let (own, other) = (authority("Test Authority"), authority("Another Authority"));
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    write("ca.pem", &own.pem);
    std::fs::write(directory.join("other-ca.crt"), &other.pem).unwrap();
    for name in ["good", "twelve", "mutual", "mail"] {
        let params = params(&format!("{name}.test"));
        write(&format!("{name}.pem"), &identity(params, Some(&own)));
    }
    let mut expired = params("expired.test");
    expired.not_before = date_time_ymd(2019, 1, 1);
    expired.not_after = date_time_ymd(2020, 1, 1);
    write("expired.pem", &identity(expired, Some(&own)));
    let mut early = params("early.test");
    early.not_before = date_time_ymd(2300, 1, 1);
    early.not_after = date_time_ymd(2301, 1, 1);
    write("early.pem", &identity(early, Some(&own)));
    write("other.pem", &identity(params("elsewhere.test"), Some(&own)));
    write(
        "unknown.pem",
        &identity(params("unknown.test"), Some(&other)),
    );
    write("lonely.pem", &identity(params("lonely.test"), None));
    let mut client = params("a client");
    client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    write("client.pem", &identity(client, Some(&own)));
    let mut rich = params("rich.test");
    let subject = &mut rich.distinguished_name;
    subject.push(DnType::CountryName, "DE");
    subject.push(DnType::OrganizationName, "Ünïcode, \"Inc.\" + 東京");
    subject.push(DnType::CustomDnType(vec![1, 2, 3, 4, 5]), "of its own");
    rich.subject_alt_names.extend([
        SanType::DnsName("*.rich.test".try_into().unwrap()),
        SanType::Rfc822Name("a@rich.test".try_into().unwrap()),
        SanType::URI("https://rich.test/a".try_into().unwrap()),
        SanType::IpAddress("192.0.2.7".parse().unwrap()),
        SanType::IpAddress("2001:db8::7".parse().unwrap()),
    ]);
    rich.crl_distribution_points = vec![CrlDistributionPoint {
        uris: vec!["http://rich.test/crl".into(), "http://rich.test/2".into()],
    }];
    rich.not_after = date_time_ymd(2077, 2, 3);
    write("rich.pem", &identity(rich, Some(&own)));
}

/// The servers of `fixtures/tls/servers.py`, which end with this.
struct Servers {
    child: Child,
    ports: String,
}

impl Servers {
    fn new(directory: &Path) -> Servers {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls/servers.py");
        let mut child = Command::new(native_python())
            .arg(script)
            .arg(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ports = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut ports).unwrap();
        let ports = ports.trim().to_owned();
        assert!(ports.starts_with('{'), "{ports}");
        Servers { child, ports }
    }

    fn port(&self, name: &str) -> u16 {
        let (_, rest) = self.ports.split_once(&format!("\"{name}\": ")).unwrap();
        let end = rest.find([',', '}']).unwrap();
        rest[..end].parse().unwrap()
    }

    /// A network with these servers and their authority.
    fn network(&self, directory: &Path) -> NetworkSpec {
        let mut spec = NetworkSpec::default();
        let mut rules = Vec::new();
        let roots =
            codepod::network::certificates(&std::fs::read(directory.join("ca.pem")).unwrap());
        for (name, scheme, server) in SERVERS {
            let host = format!("{name}.test");
            spec.policy.hosts.insert(host.clone(), "127.0.0.1".into());
            let mut rule = RuleSpec::from(&*format!("{scheme}://{host}:{}", self.port(server)));
            rule.tls.roots = Some(roots.clone().unwrap());
            rules.push(rule);
        }
        spec.policy.allowed_hosts = Some(rules);
        spec
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Names, the schemes of their rules, and servers.
const SERVERS: [(&str, &str, &str); 14] = [
    ("good", "https", "good"),
    ("good", "tls", "echo"),
    ("twelve", "https", "twelve"),
    ("mutual", "https", "mutual"),
    ("expired", "https", "expired"),
    ("early", "https", "early"),
    ("other", "https", "other"),
    ("unknown", "https", "unknown"),
    ("lonely", "https", "lonely"),
    ("rich", "https", "rich"),
    ("mail", "tcp", "smtp"),
    ("mail", "tcp", "smtps"),
    ("plain", "https", "plain"),
    ("plain", "http", "plain"),
];

fn native_python() -> std::ffi::OsString {
    std::env::var_os("CODEPOD_TEST_PYTHON").unwrap_or_else(|| "python3".into())
}

const CLIENT: &str = include_str!("fixtures/tls/client.py");

/// The servers, and a sandbox that reaches them, with the client and the certificates in it.
fn world(directory: &Path) -> (Servers, Sandbox) {
    certificates(directory);
    let servers = Servers::new(directory);
    let mut options = Options::default();
    options.network = Some(Network::new(servers.network(directory)).unwrap());
    let sandbox = Sandbox::create(options).unwrap();
    sandbox.write_file("client.py", CLIENT).unwrap();
    for name in ["ca.pem", "other-ca.crt", "client.pem"] {
        let text = std::fs::read(directory.join(name)).unwrap();
        sandbox.write_file(name, text).unwrap();
    }
    (servers, sandbox)
}

#[test]
fn programs_see_what_they_see_with_openssl() {
    let directory = tempfile::tempdir().unwrap();
    let (servers, sandbox) = world(directory.path());
    let configuration = |directory: &str, native: bool| {
        let ports = &servers.ports;
        format!(r#"{{"ports": {ports}, "directory": "{directory}", "native": {native}}}"#)
    };

    let shown = directory.path().display().to_string();
    let native = directory.path().join("native.json");
    std::fs::write(&native, configuration(&shown, true)).unwrap();
    let output = Command::new(native_python())
        .args(["-c", CLIENT])
        .arg(&native)
        .output()
        .unwrap();
    let expected = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let inside = configuration(".", false);
    sandbox.write_file("inside.json", inside).unwrap();
    let result = sandbox
        .run_blocking("python3 client.py inside.json")
        .unwrap();
    assert_eq!(result.exit_code, 0, "{}", result.stderr_text());
    let seen = result.stdout_text();
    let (seen, expected): (Vec<_>, Vec<_>) = (seen.lines().collect(), expected.lines().collect());
    assert_eq!(seen.len(), expected.len());
    let differ: Vec<String> = seen
        .iter()
        .zip(&expected)
        .filter(|(seen, expected)| seen != expected)
        .map(|(seen, expected)| format!("inside: {seen}\nnative: {expected}"))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(seen.len() > 20);
}

#[test]
fn pip_installs_from_an_index() {
    let directory = tempfile::tempdir().unwrap();
    let (servers, sandbox) = world(directory.path());
    let index = format!("https://good.test:{}/simple", servers.port("good"));
    let install = |what: &str| format!("PIP_INDEX_URL={index} pip install -q {what}");
    let script = format!("{} && python3 -m greeting", install("greeting"));
    assert_eq!(support::text(&sandbox, &script), "hello from an index\n");
    let said = |script: &str| {
        let result = sandbox.run_blocking(script).unwrap();
        assert_eq!(result.exit_code, 1, "{}", result.stdout_text());
        result.stderr_text().into_owned()
    };
    let absent = said(&install("no-such-package"));
    assert!(
        absent.contains("No matching distribution found for no-such-package"),
        "{absent}"
    );
    // The default index is not among what is allowed.
    let denied = said("pip install -q nothing-here");
    assert!(
        denied.starts_with(
            "ERROR: nothing-here: cannot be fetched (codepod: pypi.org:443 is not in allowed_hosts;"
        ),
        "{denied}"
    );
    assert_eq!(denied.lines().count(), 1, "{denied}");
}

/// What a program sets about checks: none of it makes a bad certificate good, and none is needed.
// NW-14
#[test]
fn nw_14_the_policy_decides_which_certificates_are_good() {
    let directory = tempfile::tempdir().unwrap();
    let (servers, sandbox) = world(directory.path());
    let program = format!(
        "import ssl, socket, urllib.request
ports = {}
for name in ('good', 'expired', 'other', 'lonely', 'unknown'):
    for context in (ssl._create_unverified_context(), ssl.create_default_context(), None):
        try:
            urllib.request.urlopen(f'https://{{name}}.test:{{ports[name]}}/', context=context).read()
            print(name, 'good')
        except OSError as error:
            print(name, error.reason.verify_code)
",
        servers.ports
    );
    assert_eq!(
        support::python_text(&sandbox, &program),
        "good good\ngood good\ngood good\nexpired 10\nexpired 10\nexpired 10\nother 62\nother 62\nother 62\n\
         lonely 18\nlonely 18\nlonely 18\nunknown 20\nunknown 20\nunknown 20\n"
    );
    // Mozilla's bundle is the default, wherever it is from; another file narrows that.
    let program = format!(
        "import ssl, certifi, requests
ports = {}
bundle = ssl.get_default_verify_paths().cafile
print(bundle, certifi.where(), len(ssl.create_default_context().get_ca_certs()) > 100)
for verify in (True, False, bundle, open(certifi.where()).read() and certifi.where(), 'ca.pem', 'other-ca.crt'):
    try:
        print(requests.get(f'https://good.test:{{ports[\"good\"]}}/r', verify=verify).text)
    except requests.exceptions.SSLError as error:
        print(str(error).count('unable to get local issuer certificate'))
",
        servers.ports
    );
    let bundle = "/etc/ssl/certs/ca-certificates.crt";
    let fine = "/r over TLSv1.3 http/1.1\n";
    let seen = sandbox
        .write_file("program.py", program)
        .and_then(|()| sandbox.run_blocking("python3 -W ignore program.py"));
    assert_eq!(
        seen.unwrap().stdout_text(),
        format!("{bundle} {bundle} True\n{fine}{fine}{fine}{fine}{fine}1\n")
    );
}
