import type * as Library from "../../mod.ts";
import type { SuiteName } from "./results.ts";

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
export async function installStandIn(
  suite: SuiteName,
  library: typeof Library,
  sayOther: SayOther,
): Promise<void> {
  if (suite === "transform-streams") standInTransformStream(library);
  else if (suite === "piping") await standInPipeTo(library);
  else standInSink(library, sayOther);
}
