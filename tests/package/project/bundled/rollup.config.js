import { fileURLToPath } from "node:url";

export default {
  input: "node.js",
  output: { file: "out/rollup.js", format: "es" },
  plugins: [{
    name: "packages",
    resolveId: (name) =>
      name.startsWith("@hosepipe/")
        ? { id: fileURLToPath(import.meta.resolve(name)), moduleSideEffects: false }
        : null,
  }],
};
