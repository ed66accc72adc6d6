use super::*;
use hyper::header::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/// The secret of S3's own examples, which is another one.
const S3_SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/// Signs a request with these fields, all of which are signed.
fn signed(
    (secret, service, date): (&str, &str, &str),
    line: &str,
    fields: &[(&str, &str)],
    payload: &str,
) -> String {
    let (method, target) = line.split_once(' ').unwrap();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    let mut names: Vec<String> = headers.keys().map(ToString::to_string).collect();
    names.sort();
    let scope = Scope {
        date,
        region: "us-east-1",
        service,
    };
    let request = Signing {
        method,
        path,
        query,
        headers: &headers,
        names: &names,
        payload,
    };
    signature(secret, &scope, &request)
}

/// AWS's test suite for version 4, but for its cases of malformed requests.
#[test]
fn requests_are_signed_as_in_the_suite_of_aws() {
    let date = "20150830T123600Z";
    let suite = |line: &str, fields: &[(&str, &str)], body: &str| {
        let usual = [("Host", "example.amazonaws.com"), ("X-Amz-Date", date)];
        let fields = [&usual[..], fields].concat();
        signed(
            (SECRET, "service", date),
            line,
            &fields,
            &hash(body.as_bytes()),
        )
    };
    let vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
    let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let cases = [
        ("GET /", vanilla),
        ("GET /example/..", vanilla),
        ("GET /example1/example2/../..", vanilla),
        ("GET //", vanilla),
        ("GET /./", vanilla),
        (
            "GET /./example",
            "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5",
        ),
        (
            "GET //example//",
            "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
        ),
        (
            "GET /example space/",
            "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
        ),
        (
            "GET /ሴ",
            "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
        ),
        (
            &format!("GET /{unreserved}"),
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
        ),
        (
            "GET /?Param1=value1",
            "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
        ),
        (
            "GET /?Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
        (
            "GET /?Param1=value2&Param1=value1",
            "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694",
        ),
        (
            &format!("GET /?{unreserved}={unreserved}"),
            "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
        ),
        (
            "GET /?ሴ=bar",
            "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
        ),
        (
            "POST /",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        ),
        (
            "POST /?Param1=value1",
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
        ),
    ];
    for (line, signature) in cases {
        assert_eq!(suite(line, &[], ""), signature, "{line}");
    }
    let with_fields: [(&[(&str, &str)], &str); 3] = [
        (
            &[
                ("My-Header1", "value2"),
                ("My-Header1", "value2"),
                ("My-Header1", "value1"),
            ],
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
        ),
        (
            &[
                ("My-Header1", "value4"),
                ("My-Header1", "value1"),
                ("My-Header1", "value3"),
                ("My-Header1", "value2"),
            ],
            "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
        ),
        (
            &[("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
        ),
    ];
    for (fields, signature) in with_fields {
        assert_eq!(suite("GET /", fields, ""), signature, "{fields:?}");
    }
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(
        suite("POST /", &form, "Param1=value1"),
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
    );
}

/// The examples in the documentation of IAM and of S3.
#[test]
fn requests_are_signed_as_in_the_documentation() {
    let iam = [
        ("Host", "iam.amazonaws.com"),
        ("X-Amz-Date", "20150830T123600Z"),
        (
            "Content-Type",
            "application/x-www-form-urlencoded; charset=utf-8",
        ),
    ];
    assert_eq!(
        signed(
            (SECRET, "iam", "20150830T123600Z"),
            "GET /?Action=ListUsers&Version=2010-05-08",
            &iam,
            EMPTY
        ),
        "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    );
    let date = "20130524T000000Z";
    let s3 = |line: &str, fields: &[(&str, &str)], payload: &str| {
        let usual = [
            ("Host", "examplebucket.s3.amazonaws.com"),
            ("X-Amz-Date", date),
            ("X-Amz-Content-Sha256", payload),
        ];
        let fields = [&usual[..], fields].concat();
        signed((S3_SECRET, "s3", date), line, &fields, payload)
    };
    assert_eq!(
        s3("GET /test.txt", &[("Range", "bytes=0-9")], EMPTY),
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    );
    assert_eq!(
        s3(
            "PUT /test$file.text",
            &[
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("X-Amz-Storage-Class", "REDUCED_REDUNDANCY")
            ],
            &hash(b"Welcome to Amazon S3.")
        ),
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
    );
    assert_eq!(
        s3("GET /?lifecycle", &[], EMPTY),
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    );
    assert_eq!(
        s3("GET /?max-keys=2&prefix=J", &[], EMPTY),
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    );
}

#[test]
fn requests_are_signed_as_botocore_does() {
    let table = include_str!("../../../tests/data/sigv4.tsv");
    let mut compared = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [
            service,
            region,
            date,
            method,
            path,
            query,
            fields,
            payload,
            names,
            expected,
        ] = columns[..]
        else {
            panic!("{line}");
        };
        let mut headers = HeaderMap::new();
        for field in fields.split('&') {
            let (name, value) = field.split_once('=').unwrap();
            let value: Vec<u8> = percent_decode_str(value).collect();
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::from_bytes(&value).unwrap());
        }
        let names: Vec<String> = names.split(';').map(str::to_owned).collect();
        let request = Signing {
            method,
            path,
            query,
            headers: &headers,
            names: &names,
            payload,
        };
        let scope = Scope {
            date,
            region,
            service,
        };
        assert_eq!(signature(SECRET, &scope, &request), expected, "{line}");
        compared += 1;
    }
    assert_eq!(compared, 60);
}

/// A server decodes what it gets, so that one thing has one signature however it is escaped.
#[test]
fn what_servers_read_alike_is_signed_alike() {
    let query = |text: &str| canonical_query(text);
    assert_eq!(
        query("b=%7e%2f&a=x+y&a=X%20y&%61"),
        "a=&a=X%20y&a=x%20y&b=~%2F"
    );
    assert_eq!(query("a=b=c&&d=%zz%4"), "a=b%3Dc&d=%25zz%254");
    let path = |text: &str| in_one_form(text.as_bytes(), Part::Path);
    assert_eq!(
        path("/a(b)/%7Ec/%e2%82%ac/../%2F+"),
        "/a%28b%29/~c/%E2%82%AC/../%2F%2B"
    );
    assert_eq!(normal("/a/./b/../%2e/"), "/a/%2e/");
}

#[test]
fn a_date_is_one_of_the_calendar() {
    let at = |seconds: u64| date(UNIX_EPOCH + std::time::Duration::from_secs(seconds));
    for (seconds, expected) in [
        (0, "19700101T000000Z"),
        (951_782_399, "20000228T235959Z"),
        (951_782_400, "20000229T000000Z"),
        (951_868_800, "20000301T000000Z"),
        (1_440_938_160, "20150830T123600Z"),
        (1_735_689_599, "20241231T235959Z"),
        (4_107_542_400, "21000301T000000Z"),
    ] {
        assert_eq!(at(seconds), expected);
    }
}
