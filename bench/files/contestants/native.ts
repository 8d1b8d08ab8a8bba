import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { nativeBun } from "./native_bun.ts";
import { nativeDeno } from "./native_deno.ts";
import { nativeNode } from "./native_node.ts";
import type { RunFile } from "../job.ts";

const natives = { deno: nativeDeno, bun: nativeBun, node: nativeNode };

export const native: RunFile = natives[currentRuntime().name];
