//! What GNU date 9.1 makes of forms, recorded in four zones with a fixed clock: a line `# ZONE
//! NOW`, then lines of a form, a tab and the moment.

use codepod_datetime::{Moment, Zone, format, parse};

/// glibc takes the second of the two; which one it takes depends on what it computed before.
const UNSURE: &[(&str, &str)] = &[("Europe/Berlin", "2024-10-27 02:30")];

#[test]
fn forms_mean_what_gnu_date_makes_of_them() {
    let (mut zone, mut name, mut now) = (Zone::from_text("UTC"), "", Moment::default());
    let mut wrong = Vec::new();
    for line in include_str!("forms.txt").lines() {
        if let Some((zone_name, seconds)) = line
            .strip_prefix("# ")
            .and_then(|rest| rest.split_once(' '))
        {
            (zone, name) = (Zone::from_text(zone_name), zone_name);
            now.seconds = seconds.parse().unwrap();
            continue;
        }
        let (form, expected) = line.split_once('\t').unwrap();
        if UNSURE.contains(&(name, form)) {
            continue;
        }
        let found = parse(form.as_bytes(), now, &zone).map_or("invalid".into(), |moment| {
            String::from_utf8(format(b"%Y-%m-%d %H:%M:%S.%N %z", moment, &zone)).unwrap()
        });
        if found != expected {
            wrong.push(format!("{name}: {form}: {expected}, not {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_text_makes_it_panic() {
    let zone = Zone::from_text("Europe/Berlin");
    let now = Moment {
        seconds: 1_785_769_533,
        nanoseconds: 0,
    };
    let pieces = [
        "9999999999999999999",
        "-",
        "@",
        "jan",
        "ü",
        ":",
        "/",
        "1",
        " ",
        "99999999999",
        "year",
        "ago",
        "(",
        "TZ=\"",
        "+",
        ".5",
    ];
    let mut state = 7u64;
    for _ in 0..50_000 {
        let mut text = String::new();
        for _ in 0..6 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text += pieces[(state >> 33) as usize % pieces.len()];
        }
        if let Some(moment) = parse(text.as_bytes(), now, &zone) {
            format(b"%c %Z %V %5000Y %N", moment, &zone);
        }
    }
}
