import { assertEquals, assertStrictEquals } from "@std/assert";
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { destroyStream } from "../../src/source/node_stream_end.ts";
import { reasons, rejection } from "./errors.ts";
import { toError, toReason } from "../../src/source/stage_error.ts";
import { StageError } from "@hosepipe/streams/node";
import { settle } from "./virtual_clock.ts";

const makers = {
  readable: (destroy?: Readable["_destroy"]) => new Readable({ read() {}, destroy }),
  writable: (destroy?: Readable["_destroy"]) => new Writable({ write() {}, destroy }),
};

for (const [kind, make] of Object.entries(makers)) {
  test(`a ${kind} is destroyed with the error, which is no failure; waits until it is closed`, async () => {
    for (const reason of reasons) {
      let close!: () => void;
      const given: unknown[] = [];
      const error = reason === undefined ? undefined : toError(reason);
      const stream = make((error, callback) => {
        given.push(error);
        close = () => callback(error);
      });
      let isOver = false;
      const over = destroyStream(stream, error).then(() => isOver = true);
      await settle();
      assertEquals([given, isOver], [[error ?? null], false]);
      close();
      await over;
      assertEquals(stream.listenerCount("error") + stream.listenerCount("close"), 0);
    }
  });

  test(`a ${kind} that is closed already is let be`, async () => {
    const stream = make();
    await destroyStream(stream);
    await destroyStream(stream, new Error("later"));
    assertEquals(stream.errored, null);
  });

  test(`a ${kind}'s clean-up that fails is the failure`, async () => {
    const failure = new Error("clean-up");
    for (const error of [undefined, new Error("why")]) {
      const stream = make((_error, callback) => callback(failure));
      assertStrictEquals((await rejection(destroyStream(stream, error))).reason, failure);
    }
  });

  test(`a ${kind} that never tells that it is closed is not waited for`, async () => {
    const options = { emitClose: false, read() {}, write() {} };
    const stream = kind === "readable" ? new Readable(options) : new Writable(options);
    await destroyStream(stream);
    assertEquals(stream.destroyed, true);
  });

  test(`a ${kind} of a library that does not say whether it is closed is let be once destroyed`, async () => {
    const stream = make();
    Object.defineProperty(stream, "closed", { value: undefined });
    await destroyStream(stream);
    await destroyStream(stream);
    assertEquals(stream.destroyed, true);
  });
}

test("a stream of a library that shows no state is waited for until it is closed", async () => {
  class Foreign extends EventEmitter {
    destroyed = false;

    destroy(error?: Error): void {
      this.destroyed = true;
      if (error !== undefined) this.emit("error", error);
    }
  }
  const stream = new Foreign();
  let isOver = false;
  const over = destroyStream(stream as unknown as Readable, new Error("why"))
    .then(() => isOver = true);
  await settle();
  assertEquals([stream.destroyed, isOver], [true, false]);
  stream.emit("close");
  await over;
  assertEquals(stream.listenerCount("error"), 0);
});

test("what node takes for no error is wrapped by name, with its value; all else is passed on", () => {
  for (const reason of reasons) {
    const error = toError(reason);
    assertStrictEquals(toReason(error), reason);
    if (reason) assertStrictEquals(error, reason);
    else {
      assertEquals([error instanceof StageError, error.name], [true, "StageError"]);
      assertEquals(error.message, `A stage failed with ${reason === "" ? '""' : String(reason)}`);
      assertStrictEquals((error as StageError).reason, reason);
    }
  }
});
