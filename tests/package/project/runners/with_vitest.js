import { test } from "vitest";
import { cases } from "./cases.js";

for (const [name, run] of Object.entries(cases)) test(name, run);
