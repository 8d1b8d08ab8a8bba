import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The parts of the library that the playground takes from `src` itself. */
const parts = [
  "mod.ts",
  "src/kernels/name_of_part.ts",
  "src/probe/bottleneck.ts",
  "src/probe/probe.ts",
  "src/sinks/writer.ts",
  "src/workers/mod.ts",
];

/** The module that exports all of them. */
export const libraryEntry: string = parts
  .map((path, index) => `export * as part${index} from "./${path}";\n`).join("");

/** Takes what is imported of the library from the script that has all of it, so that a page holds it once. */
export const sharedLibrary: Plugin = {
  name: "shared library",
  setup(build) {
    build.onResolve({ filter: /^@hosepipe\/streams$/ }, () => ({ path: "0", namespace: "shared" }));
    build.onResolve({ filter: /\/src\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const file = relative(root, fileURLToPath(new URL(path, `file://${resolveDir}/`)))
        .replaceAll("\\", "/");
      const index = parts.indexOf(file);
      if (index < 0) {
        return { errors: [{ text: `${file} is not among the parts that are shared` }] };
      }
      return { path: String(index), namespace: "shared" };
    });
    build.onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({
      contents: `module.exports = hosepipeLibrary.part${path};`,
    }));
  },
};
