// Makes what is published: the tarball of the package, that of the package that carries the program for one platform, and two
// for each part of codepod: one with the part for the platform, and one that names it for all of them.
//
//   node platform/pack.mjs BINARY DIRECTORY PLATFORM PLATFORMS [PART…]
//
// BINARY is a built `codepod` with its tools inside (the feature `embed`), PLATFORM what it runs on, such as `linux-arm64-musl`,
// and PLATFORMS all that there are packages for, with commas between. A PART is a file such as `python.part.zst`; it does not
// depend on the C library.
// `npm run build` comes before. The package names every platform as an optional dependency of the same version, so that npm
// installs the one that fits. Those lines are added here and not in package.json, because `npm ci` would look for packages that
// are not published yet.

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const licences = ["LICENSE-MIT", "LICENSE-APACHE"];
const [binary, directory, platform, all, ...parts] = process.argv.slice(2);
if (!all?.split(",").includes(platform)) {
  console.error("usage: node platform/pack.mjs BINARY DIRECTORY PLATFORM PLATFORMS [PART…]");
  process.exit(2);
}
const platforms = all.split(",");
const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
mkdirSync(directory, { recursive: true });
packPlatform();
packMain();
parts.forEach(packPart);

function packPlatform() {
  const manifest = {
    name: `@codepod/${platform}`,
    ...common(`The codepod program for ${platform}; the package codepod uses it`),
    ...conditions(platform),
    files: ["bin", ...licences],
    preferUnplugged: true,
  };
  pack(manifest, (place) => {
    mkdirSync(join(place, "bin"));
    const program = join(place, "bin", platform.startsWith("win32") ? "codepod.exe" : "codepod");
    copyFileSync(binary, program);
    chmodSync(program, 0o755);
  });
}

/** How npm tells by a platform's name whether a package fits. */
function conditions(name) {
  const [os, cpu, libc = "glibc"] = name.split("-");
  return { os: [os], cpu: [cpu], ...(os === "linux" && { libc: [libc] }) };
}

function withoutLibrary(name) {
  return name.replace(/-musl$/, "");
}

/** What the manifests of all packages say. */
function common(description) {
  const { version, license, repository, engines } = own;
  return { version, description, license, repository: { ...repository, directory: "sdk/typescript/platform" }, engines };
}

function packPart(file) {
  const name = basename(file).split(".")[0];
  const machine = withoutLibrary(platform);
  const { libc: _any, ...machines } = conditions(platform);
  const forPlatform = {
    name: `@codepod/${name}-${machine}`,
    ...common(`The part ${name} of codepod for ${machine}`),
    ...machines,
    files: [basename(file), ...licences],
  };
  pack(forPlatform, (place) => copyFileSync(file, join(place, basename(file))));
  const versions = platforms.map((each) => [`@codepod/${name}-${withoutLibrary(each)}`, own.version]);
  const forAll = {
    name: `@codepod/${name}`,
    ...common(`The part ${name} of codepod; the package codepod finds it`),
    optionalDependencies: Object.fromEntries(versions),
    files: licences,
  };
  pack(forAll, () => {});
}

function packMain() {
  const { devDependencies: _development, scripts: _scripts, ...manifest } = own;
  const versions = platforms.map((name) => [`@codepod/${name}`, own.version]);
  manifest.files = [...own.files, ...licences];
  manifest.optionalDependencies = Object.fromEntries(versions);
  pack(manifest, (place) => {
    cpSync(join(root, "dist/src"), join(place, "dist/src"), { recursive: true });
    chmodSync(join(place, manifest.bin.codepod), 0o755);
    copyFileSync(join(root, "README.md"), join(place, "README.md"));
  });
}

/** Packs a directory that `fill` fills beside the manifest and the licences, and prints the tarball's path. */
function pack(manifest, fill) {
  const place = mkdtempSync(join(tmpdir(), "codepod-pack-"));
  try {
    writeFileSync(join(place, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const licence of licences) copyFileSync(join(root, "../..", licence), join(place, licence));
    fill(place);
    const options = ["pack", "--json", "--ignore-scripts", "--pack-destination", resolve(directory)];
    const said = execFileSync("npm", options, { cwd: place, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [{ filename }] = JSON.parse(said);
    console.log(join(resolve(directory), filename.replace("@", "").replace("/", "-")));
  } finally {
    rmSync(place, { recursive: true });
  }
}
