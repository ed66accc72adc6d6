/** Where the program is that a client starts, and where its parts are. */

import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

import { CodepodError } from "./errors.js";

/** Name of the optional package that carries the program for this machine. */
export const platformPackage = `@codepod/${process.platform}-${process.arch}`;

/** The program: `CODEPOD_BIN`, else that of the platform package, else the first `codepod` in `PATH`. */
export function findBinary(environment: Record<string, string | undefined> = process.env): string {
  const chosen = environment["CODEPOD_BIN"];
  if (chosen !== undefined && chosen !== "") {
    if (isProgram(chosen)) return chosen;
    throw notFound(`CODEPOD_BIN is \`${chosen}\`, which is not a program`, "point it to the codepod program, or unset it");
  }
  const found = packaged() ?? inPath(environment["PATH"] ?? "");
  if (found !== undefined) return found;
  throw notFound(
    `there is no codepod program for ${process.platform}-${process.arch}`,
    `install the package ${platformPackage}, put \`codepod\` into PATH, or set CODEPOD_BIN`,
  );
}

function packaged(): string | undefined {
  // npm installs the second where the C library is musl.
  return inPackage(platformPackage) ?? inPackage(`${platformPackage}-musl`);
}

function inPackage(name: string): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const program = join(dirname(manifest), "bin", programName);
    return isProgram(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/** Parts of codepod that are packages of their own: `@codepod/python`, which has one for each platform. */
const parts = ["js", "npm", "python", "science"];

/** An environment in which the program finds the parts that are installed as packages. */
export function withParts(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const found = parts.flatMap(partDirectory);
  if (found.length === 0) return environment;
  const chosen = environment["CODEPOD_PARTS"];
  return { ...environment, CODEPOD_PARTS: [...(chosen ? [chosen] : []), ...found].join(delimiter) };
}

function partDirectory(part: string): string[] {
  try {
    const own = createRequire(import.meta.url).resolve(`@codepod/${part}/package.json`);
    return [dirname(createRequire(own).resolve(`@codepod/${part}-${process.platform}-${process.arch}/package.json`))];
  } catch {
    return [];
  }
}

function inPath(path: string): string | undefined {
  for (const directory of path.split(delimiter)) {
    const program = join(directory, programName);
    // npm puts a launcher of ours into PATH when it runs scripts: it would only come back here.
    if (directory !== "" && !directory.endsWith(join("node_modules", ".bin")) && isProgram(program)) return program;
  }
  return undefined;
}

const programName = process.platform === "win32" ? "codepod.exe" : "codepod";

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function notFound(message: string, hint: string): CodepodError {
  return new CodepodError("binary_not_found", message, { hint });
}
