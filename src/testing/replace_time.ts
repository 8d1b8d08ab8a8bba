import { throwTypeError } from "../errors.ts";
import { timerDelayMs, type VirtualClock } from "./virtual_clock.ts";

type Property = readonly [target: object, name: PropertyKey, value: unknown];
type Clear = (timer: unknown) => void;

interface Realm {
  readonly setTimeout: (callback: () => void) => unknown;
  readonly clearTimeout: Clear;
  readonly clearInterval: Clear;
  readonly setImmediate?: unknown;
  readonly clearImmediate?: Clear;
  readonly scheduler?: { readonly postTask?: unknown; readonly yield?: unknown };
}

interface TaskOptions {
  readonly delay?: number;
  readonly signal?: AbortSignal;
}

/** Timers and immediates of the clock; what a runtime gives as a number is one here, too. */
function timersOf(clock: VirtualClock): Property[] {
  const real = globalThis as unknown as Realm;
  const probe = real.setTimeout(() => {});
  real.clearTimeout(probe);
  const isNumber = typeof probe === "number";
  const set =
    (name: string, repeats: boolean) => (run: unknown, ms?: unknown, ...rest: unknown[]) => {
      const timer = clock.set(name, run, timerDelayMs(ms), rest, repeats);
      return isNumber ? timer.id : timer;
    };
  const clear = (other: Clear) => (timer?: unknown) => {
    if (!clock.clear(timer)) other(timer);
  };
  const properties: Property[] = [
    [globalThis, "setTimeout", set("setTimeout", false)],
    [globalThis, "setInterval", set("setInterval", true)],
    [globalThis, "clearTimeout", clear(real.clearTimeout)],
    [globalThis, "clearInterval", clear(real.clearInterval)],
  ];
  const { clearImmediate } = real;
  if (real.setImmediate === undefined || clearImmediate === undefined) return properties;
  return [
    ...properties,
    [
      globalThis,
      "setImmediate",
      (run: unknown, ...rest: unknown[]) => clock.setImmediate(run, rest),
    ],
    [globalThis, "clearImmediate", (id?: unknown) => {
      if (!clock.clearImmediate(id)) clearImmediate(id);
    }],
  ];
}

/** A `Date` whose instances are those of the real one, and whose now is the clock's. */
function dateOf(clock: VirtualClock, startsAtMs: number): DateConstructor {
  const now = () => startsAtMs + Math.trunc(clock.nowMs);
  return new Proxy(Date, {
    construct: (real, values, target) =>
      Reflect.construct(real, values.length === 0 ? [now()] : values, target),
    apply: (real) => new real(now()).toString(),
    get: (real, name, receiver) => name === "now" ? now : Reflect.get(real, name, receiver),
  });
}

function timeoutSignal(clock: VirtualClock): (ms: number) => AbortSignal {
  return (ms) => {
    const need = "an integer of at least 0";
    if (typeof ms !== "number") throwTypeError("call AbortSignal.timeout", "ms", need, ms);
    if (!(ms >= 0 && Number.isSafeInteger(Math.trunc(ms)))) {
      throw new RangeError(`Cannot call AbortSignal.timeout: ms must be ${need}, got ${ms}`);
    }
    const controller = new AbortController();
    clock.set(
      "AbortSignal.timeout",
      () => {
        controller.abort(new DOMException("The operation timed out.", "TimeoutError"));
      },
      ms,
      [],
    );
    return controller.signal;
  };
}

/** Does a task after a time, unless its signal aborts first. */
function postTask(clock: VirtualClock) {
  return <T>(task: () => T | PromiseLike<T>, { delay = 0, signal }: TaskOptions = {}): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const end = () => {
        clock.clear(timer);
        reject(signal!.reason);
      };
      const timer = clock.set(
        "scheduler.postTask",
        () => {
          signal?.removeEventListener("abort", end);
          resolve(new Promise<T>((settle) => settle(task())));
        },
        delay,
        [],
      );
      signal?.addEventListener("abort", end, { once: true });
    });
}

function schedulerOf(clock: VirtualClock): Property[] {
  const { scheduler } = globalThis as unknown as Realm;
  const properties: Property[] = [];
  if (scheduler?.postTask !== undefined) {
    properties.push([scheduler, "postTask", postTask(clock)]);
  }
  if (scheduler?.yield !== undefined) {
    const rest = () => new Promise<void>((resolve) => clock.setImmediate(resolve));
    properties.push([scheduler, "yield", rest]);
  }
  return properties;
}

/**
 * Puts the clock in place of the realm's time.
 *
 * @returns What puts the real one back.
 */
export function replaceTime(clock: VirtualClock, startsAtMs: number): () => void {
  const properties: Property[] = [
    ...timersOf(clock),
    ...schedulerOf(clock),
    [globalThis, "Date", dateOf(clock, startsAtMs)],
    [performance, "now", () => clock.nowMs],
    [AbortSignal, "timeout", timeoutSignal(clock)],
  ];
  const before = properties.map(([target, name]) => Object.getOwnPropertyDescriptor(target, name));
  for (const [target, name, value] of properties) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
  return () => {
    properties.forEach(([target, name], place) => {
      const descriptor = before[place];
      if (descriptor === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, descriptor);
    });
  };
}
