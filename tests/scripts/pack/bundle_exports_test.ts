import { assert, assertEquals } from "@std/assert";
import { build } from "esbuild";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleCommands } from "../../../scripts/pack/bundle_commands.ts";
import { bundleExports } from "../../../scripts/pack/bundle_exports.ts";

/** Gives `use` a folder with these files. */
async function withFiles<R>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<R>,
): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-bundle-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const files = {
  "mod.js": 'export { mark } from "./src/mark.js";\nexport { own } from "./src/own.js";\n',
  "mod.d.ts": "export declare const own: 1;\n",
  "node/mod.js": 'export { mark } from "../src/mark.js";\nexport { join } from "./join.js";\n',
  "files/mod.js":
    'export { mark } from "../src/mark.js";\nexport { join } from "../node/join.js";\n',
  "node/join.js": 'import { join } from "node:path";\nexport { join };\n',
  "src/mark.js": 'import { text } from "./text.js";\nexport const mark = { text };\n',
  "src/text.js": 'export const text = "mark";\n',
  "src/own.js": "export const own = 1;\n",
};
const entries = ["mod.js", "node/mod.js", "files/mod.js"];

async function listModules(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths.map((path) => path.replaceAll("\\", "/")).filter((path) => path.endsWith(".js"))
    .sort();
}

test("each export is one file, and what several use stands once, apart where it needs Node", async () => {
  await withFiles(files, async (folder) => {
    await bundleExports(folder, entries);
    assertEquals(await listModules(folder), [...entries, "shared.js", "shared_node.js"].sort());
    assertEquals(await readFile(join(folder, "mod.d.ts"), "utf8"), files["mod.d.ts"]);
    const shared = await readFile(join(folder, "shared.js"), "utf8");
    assert(!shared.includes("node:"), "a browser loads it");
    const load = (path: string) => import(pathToFileURL(join(folder, path)).href);
    const [mod, node, served] = await Promise.all(entries.map(load));
    assertEquals([mod.own, mod.mark], [1, { text: "mark" }]);
    assertEquals(Object.keys(mod).sort(), ["mark", "own"]);
    // One object in all: what it knows must not be known twice.
    assert(mod.mark === node.mark && node.mark === served.mark);
    assert(node.join === served.join);
  });
});

test("two shared modules that export the same name are an error, not a name that is missing", async () => {
  const twice = {
    ...files,
    "mod.js": 'import { a as b } from "./b.js";\nexport { a } from "./a.js";\nexport { b };\n',
    "node/mod.js":
      'import { a as b } from "../b.js";\nexport { a } from "../a.js";\nexport { b };\n',
    "a.js": "export const a = 1;\n",
    "b.js": "export const a = 2;\n",
  };
  const message = await withFiles(
    twice,
    (folder) =>
      bundleExports(folder, ["mod.js", "node/mod.js"]).then(
        () => "",
        (error) => error.message,
      ),
  );
  assertEquals(message, "Cannot bundle: a.js and b.js both export a");
});

test("a bundler leaves out what is not used of one file, and what is used works by its name", async () => {
  const own = `
const key = Symbol.for("key");
class Base { static made = 0; }
class Kept extends Base { [key]() { return "kept"; } }
class Unused extends Base { *[key]() { yield "unused"; } }
const some = ["left", "out"];
const all = [
  ...some,
  "too",
];
const found = new Map([["unused", 1]]);
export const own = () => [Kept.name, new Kept()[key](), Base.made];
export const unused = () => [Unused, all, found];
`;
  await withFiles({ ...files, "src/own.js": own, "use.js": "" }, async (folder) => {
    await writeFile(join(folder, "mod.js"), 'export { own, unused } from "./src/own.js";\n');
    await bundleExports(folder, ["mod.js"]);
    const { own, unused } = await import(pathToFileURL(join(folder, "mod.js")).href);
    assertEquals(own(), ["Kept", "kept", 0]);
    assertEquals(unused()[1], ["left", "out", "too"]);
    const { outputFiles: [{ text }] } = await build({
      stdin: { contents: 'export { own } from "./mod.js";', resolveDir: folder },
      bundle: true,
      format: "esm",
      write: false,
    });
    assertEquals(["unused", "left", "too"].filter((word) => text.includes(word)), []);
  });
});

test("the package of the commands has all files that they start, and leaves clients to the user", async () => {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const { devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await withFiles({}, async (folder) => {
    const clients = await bundleCommands(folder, root);
    assert(clients.includes("postgres"));
    assertEquals(clients.filter((name) => !Object.hasOwn(devDependencies, name)), []);
    const files = await readdir(folder);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    const started = [...texts.join().matchAll(/new URL\("(\w+\.js)", import\.meta\.url\)/g)];
    assert(started.length > 2);
    for (const [, file] of started) assert(files.includes(file!), file);
  });
});
