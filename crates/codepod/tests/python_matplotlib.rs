//! matplotlib, which is built into the sandbox's Python: pictures as files, and what its compiled
//! parts do with mistakes.

mod support;

use codepod::{Options, Profile, Sandbox};
use support::{python_text, run, text};

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

/// The digests are of the pixels that the same program makes with matplotlib 3.10.9 from the
/// registry. Text is left out: its shapes depend on FreeType's version.
#[test]
fn pictures_are_those_of_the_package_on_linux() {
    let program = r#"
import hashlib
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

def save(name, draw, **kinds):
    figure, axes = plt.subplots(figsize=(3, 2), subplot_kw=kinds)
    draw(axes)
    axes.set_axis_off()
    figure.savefig(f"{name}.png")
    plt.close(figure)
    pixels = np.asarray(Image.open(f"{name}.png"))
    print(name, pixels.shape, hashlib.sha256(pixels.tobytes()).hexdigest()[:16])

rng = np.random.default_rng(1)
x = np.linspace(0, 7, 200)
X, Y = np.meshgrid(x, x)
save("lines", lambda axes: axes.plot(x, np.sin(x), x, np.cos(x), "--"))
save("bars", lambda axes: axes.bar([1, 2, 3], [3, 1, 2], hatch="/"))
save("points", lambda axes: axes.scatter(rng.random(50), rng.random(50), s=rng.random(50) * 90, c=rng.random(50), alpha=0.5))
save("histogram", lambda axes: axes.hist(rng.normal(size=500), 20))
save("picture", lambda axes: axes.imshow(np.sin(X) * np.cos(Y), interpolation="bicubic"))
save("contours", lambda axes: axes.contourf(X, Y, np.sin(X) * np.cos(Y), 8))
save("pie", lambda axes: axes.pie([1, 2, 3], explode=(0, 0.1, 0)))
save("boxes", lambda axes: axes.boxplot([rng.random(9) for _ in range(3)]))
save("filled", lambda axes: axes.fill_between(x, np.sin(x), alpha=0.3))
save("triangles", lambda axes: axes.tripcolor(rng.random(30), rng.random(30), rng.random(30)))
save("polar", lambda axes: axes.plot(x, x), projection="polar")
save("surface", lambda axes: axes.plot_surface(X[::9, ::9], Y[::9, ::9], np.sin(X[::9, ::9]), cmap="viridis"), projection="3d")
"#;
    let right = "\
lines (200, 300, 4) 42aeabc4d47a69b4
bars (200, 300, 4) 9bcee9874d6af49c
points (200, 300, 4) f382ee08ec654a7f
histogram (200, 300, 4) 5975fd40f8d12e20
picture (200, 300, 4) 11f4530587e1f51d
contours (200, 300, 4) ce8bf1b3ab5c883d
pie (200, 300, 4) f737be30d1201e02
boxes (200, 300, 4) 8f1c82b25ae77246
filled (200, 300, 4) 53b0988c3720540c
triangles (200, 300, 4) 183c3e2f71503c40
polar (200, 300, 4) e7cf218ca7894619
surface (200, 300, 4) 796143513ac48530
";
    assert_eq!(python_text(&sandbox(), program), right);
}

#[test]
fn text_mathematics_styles_and_other_formats_work() {
    let program = r#"
import matplotlib.pyplot as plt
import numpy as np, pandas as pd
from PIL import Image
plt.rcParams["svg.fonttype"] = "none"
plt.style.use("ggplot")
figure, (left, right) = plt.subplots(1, 2, figsize=(6, 3), layout="constrained")
left.plot([0, 1], label="one"); left.legend(); left.set_title("Größe $x^2$ in °"); left.set_xlabel(r"$\frac{\alpha}{2}$")
pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=pd.date_range("2026-01-01", periods=2)).plot(ax=right, kind="bar")
for kind in ("png", "svg", "pdf", "jpg"):
    figure.savefig(f"figure.{kind}")
with open("figure.svg") as file: print([word in file.read() for word in ("Größe",)])
with open("figure.pdf", "rb") as file: print(file.read(5))
for kind in ("png", "jpg"):
    picture = Image.open(f"figure.{kind}").convert("L")
    print(kind, picture.format, picture.size, picture.getextrema()[0] < 60, picture.resize((60, 30)).size)
print(Image.open("figure.jpg").format, plt.get_backend())
"#;
    let right = "\
[True]
b'%PDF-'
png None (600, 300) True (60, 30)
jpg None (600, 300) True (60, 30)
JPEG agg
";
    assert_eq!(python_text(&sandbox(), program), right);
}

