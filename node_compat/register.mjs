/**
 * Teaches Node the import map of `deno.json`, so that one mapping serves all three runtimes.
 * Use: `node --import ./node_compat/register.mjs FILE.ts`
 */
import { readFileSync, statSync } from "node:fs";
import { enableCompileCache, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const { name, exports, imports } = JSON.parse(readFileSync(new URL("deno.json", root), "utf8"));

/** @type {Map<string, string>} */
const targets = new Map();
for (const [specifier, target] of Object.entries(imports)) {
  targets.set(specifier, target.replace(/^npm:((?:@[^/]+\/)?[^@/]+)(?:@[^/]*)?/, "$1"));
}
for (const [path, file] of Object.entries(exports)) {
  targets.set(name + path.slice(1), new URL(file, root).href);
}

// Kept without their types, files need no stripper of types, which is 17 MiB in each thread.
enableCompileCache(fileURLToPath(new URL("node_modules/.cache/node/", root)));

/** @param {string | undefined} address @returns {boolean} */
const isOwn = (address) =>
  address?.startsWith(root.href) === true && !address.includes("/node_modules/");

registerHooks({
  resolve(specifier, context, nextResolve) {
    const target = targets.get(specifier) ?? specifier;
    // A file of ours is named in full, and none is a link: that Node looks for it costs a good part of a start.
    if (/^(?:\.\.?\/|file:)[^?#%]*[^/?#%]\.ts$/.test(target) && isOwn(context.parentURL)) {
      const url = new URL(target, context.parentURL);
      if (isOwn(url.href) && statSync(url, { throwIfNoEntry: false })?.isFile()) {
        return { url: url.href, format: "module-typescript", shortCircuit: true };
      }
    }
    return nextResolve(target, context);
  },
});
