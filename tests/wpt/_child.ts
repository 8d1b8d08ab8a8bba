// Runs one of the standard's test files in this process, with the platform's streams or ours, and writes how its
// tests went as they end.
import { readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { childMark, type ChildMessage, type ChildRequest } from "./results.ts";
import { installStandIn } from "./_stand_ins.ts";

interface HarnessTest {
  readonly name: string;
  readonly status: number;
  readonly message: string | null;
  force_timeout(): void;
}

type TestFunction = (
  this: unknown,
  run: (...args: unknown[]) => unknown,
  name: string,
  properties?: unknown,
) => unknown;

interface Harness {
  test: TestFunction;
  promise_test: TestFunction;
  async_test: TestFunction;
  add_result_callback(listen: (test: HarnessTest) => void): void;
  add_completion_callback(
    listen: (tests: unknown, status: { status: number; message: string | null }) => void,
  ): void;
}

const request = JSON.parse(process.argv[2]!) as ChildRequest;
// Tests replace globals; what is needed here is kept.
const { setTimeout, clearTimeout, JSON: { stringify } } = globalThis;
const { exit } = process;
// Ours would give the event loop its turn in the middle of a test where a machine is busy (listed difference 8).
const nowMs = performance.now();
performance.now = () => nowMs;

function say(message: ChildMessage): void {
  writeSync(1, `${childMark}${stringify(message)}\n`);
}

let otherReason: string | undefined;
const unhandled: string[] = [];
process.on("unhandledRejection", (reason) => {
  unhandled.push(`unhandled rejection: ${(reason as Error)?.stack ?? String(reason)}`);
});

function evaluate(path: string): void {
  const source = readFileSync(path, "utf8");
  (0, eval)(`${source}\n//# sourceURL=${path}`);
}

/** Says what the last test left unhandled. */
function sayLate(): void {
  const left = unhandled.splice(0);
  if (left.length > 0) say({ type: "late", message: left.join("\n") });
}

/** Tells when each test starts, leaves out those to skip, and ends one that does not end. */
function watch(harness: Harness): void {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const watched = (kind: "test" | "promise_test" | "async_test") => {
    const define = harness[kind];
    harness[kind] = function (run, name, properties) {
      if (request.skip.includes(name)) return;
      const runNow = function (this: unknown, test: unknown, ...rest: unknown[]) {
        say({ type: "start", name });
        timers.set(
          name,
          setTimeout(() => (test as HarnessTest).force_timeout(), request.testTimeoutMs),
        );
        return run.call(this, test, ...rest);
      };
      // A test that is over may leave a rejection behind, which shows a turn later.
      const runLater = async function (this: unknown, ...args: [unknown, ...unknown[]]) {
        await new Promise((resolve) => setTimeout(resolve));
        sayLate();
        return await runNow.apply(this, args);
      };
      const runWatched = kind === "promise_test" ? runLater : runNow;
      return define.call(this, runWatched, name, properties);
    };
  };
  for (const kind of ["test", "promise_test", "async_test"] as const) watched(kind);

  harness.add_result_callback(({ name, status, message }) => {
    clearTimeout(timers.get(name));
    const state = otherReason !== undefined
      ? "other"
      : status === 0 && unhandled.length === 0
      ? "pass"
      : status === 2
      ? "hang"
      : "fail";
    const said = [otherReason ?? message ?? "", ...unhandled.splice(0)].filter(Boolean).join("\n");
    otherReason = undefined;
    say({ type: "result", result: { name, status: state, message: said } });
  });
  harness.add_completion_callback((_, { status, message }) => {
    // What is left unhandled shows a turn later.
    setTimeout(() => {
      sayLate();
      // Rejections are said test by test.
      const hasFailed = (status === 1 || status === 3) &&
        !message?.startsWith("Unhandled rejection");
      say({ type: "end", error: hasFailed ? message ?? "failed" : undefined });
      exit(0);
    }, 5);
  });
}

const { folder, suite, file, way, library } = request;
const imported = way === "ours" ? await import(library) : undefined;
if (imported) {
  await installStandIn(suite, imported, (why) => {
    otherReason ??= why;
  });
}
const globals = globalThis as unknown as { self: unknown } & Harness;
globals.self ??= globalThis;
const path = join(folder, "streams", suite, file);
evaluate(join(folder, "resources", "testharness.js"));
watch(globals);
for (const [, script] of readFileSync(path, "utf8").matchAll(/^\/\/ META: script=(\S+)$/gm)) {
  evaluate(script!.startsWith("/") ? join(folder, script!) : join(dirname(path), script!));
}
evaluate(path);