#[test]
fn it_is_not_seen_before_it_is_imported_and_reads_the_users_settings() {
    let sandbox = sandbox();
    let program = "import sys; print([n for n in sys.modules if n.startswith(('matplotlib', 'PIL', 'pandas', 'numpy'))])";
    assert_eq!(python_text(&sandbox, program), "[]\n");
    sandbox
        .write_file("matplotlibrc", "lines.linewidth: 7\n")
        .unwrap();
    let program = "import matplotlib; print(matplotlib.rcParams['lines.linewidth'], matplotlib.get_configdir(), matplotlib.rcParams._get_backend_or_none())";
    assert_eq!(
        python_text(&sandbox, program),
        "7.0 /home/user/.config/matplotlib None\n"
    );
    let script = "rm matplotlibrc; MPLBACKEND=svg python3 -c 'import matplotlib; print(matplotlib.rcParams[\"lines.linewidth\"], matplotlib.get_backend())'";
    assert_eq!(text(&sandbox, script), "1.5 svg\n");
    // Without the image: the program comes from a pipe.
    let script = "echo 'import matplotlib.pyplot as p; p.plot([1, 2]); p.savefig(\"a.png\"); print(p.get_backend())' | python3 && file -b a.png";
    assert_eq!(
        text(&sandbox, script),
        "agg\nPNG image data, 640 x 480, 8-bit/color RGBA, non-interlaced\n"
    );
}

/// Nothing can be thrown in C++ here: what an ordinary mistake would reach is looked at before.
#[test]
fn mistakes_are_errors_of_python() {
    let program = r#"
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
def show(f):
    try: print(f())
    except Exception as error: print(type(error).__name__, repr(str(error)[:58]))
show(lambda: plt.plot([1, 2], [1]))
show(lambda: plt.imshow(np.zeros(3)))
show(lambda: plt.figure(figsize=(9e4, 9e4)).savefig("a.png"))
plt.close("all")
show(lambda: plt.tricontour([1, 2], [1, 2], [1, 2]))
show(lambda: plt.tripcolor([1, 2, 3], [1, 2, 3], [1, 2, 3]))
show(lambda: plt.text(0, 0, "$\\frac{1$") and plt.savefig("a.png"))
show(lambda: font_manager.fontManager.addfont("/etc/passwd"))
show(lambda: font_manager.get_font("/none.ttf"))
show(lambda: plt.contourf(np.zeros((1, 1))))
from PIL import Image
open("broken.jpg", "wb").write(b"\xff\xd8\xff\xe0 not a picture")
show(lambda: Image.open("broken.jpg"))
"#;
    let right = r#"ValueError 'x and y must have same first dimension, but have shapes (2'
TypeError 'Invalid shape (3,) for image data'
ValueError 'Image size of 9000000x9000000 pixels is too large. It must'
ValueError 'x and y arrays must have a length of at least 3'
RuntimeError 'Error in qhull Delaunay triangulation calculation: singula'
ValueError '\n\\frac{1\n     ^\nParseSyntaxException: Expected \\frac{num}{'
RuntimeError 'Can not load face (unknown file format; error code 0x2)'
FileNotFoundError "[Errno 2] No such file or directory: '/none.ttf'"
TypeError 'Input z must be at least a (2, 2) shaped array, but has sh'
OSError 'Truncated File Read'
"#;
    assert_eq!(python_text(&sandbox(), program), right);
}

#[test]
fn what_throws_all_the_same_ends_with_a_message() {
    let sandbox = sandbox();
    sandbox
        .write_file(
            "program.py",
            "print('before')\nfrom matplotlib.ft2font import FT2Font\nFT2Font('/etc/passwd')\n",
        )
        .unwrap();
    let result = run(&sandbox, ["python3", "program.py"]);
    assert_eq!(result.exit_code, 1, "{result:?}");
    assert_eq!(result.stdout_text(), "before\n");
    let message = result.stderr_text();
    assert!(message.contains("line 3, in <module>"), "{message}");
    assert!(message.contains("an error in C++ code"), "{message}");
}

/// The image does not fit into this profile: a program begins without it, and goes as far as its
/// memory does.
#[test]
fn a_program_that_names_it_begins_in_the_smallest_profile() {
    let sandbox = Sandbox::create(Options::with_profile(Profile::Small)).unwrap();
    let program = "print('matplotlib'); import json; print(json.dumps([1]))";
    assert_eq!(python_text(&sandbox, program), "matplotlib\n[1]\n");
}
