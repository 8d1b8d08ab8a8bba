import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { resetSuite } from "./reset_suite.ts";

resetSuite("web");
resetSuite("node");
if (currentRuntime().name === "deno") resetSuite("deno-serve");
