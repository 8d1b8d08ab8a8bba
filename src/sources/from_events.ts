import { checkSignal } from "../check_signal.ts";
import { throwTypeError } from "../errors.ts";
import { type ChannelOptions, type Overflow, readChannelOptions } from "./channel_options.ts";
import { ChannelQueue } from "./channel_queue.ts";

/** The name of an event. */
export type EventName = string | symbol;

/** What `fromEvents` needs of an `EventEmitter`, as Node has it. */
export interface EmitterLike {
  /** Adds a listener. */
  // deno-lint-ignore no-explicit-any -- emitters differ in what they call their listeners with
  on(name: any, listener: (...args: any[]) => void): unknown;
  /** Removes one. */
  // deno-lint-ignore no-explicit-any -- as above
  off(name: any, listener: (...args: any[]) => void): unknown;
}

/** The queue of `fromEvents`, and when it ends. */
export interface FromEventsOptions<T> extends ChannelOptions<T> {
  /** As in `channel`. Default: 256. */
  highWaterMark?: number | undefined;
  /** As in `channel`, without `"wait"`: an event cannot. Default: `"fail"`. */
  overflow?: Exclude<Overflow, "wait"> | undefined;
  /** An event, or several, with which the stream ends. Default: it does not end by itself. */
  until?: EventName | readonly EventName[] | undefined;
  /** Fails the stream at once with the signal's reason. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Makes a stream of the events of an `EventTarget`.
 *
 * It listens from the call on, and no longer when the stream ends, fails or is cancelled, or `signal`
 * aborts.
 *
 * @typeParam T The type of the events.
 * @param target What to listen to: an `EventTarget`, or an `EventEmitter` of Node's.
 * @param name The name of the event.
 * @param options The queue, and when the stream ends.
 * @returns A stream of the events, with a `highWaterMark` of 0 beside its own queue.
 * @throws {TypeError} If `target` is neither, `name` or `until` is not the name of an event, `overflow` is not one
 * of the three, `signal` is not an `AbortSignal`, or an option is unknown or of the wrong type.
 * @throws {RangeError} If `highWaterMark` is negative.
 *
 * @example Messages until the other side closes
 * ```ts
 * import { fromEvents } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const socket = new EventTarget();
 * const messages = fromEvents<MessageEvent<string>>(socket, "message", { until: "close" });
 * for (const data of ["one", "two"]) socket.dispatchEvent(new MessageEvent("message", { data }));
 * socket.dispatchEvent(new Event("close"));
 *
 * assert.deepEqual((await Array.fromAsync(messages)).map(({ data }) => data), ["one", "two"]);
 * ```
 */
export function fromEvents<T extends Event = Event>(
  target: EventTarget,
  name: string,
  options?: FromEventsOptions<T>,
): ReadableStream<T>;
/**
 * Makes a stream of the events of an `EventEmitter`. A chunk is the array of what its listeners are called
 * with, as in Node's `events.on()`. The event `"error"` fails the stream, unless it is the one asked for.
 *
 * @typeParam Args The types of what the listeners are called with.
 * @param emitter What to listen to.
 * @param name The name of the event.
 * @param options The queue, and when the stream ends.
 * @returns A stream of arrays, with a `highWaterMark` of 0 beside its own queue.
 */
export function fromEvents<Args extends unknown[] = unknown[]>(
  emitter: EmitterLike,
  name: EventName,
  options?: FromEventsOptions<Args>,
): ReadableStream<Args>;
export function fromEvents(
  target: EventTarget | EmitterLike,
  name: EventName,
  options: FromEventsOptions<unknown> = {},
): ReadableStream<unknown> {
  const action = "create fromEvents";
  const kind = kindOf(target);
  if (kind === undefined) {
    throwTypeError(action, "target", "an EventTarget or an EventEmitter", target);
  }
  checkName(action, "name", name);
  const defaults = { highWaterMark: 256, overflow: "fail" } as const;
  const plan = readChannelOptions(action, options, optionNames, defaults);
  const need = '"fail", "dropOldest" or "dropNewest"';
  if (plan.overflow === "wait") throwTypeError(action, "overflow", need, "wait");
  const { until = [], signal } = options;
  const ends = Array.isArray(until) ? until : [until];
  for (const end of ends) checkName(action, "until", end);
  if (signal !== undefined) checkSignal(action, "signal", signal);

  const undo: (() => void)[] = [];
  const stopListening = (): void => {
    for (const remove of undo.splice(0)) remove();
  };
  const queue = new ChannelQueue<unknown>("take event", plan, stopListening);
  const onAbort = (): void => queue.abort(signal!.reason);
  if (signal?.aborted) {
    onAbort();
    return queue.readable;
  }
  const listen = (event: EventName, listener: (...args: unknown[]) => void): void =>
    void undo.push(add(target, kind, event, listener));
  const take = (chunk: unknown): void => {
    // What `size` throws has no caller to receive it, so the stream fails with it.
    queue.send(chunk).catch((reason) => queue.end({ reason }));
  };
  try {
    listen(name, kind === "target" ? take : (...args) => take(args));
    for (const end of ends) listen(end, () => queue.end(undefined));
    if (kind === "emitter" && ![name, ...ends].includes("error")) {
      listen("error", (reason) => queue.end({ reason }));
    }
  } catch (error) {
    stopListening();
    throw error;
  }
  if (signal !== undefined) undo.push(add(signal, "target", "abort", onAbort));
  return queue.readable;
}

const optionNames = ["highWaterMark", "size", "overflow", "until", "signal"];

function checkName(action: string, option: string, value: unknown): void {
  if (typeof value === "string" || typeof value === "symbol") return;
  throwTypeError(action, option, "the name of an event", value);
}

function kindOf(target: unknown): "target" | "emitter" | undefined {
  if (target === null || (typeof target !== "object" && typeof target !== "function")) return;
  const { addEventListener, on, off } = target as Partial<EventTarget & EmitterLike>;
  if (typeof addEventListener === "function") return "target";
  return typeof on === "function" && typeof off === "function" ? "emitter" : undefined;
}

/** Adds a listener; gives the function that removes it. */
function add(
  target: EventTarget | EmitterLike,
  kind: "target" | "emitter",
  name: EventName,
  listener: (...args: unknown[]) => void,
): () => void {
  if (kind === "emitter") {
    const emitter = target as EmitterLike;
    emitter.on(name, listener);
    return () => void emitter.off(name, listener);
  }
  const eventTarget = target as EventTarget;
  eventTarget.addEventListener(name as string, listener);
  return () => eventTarget.removeEventListener(name as string, listener);
}
