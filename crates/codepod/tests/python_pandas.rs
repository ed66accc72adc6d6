//! pandas, which is built into the sandbox's Python.

mod support;

use codepod::{Options, Profile, Sandbox};
use support::text;

/// Tables from CSV, groups, dates, joins, pivots, Excel and JSON, windows, time zones, sums of
/// large numbers.
const PROGRAM: &str = r#"import io
import pandas as pd
text = "name,when,n\nb,2024-01-02,1\nc,2024-01-03,\nb,2024-02-01,5\n"
frame = pd.read_csv(io.StringIO(text), parse_dates=["when"])
print(frame.dtypes.astype(str).to_dict() | {"name": "text"})
print(frame.groupby("name")["n"].agg(["sum", "count"]))
print(frame.set_index("when").resample("ME")["n"].sum().to_dict())
print(frame.merge(pd.DataFrame({"name": ["b", "c"], "full": ["Bee", "Cee"]}), on="name").to_csv(index=False))
print(pd.pivot_table(frame, index="name", columns=frame.when.dt.month, values="n", aggfunc="sum", fill_value=0))
frame.to_excel("/tmp/f.xlsx", index=False); print(pd.read_excel("/tmp/f.xlsx").equals(frame))
frame.to_json("/tmp/f.json", orient="records", date_format="iso"); print(open("/tmp/f.json").read())
print(frame.n.rolling(2, min_periods=1).mean().tolist(), frame.n.fillna(0).astype("int64").tolist(), frame.name.str.upper().value_counts().to_dict())
print(frame.when.dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin").iloc[0], pd.date_range("2024-01-31", periods=3, freq="ME")[-1], pd.Timestamp("2024-02-29") + pd.DateOffset(years=1))
big = pd.DataFrame({"k": [i % 7 for i in range(100_000)], "v": range(100_000)})
print(big.groupby("k").v.sum().tolist(), big.v.sum(), (big.v ** 2).sum(), big.sort_values(["k", "v"], ascending=[False, True]).head(2).values.tolist())
print(pd.cut([1, 5, 9], [0, 3, 6, 10], labels=["low", "mid", "high"]).tolist(), pd.Series([3, 1, 2]).rank().tolist(), frame.describe().loc["mean", "n"])
try:
    frame["missing"]
except KeyError as error:
    print("KeyError", error)
"#;

/// What pandas 3.1.1 prints on Linux.
const PRINTED: &str = r#"{'name': 'text', 'when': 'datetime64[us]', 'n': 'float64'}
      sum  count
name            
b     6.0      2
c     0.0      0
{Timestamp('2024-01-31 00:00:00'): 1.0, Timestamp('2024-02-29 00:00:00'): 5.0}
name,when,n,full
b,2024-01-02,1.0,Bee
c,2024-01-03,,Cee
b,2024-02-01,5.0,Bee

when    1    2
name          
b     1.0  5.0
c     0.0  0.0
True
[{"name":"b","when":"2024-01-02T00:00:00.000","n":1.0},{"name":"c","when":"2024-01-03T00:00:00.000","n":null},{"name":"b","when":"2024-02-01T00:00:00.000","n":5.0}]
[1.0, 1.0, 5.0] [1, 0, 5] {'B': 2, 'C': 1}
2024-01-02 01:00:00+01:00 2024-03-31 00:00:00 2025-02-28 00:00:00
[714264285, 714278571, 714292857, 714307143, 714321429, 714235715, 714250000] 4999950000 333328333350000 [[6, 6], [6, 13]]
['low', 'mid', 'high'] [3.0, 1.0, 2.0] 3.0
KeyError 'missing'
"#;

#[test]
fn tables_do_what_tables_do() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    sandbox.write_file("program.py", PROGRAM).unwrap();
    assert_eq!(text(&sandbox, "python3 program.py"), PRINTED);
}

#[test]
fn it_fits_into_the_smallest_profile() {
    let sandbox = Sandbox::create(Options::with_profile(Profile::Small)).unwrap();
    let program = "import pandas as pd; print(pd.Series([1, 2, 4]).diff().sum())";
    assert_eq!(text(&sandbox, &format!("python3 -c '{program}'")), "3.0\n");
}

#[test]
fn it_is_not_seen_before_it_is_imported() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    // The word alone makes a program begin where pandas is in memory.
    let seen = "import sys; print([n for n in sys.modules if n.startswith((\"pandas\", \"numpy\", \"dateutil\"))])";
    assert_eq!(text(&sandbox, &format!("python3 -c '{seen}'")), "[]\n");
    let own = "mkdir own; echo 'x = 7' > own/pandas.py; PYTHONPATH=own python3 -c 'import pandas; print(pandas.x)'";
    assert_eq!(text(&sandbox, own), "7\n");
    let same = "import dateutil, numpy, pandas, sys; print(type(pandas.Series([1]).values) is numpy.ndarray, sys.modules[\"dateutil\"] is dateutil)";
    assert_eq!(
        text(&sandbox, &format!("python3 -c '{same}'")),
        "True True\n"
    );
    let random = "import pandas, numpy; print(pandas.Series(range(1000)).sample(1).iloc[0], numpy.random.rand())";
    let script = format!("for i in 1 2 3 4; do python3 -c '{random}'; done | sort -u | wc -l");
    assert_eq!(text(&sandbox, &script), "4\n");
}

/// However a program comes to Python, importing pandas works; and a program that has the word, and
/// what it reads, are as without it.
#[test]
fn programs_may_come_from_anywhere() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let program = "import pandas as pd; print(pd.Series([1, 2]).sum())";
    // The word lies across the pieces in which a file is looked through.
    for length in [32_760, 32_765, 32_768, 65_530, 2_000_000] {
        let long = format!("# {}\n{program}\n", "-".repeat(length));
        sandbox.write_file("long.py", long).unwrap();
        assert_eq!(text(&sandbox, "python3 long.py"), "3\n", "{length}");
    }
    sandbox.write_file("program.py", program).unwrap();
    for script in [
        "python3 < program.py",
        "cat program.py | python3 -",
        "python3 -u program.py pandas",
        "python3 <(cat program.py)",
        "mkfifo pipe; cat program.py > pipe & python3 pipe",
        "python3 -m program",
        "python3 -I -c 'import pandas; print(pandas.Series([1, 2]).sum())'",
        "(cd /tmp; python3 ../home/user/program.py)",
        "printf 'import program' > other.py; PYTHONPATH=/home/user python3 other.py",
        "python3 -Bc \"$(cat program.py)\"",
    ] {
        assert_eq!(text(&sandbox, script), "3\n", "{script}");
    }
    let echo = "python3 -c 'import sys; print(sys.argv, sys.stdin.read())' pandas - < program.py";
    assert_eq!(
        text(&sandbox, echo),
        format!("['-c', 'pandas', '-'] {program}\n")
    );
}
