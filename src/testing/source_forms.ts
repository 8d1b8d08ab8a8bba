import { createDeferred, type Deferred } from "../deferred.ts";
import { checkFunction, throwTypeError } from "../errors.ts";
import { checkNodeReason, checkNodeStrategy, nodeMark } from "./end_settings.ts";
import type { HeldSource } from "./held_source.ts";
import type { NodeReadableClass } from "./test_end_types.ts";

interface NodeReadable {
  push(chunk: unknown): boolean;
  destroy(error: Error): unknown;
}

type Cancel = ((reason: unknown) => unknown) | undefined;

/** The held source as a Web stream. */
export function openReadable<T>(source: HeldSource<T>, cancel: Cancel): ReadableStream<T> {
  const { strategy, highWaterMark } = source.settings;
  let answer: Deferred<void> | undefined;
  let controller!: ReadableStreamDefaultController<T>;
  const stream = new ReadableStream<T>({
    start: (given) => void (controller = given),
    pull: () => {
      const { promise } = answer = createDeferred<void>();
      source.ask();
      return promise;
    },
    cancel: async (reason) => {
      source.cancel(reason);
      await cancel?.(reason);
    },
  }, strategy);
  source.open({
    name: "a ReadableStream",
    give: (chunk) => {
      controller.enqueue(chunk);
      answer!.resolve();
    },
    end: () => controller.close(),
    fail: (reason) => controller.error(reason),
    queued: () =>
      highWaterMark === Infinity || controller.desiredSize === null
        ? undefined
        : highWaterMark - controller.desiredSize,
  });
  source.pump();
  return stream;
}

/** The held source as an async iterator, which may be asked again before it has answered. */
export function openIterator<T>(source: HeldSource<T>, cancel: Cancel): AsyncIterator<T> {
  const asks: Deferred<IteratorResult<T, undefined>>[] = [];
  const done = { done: true, value: undefined } as const;
  let failure: { readonly reason: unknown } | undefined;
  const end = () => {
    for (const { resolve } of asks.splice(0)) resolve(done);
  };
  source.open({
    name: "an async iterable",
    give: (chunk) => asks.shift()!.resolve({ done: false, value: chunk }),
    end,
    fail: (reason) => {
      const first = asks.shift();
      if (first === undefined) failure = { reason };
      else first.reject(reason);
      end();
    },
  });
  return {
    next: () => {
      const deferred = createDeferred<IteratorResult<T, undefined>>();
      if (source.state === "open") {
        asks.push(deferred);
        source.ask();
      } else if (failure === undefined) deferred.resolve(done);
      else {
        deferred.reject(failure.reason);
        failure = undefined;
      }
      return deferred.promise;
    },
    return: async (value) => {
      if (source.state === "open") {
        source.cancel(undefined);
        end();
        await cancel?.(undefined);
      }
      return { done: true, value };
    },
  };
}

/** The held source as a Node stream. */
export function openNodeReadable<T, S>(
  source: HeldSource<T>,
  Readable: NodeReadableClass<S>,
  cancel: Cancel,
): S {
  const action = "open test source as a Node stream";
  checkFunction(action, "Readable", Readable);
  checkNodeStrategy(action, source.settings);
  let isAsked = false;
  const stream = new Readable({
    objectMode: true,
    highWaterMark: nodeMark(source.settings.highWaterMark),
    read: () => {
      if (isAsked) return;
      isAsked = true;
      source.ask();
    },
    destroy: (error, callback) => {
      if (source.state !== "open") return callback(error);
      const reason = error ?? undefined;
      source.cancel(reason);
      Promise.resolve(reason).then(cancel).then(
        () => callback(error),
        (failure) => callback(error ?? failure),
      );
    },
  });
  const { push, destroy } = stream as NodeReadable;
  if (typeof push !== "function") throwTypeError(action, "Readable", "Node's Readable", Readable);
  source.open({
    name: "a Readable of Node",
    checkReason: (reason) => checkNodeReason("fail", reason),
    give: (chunk) => {
      isAsked = false;
      push.call(stream, chunk);
    },
    end: () => void push.call(stream, null),
    fail: (reason) => void destroy.call(stream, reason as Error),
  });
  source.pump();
  return stream;
}
