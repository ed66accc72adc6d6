//! Temporary: times.
use std::time::Instant;
use codepod::{Options, Sandbox};
#[test]
fn times() {
    let t = |name: &str, f: &mut dyn FnMut()| { let b = Instant::now(); f(); println!("{name}: {:.2} ms", b.elapsed().as_secs_f64() * 1e3); };
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let c = |code: &str| { let r = sandbox.command(["python3", "-c", code]).run_blocking().unwrap(); assert_eq!(r.exit_code, 0, "{r:?}"); };
    let fig = "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt\nplt.plot([1,2,3]); plt.savefig('a.png')";
    c("1");
    for _ in 0..5 { t("-c 1", &mut || c("x = 1")); }
    for _ in 0..3 { t("-c import pandas", &mut || c("import pandas")); }
    for _ in 0..3 { t("-c chart", &mut || c(fig)); }
    let s = |name: &str| sandbox.python_session(name).unwrap();
    let r = |name: &str, code: &str| { let r = s(name).run_blocking(code).unwrap(); assert_eq!(r.exit_code, 0, "{r:?}"); };
    t("first", &mut || r("a", "x = 1"));
    for _ in 0..12 { t("x += 1", &mut || r("a", "x += 1")); }
    println!("size {}", s("a").size());
    t("first import pandas", &mut || r("b", "import pandas as pd"));
    t("second session import pandas", &mut || r("b2", "import pandas as pd"));
    for _ in 0..12 { t("1 with pandas", &mut || r("b", "1")); }
    println!("size {}", s("b").size());
    t("first chart", &mut || r("c", fig));
    t("second session chart", &mut || r("c2", fig));
    for _ in 0..6 { t("1 with chart", &mut || r("c", "1")); }
    println!("size {}", s("c").size());
    t("make 160", &mut || r("d", "import numpy as np; a = np.ones(20_000_000)"));
    for _ in 0..12 { t("1 with 160 MB", &mut || r("d", "1")); }
    t("touch all 160", &mut || r("d", "a += 1"));
    for _ in 0..3 { t("1 with 160 MB", &mut || r("d", "1")); }
    for _ in 0..4 { t("fork", &mut || drop(sandbox.fork().unwrap())); }
}
