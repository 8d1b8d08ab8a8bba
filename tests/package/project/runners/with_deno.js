import { cases } from "./cases.js";

const { test } = Deno;

for (const [name, run] of Object.entries(cases)) test(name, run);
