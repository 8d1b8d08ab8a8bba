/** Does the first step in a process of its own, which may die of it; its job is the first argument. */
import process from "node:process";
import { loadAll } from "../contestants/load_all.ts";

await loadAll(JSON.parse(process.argv[2]!));
