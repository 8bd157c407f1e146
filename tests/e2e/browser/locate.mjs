// Prints the path of the Chromium that `npm ci` in this folder brought, unpacking it the first time.
//
// The package itself would unpack into the shared temporary folder, under a fixed name that anybody
// may have put there, and takes a half-written file for a whole one. So it is given a folder of its
// own, which gets its final name when it is complete.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = join(dirname(fileURLToPath(import.meta.url)), "node_modules");
const manifest = join(modules, "@sparticuz", "chromium", "package.json");
const { version } = JSON.parse(readFileSync(manifest, "utf8"));
const home = join(modules, `.chromium-${version}`);
const browser = join(home, "chromium");
const launcher = join(home, "chromium-with-libraries");

if (!existsSync(home)) {
  const draft = mkdtempSync(join(modules, ".chromium-draft-"));
  process.env.TMPDIR = draft;
  // Makes the package unpack the system libraries too, for machines that lack them.
  process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs22.x";
  const { default: chromium } = await import("@sparticuz/chromium");
  await chromium.executablePath();
  try {
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(home)) throw error; // otherwise another process was faster
  }
}

console.log(runs(browser) ? browser : withLibraries());

function runs(program) {
  try {
    execFileSync(program, ["--version", "--no-sandbox"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

// The package's libraries go first only where the machine's own are not enough.
function withLibraries() {
  const lines = ["#!/bin/sh", `home='${home.replaceAll("'", "'\\''")}'`];
  lines.push('export LD_LIBRARY_PATH="$home/al2023/lib"', 'exec "$home/chromium" "$@"', "");
  writeFileSync(launcher, lines.join("\n"), { mode: 0o755 });
  if (runs(launcher)) return launcher;
  console.error("The npm Chromium does not run on this machine; set CHROMIUM_PATH to one that does.");
  process.exit(1);
}
