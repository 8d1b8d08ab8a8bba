import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { exhaustionSuite } from "./exhaustion_suite.ts";

exhaustionSuite("web");
exhaustionSuite("node");
// What is left where Deno has nothing but its server to offer.
if (currentRuntime().name === "deno") exhaustionSuite("deno-serve");
