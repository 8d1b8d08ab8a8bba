import { filter, lines, map } from "../../../mod.ts";
import { defineStages } from "../../../src/workers/mod.ts";

export default defineStages(() => [
  lines(),
  filter((line: string) => line.length !== 2),
  map((line: string) => `<${line}>`),
]);
