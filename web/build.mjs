// Builds the front end: a script of packages, a script of ours, a style sheet, and the licences.
//
//   node build.mjs          writes ../crates/report/assets/{packages.js,app.js,app.css,LICENSES.txt} and hashes
//   node build.mjs --check  fails if those files are not what a fresh build gives
//   node build.mjs --test   bundles tests/*.test.ts and runs them with node's own runner
//
// The same input gives the same bytes: no time, no path of this machine, no hash of a map order.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const assets = join(web, "..", "crates", "report", "assets");

/** What JSX becomes. */
const ELEMENTS = join(web, "src/elements.ts");

const shared = {
  absWorkingDir: web,
  bundle: true,
  charset: "utf8",
  define: { "process.env.NODE_ENV": '"production"' },
  // Shorter than the automatic one: children are arguments, not a key of each element.
  jsx: "transform",
  tsconfigRaw: {},
  jsxFactory: "h",
  jsxFragment: "Fragment",
  inject: [ELEMENTS],
  logLevel: "warning",
  target: "es2020",
};

/** Returns the names of the packages that went into a bundle, in the order of the alphabet. */
function packagesOf(metafile) {
  const names = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const inside = path.split("node_modules/").pop();
    if (inside === path) continue;
    const [first, second] = inside.split("/");
    names.add(first.startsWith("@") ? `${first}/${second}` : first);
  }
  return [...names].sort();
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(web, "node_modules", name, "package.json"), "utf8"));
}

/** Returns the files of a package that say how it may be used, its own parts' included. */
function licenceFiles(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (!/^(licen[cs]es?|notice|copyright)/i.test(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? readdirSync(path).sort().map((file) => join(path, file)) : [path];
  });
}

/** Returns the licences and notices of the packages, as they ask to be passed on. */
function licencesOf(names) {
  const parts = names.map((name) => {
    const folder = join(web, "node_modules", name);
    const { version, license } = manifestOf(name);
    const files = licenceFiles(folder);
    // Some packages under the Apache License say so and bring no text; ECharts brings it.
    if (files.length === 0 && license !== "Apache-2.0") throw new Error(`${name} brings no licence text`);
    const texts = files.map((file) => readFileSync(file, "utf8").trim());
    if (files.length === 0) texts.push("The text of the Apache License 2.0 stands under echarts.");
    return `${"=".repeat(78)}\n${name} ${version} (${license})\n${"=".repeat(78)}\n\n${texts.join("\n\n")}\n`;
  });
  return `Licences of what is in packages.js.\n\n${parts.join("\n")}`;
}

function bannerOf(names) {
  const list = names.map((name) => `${name} ${manifestOf(name).version} (${manifestOf(name).license})`);
  return `/*! What Stripewise's front end takes from packages: ${list.join(", ")}. Their licences are at the end of the report, or in LICENSES.txt beside this file. */`;
}

const PACKAGES = "src/packages.ts";
/** The name of the object that hands the packages from their script to ours. */
const HANDED_OVER = "stripewisePackages";

/** Returns a minified script or style sheet. */
function minified(entry, options = {}) {
  return build({ ...shared, entryPoints: [entry], legalComments: "eof", metafile: true, minify: true, outdir: ".", write: false, ...options });
}

/** Takes from the script of packages what our code imports from them; a name that is not in `PACKAGES` is an
 *  error of the build. */
function takenFromPackages(names) {
  return {
    name: "packages",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[^.]/ }, ({ kind }) => (kind === "entry-point" ? undefined : { path: PACKAGES, namespace: "packages" }));
      onLoad({ filter: /.*/, namespace: "packages" }, () => ({ contents: `export const { ${names.join(", ")} } = ${HANDED_OVER};` }));
    },
  };
}

/** Returns the names that `PACKAGES` exports. */
async function namesOfPackages() {
  const { metafile } = await minified(PACKAGES, { format: "esm", packages: "external", inject: [] });
  return Object.values(metafile.outputs)[0].exports;
}

async function outputs() {
  const script = { format: "iife", globalName: HANDED_OVER, inject: [] };
  const names = packagesOf((await minified(PACKAGES, script)).metafile);
  const packages = await minified(PACKAGES, { ...script, banner: { js: bannerOf(names) } });
  const app = await minified("src/main.ts", { format: "iife", plugins: [takenFromPackages(await namesOfPackages())] });
  const style = await minified("style.css", { inject: [] });
  for (const { metafile } of [app, style]) {
    const foreign = packagesOf(metafile);
    if (foreign.length > 0) throw new Error(`what comes from packages belongs into packages.js: ${foreign.join(", ")}`);
  }
  const texts = { "packages.js": packages, "app.js": app, "app.css": style };
  const files = Object.entries(texts).flatMap(([name, { outputFiles }]) => {
    const { text } = outputFiles[0];
    return [[name, text], [`${name}.sha256`, sourceOf(text)]];
  });
  return [...files, ["LICENSES.txt", licencesOf(names)]];
}

/** Returns what a content security policy calls a text that may be inline. */
function sourceOf(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

async function writeAssets() {
  mkdirSync(assets, { recursive: true });
  for (const [name, text] of await outputs()) {
    writeFileSync(join(assets, name), text);
    console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
  }
}

async function checkAssets() {
  const stale = (await outputs()).filter(([name, text]) => {
    const path = join(assets, name);
    return !existsSync(path) || readFileSync(path, "utf8") !== text;
  });
  if (stale.length > 0) {
    console.error(`not what a fresh build gives: ${stale.map(([name]) => name).join(", ")}`);
    console.error("hint: run `npm run build` and commit crates/report/assets");
    process.exit(1);
  }
}

async function runTests() {
  const folder = mkdtempSync(join(web, "node_modules", ".tests-"));
  const tests = readdirSync(join(web, "tests")).filter((file) => /\.test\.tsx?$/.test(file));
  await build({
    ...shared,
    entryPoints: tests.map((file) => `tests/${file}`),
    format: "esm",
    platform: "node",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    external: ["esbuild"],
    inject: [ELEMENTS, "tests/messages.ts"],
    sourcemap: "inline",
  });
  const files = readdirSync(folder).map((file) => join(folder, file));
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { cwd: web, stdio: "inherit" });
  rmSync(folder, { recursive: true });
  process.exit(status ?? 1);
}

if (process.argv.includes("--test")) await runTests();
else if (process.argv.includes("--check")) await checkAssets();
else await writeAssets();
