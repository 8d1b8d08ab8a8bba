/** Answers every question of the semantics in this process and prints them as JSON. */
import process from "node:process";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { measureSemantics } from "./probes.ts";

process.stdout.write(JSON.stringify({ ...currentRuntime(), facts: await measureSemantics() }));
