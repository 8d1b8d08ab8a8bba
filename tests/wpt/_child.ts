import type * as Library from "../../mod.ts";
import { childMark, type ChildMessage, type ChildRequest, type SuiteName } from "./results.ts";
import { readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";

type ReadableWritablePair = { readable: ReadableStream; writable: WritableStream };

type Members = Record<string, unknown>;

/** Called when a test does what a stand-in cannot express: then it says nothing about us. */
type SayOther = (why: string) => void;

/** `fuse` of one stage where a test says `new TransformStream(…)`. */
function standInTransformStream({ fuse }: typeof Library): void {
  class TransformStream {
    readonly #pair: ReadableWritablePair;

    constructor(
      transformer: unknown = {},
      writableStrategy: QueuingStrategy = {},
      readableStrategy: QueuingStrategy = {},
    ) {
      const fuseAny = fuse as (...args: readonly unknown[]) => ReadableWritablePair;
      this.#pair = fuseAny(transformer, { writableStrategy, readableStrategy });
    }

    get readable() {
      return this.#pair.readable;
    }

    get writable() {
      return this.#pair.writable;
    }
  }
  Object.defineProperty(globalThis, "TransformStream", { value: TransformStream, writable: true });
}

/** `pipeline` where a test says `readable.pipeTo(writable, options)`; reading the options is the platform's part. */
async function standInPipeTo({ pipeline }: typeof Library): Promise<void> {
  const lockedOf = (prototype: object) =>
    Object.getOwnPropertyDescriptor(prototype, "locked")!.get!;
  const isLocked = {
    readable: lockedOf(ReadableStream.prototype),
    writable: lockedOf(WritableStream.prototype),
  };
  const run = pipeline as (...args: readonly unknown[]) => Promise<unknown>;
  // A library without these options is measured as it is.
  const hasPrevents = await Promise.resolve()
    .then(() => run([], new WritableStream(), { preventClose: false }))
    .then(() => true, () => false);

  ReadableStream.prototype.pipeTo = function pipeTo(sink, given) {
    return new Promise((resolve, reject) => {
      isLocked.readable.call(this);
      isLocked.writable.call(sink);
      const options: Members = {};
      for (const name of ["preventAbort", "preventCancel", "preventClose"] as const) {
        const value = given?.[name];
        if (value !== undefined && hasPrevents) options[name] = Boolean(value);
      }
      const signal = given?.signal;
      if (signal !== undefined) options.signal = signal;
      run(this, sink, options).then(() => resolve(undefined), reject);
    });
  };
}

/**
 * `writer` where a test says `new WritableStream(sink, strategy)` with a sink that is functions only. Its `start` is
 * called with a controller that has nothing but a name: what uses it is no sink of ours.
 */
function standInSink({ writer }: typeof Library, sayOther: SayOther): void {
  const Native = WritableStream;

  function isOurs(sink: Members): boolean {
    return "write" in sink && !("type" in sink);
  }

  const install = (value: typeof WritableStream) =>
    Object.defineProperty(globalThis, "WritableStream", {
      value,
      writable: true,
      configurable: true,
    });

  /** What `writer` itself makes is a platform's stream. */
  function withNative<Result>(make: () => Result): Result {
    install(Native);
    try {
      return make();
    } finally {
      install(Standing);
    }
  }

  class Standing extends Native {
    constructor(given?: unknown, strategy: QueuingStrategy = {}) {
      const sink = given as Members;
      if (typeof given !== "object" || given === null || !isOurs(sink)) {
        sayOther("not a sink that writes");
        super(given as UnderlyingSink, strategy);
        return;
      }
      const controller = {
        error() {
          sayOther("uses the controller");
        },
        get signal(): AbortSignal {
          sayOther("uses the controller");
          return new AbortController().signal;
        },
      };
      const { size, highWaterMark } = strategy;
      const { abort, close, start, write } = sink as Record<
        string,
        ((...args: unknown[]) => unknown) | undefined
      >;
      const started = typeof start === "function" && Reflect.apply(start, sink, [controller]);
      if (started) {
        sayOther("has an asynchronous start");
        Promise.resolve(started).catch(() => {});
      }
      const options: Members = {
        ...(highWaterMark === undefined ? {} : { highWaterMark }),
        ...(size === undefined ? {} : { size }),
        ...(close === undefined ? {} : { close: () => Reflect.apply(close, sink, []) }),
        ...(abort === undefined
          ? {}
          : { abort: (reason: unknown) => Reflect.apply(abort, sink, [reason]) }),
      };
      return withNative(() =>
        writer(
          typeof write === "function"
            ? (chunk) => Reflect.apply(write, sink, [chunk, controller])
            : write!,
          options,
        )
      ) as Standing;
    }

    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof Native;
    }
  }
  install(Standing);
}

/** Puts ours in place of the platform's, for the tests of one suite. */
async function installStandIn(
  suite: SuiteName,
  library: typeof Library,
  sayOther: SayOther,
): Promise<void> {
  if (suite === "transform-streams") standInTransformStream(library);
  else if (suite === "piping") await standInPipeTo(library);
  else standInSink(library, sayOther);
}

// Runs one of the standard's test files in this process, with the platform's streams or ours, and writes how its
// tests went as they end.

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
