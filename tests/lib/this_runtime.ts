import process from "node:process";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { findRuntime, type Runtime } from "../../runtimes/find_runtime.ts";

const { name } = currentRuntime();
// What runs the test is what is found, here and in processes that are started from here, whatever PATH says.
process.env[`HOSEPIPE_${name.toUpperCase()}`] = process.execPath;

/** The runtime that runs the test, as commands of ours find it. */
export const thisRuntime: Runtime = await findRuntime(name);
