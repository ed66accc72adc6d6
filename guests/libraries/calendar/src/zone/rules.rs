//! The rules that well-known zones follow now. There is no database of zones in a sandbox; what
//! these zones did in other years is not known here.

/// A rule as `TZ` would say it, and the zones that follow it.
const RULES: &[(&str, &str)] = &[
    ("UTC0", "UTC Etc/UTC Zulu Etc/Zulu Universal UCT"),
    ("GMT0", "GMT Etc/GMT Greenwich"),
    ("GMT0BST,M3.5.0/1,M10.5.0", "Europe/London GB"),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "Europe/Dublin"),
    ("WET0WEST,M3.5.0/1,M10.5.0", "Europe/Lisbon Portugal WET"),
    (
        "CET-1CEST,M3.5.0,M10.5.0/3",
        "Europe/Paris Europe/Berlin Europe/Madrid Europe/Rome Europe/Amsterdam Europe/Brussels Europe/Vienna Europe/Zurich Europe/Stockholm Europe/Oslo Europe/Copenhagen Europe/Prague Europe/Warsaw Europe/Budapest Europe/Belgrade CET",
    ),
    (
        "EET-2EEST,M3.5.0/3,M10.5.0/4",
        "Europe/Athens Europe/Helsinki Europe/Kiev Europe/Kyiv Europe/Bucharest Europe/Sofia EET",
    ),
    ("<+03>-3", "Europe/Istanbul Turkey Europe/Minsk"),
    ("MSK-3", "Europe/Moscow"),
    (
        "EST5EDT,M3.2.0,M11.1.0",
        "America/New_York US/Eastern America/Toronto America/Detroit",
    ),
    (
        "CST6CDT,M3.2.0,M11.1.0",
        "America/Chicago US/Central America/Winnipeg",
    ),
    (
        "MST7MDT,M3.2.0,M11.1.0",
        "America/Denver US/Mountain America/Edmonton",
    ),
    ("MST7", "America/Phoenix US/Arizona MST"),
    (
        "PST8PDT,M3.2.0,M11.1.0",
        "America/Los_Angeles US/Pacific America/Vancouver",
    ),
    ("AKST9AKDT,M3.2.0,M11.1.0", "America/Anchorage US/Alaska"),
    ("HST10", "Pacific/Honolulu US/Hawaii HST"),
    ("AST4ADT,M3.2.0,M11.1.0", "America/Halifax"),
    ("NST3:30NDT,M3.2.0,M11.1.0", "America/St_Johns"),
    ("CST6", "America/Mexico_City"),
    ("<-05>5", "America/Bogota America/Lima"),
    ("<-04>4", "America/Caracas"),
    ("<-04>4<-03>,M9.1.6/24,M4.1.6/24", "America/Santiago"),
    (
        "<-03>3",
        "America/Sao_Paulo America/Argentina/Buenos_Aires America/Buenos_Aires",
    ),
    ("EET-2EEST,M4.5.5/0,M10.5.4/24", "Africa/Cairo"),
    ("SAST-2", "Africa/Johannesburg"),
    ("WAT-1", "Africa/Lagos"),
    ("EAT-3", "Africa/Nairobi"),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "Asia/Jerusalem Israel"),
    ("<+04>-4", "Asia/Dubai"),
    ("<+0330>-3:30", "Asia/Tehran"),
    ("PKT-5", "Asia/Karachi"),
    ("IST-5:30", "Asia/Kolkata Asia/Calcutta"),
    ("<+06>-6", "Asia/Dhaka"),
    ("<+0545>-5:45", "Asia/Kathmandu"),
    ("<+07>-7", "Asia/Bangkok Asia/Ho_Chi_Minh"),
    ("WIB-7", "Asia/Jakarta"),
    ("CST-8", "Asia/Shanghai PRC Asia/Taipei"),
    ("HKT-8", "Asia/Hong_Kong"),
    ("<+08>-8", "Asia/Singapore Singapore"),
    ("PST-8", "Asia/Manila"),
    ("AWST-8", "Australia/Perth"),
    ("JST-9", "Asia/Tokyo Japan"),
    ("KST-9", "Asia/Seoul"),
    ("ACST-9:30ACDT,M10.1.0,M4.1.0/3", "Australia/Adelaide"),
    ("ACST-9:30", "Australia/Darwin"),
    ("AEST-10", "Australia/Brisbane"),
    (
        "AEST-10AEDT,M10.1.0,M4.1.0/3",
        "Australia/Sydney Australia/Melbourne",
    ),
    ("NZST-12NZDT,M9.5.0,M4.1.0/3", "Pacific/Auckland NZ"),
    ("EST5", "EST"),
    ("MET-1MEST,M3.5.0,M10.5.0/3", "MET"),
];

/// The rule of a zone.
pub(super) fn rule(name: &[u8]) -> Option<&'static [u8]> {
    let follows = |names: &str| names.split(' ').any(|known| known.as_bytes() == name);
    let (rule, _) = RULES.iter().find(|(_, names)| follows(names))?;
    Some(rule.as_bytes())
}
