import type { Plugin } from "esbuild";

/** The parts of sucrase for other languages than TypeScript, for other modules and for maps of sources. */
const unused =
  /[\\/]sucrase[\\/]dist[\\/]esm[\\/](?:CJSImportProcessor|computeSourceMap|formatTokens|parser[\\/]plugins[\\/](?:flow|jsx[\\/]\w+)|transformers[\\/](?:CJSImport|Flow|JSX|Jest\w*|ReactDisplayName|ReactHotLoader)Transformer)\.js$/;

/** Leaves out of sucrase what does not strip types, which is half of it. */
export const onlyTypes: Plugin = {
  name: "only types",
  setup(build) {
    build.onLoad({ filter: unused }, () => ({ contents: "module.exports = {};", loader: "js" }));
    // Options are checked by a library of its own; ours are in one place, and are right.
    build.onLoad({ filter: /[\\/]sucrase[\\/]dist[\\/]esm[\\/]Options\.js$/ }, () => ({
      contents: "export function validateOptions() {}",
      loader: "js",
    }));
  },
};
