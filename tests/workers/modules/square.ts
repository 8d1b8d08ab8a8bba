import { map } from "../../../mod.ts";
import { defineStages } from "../../../src/workers/mod.ts";

export default defineStages(() => [map((n: number) => n * n)]);
