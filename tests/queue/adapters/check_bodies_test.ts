import { test } from "node:test";
import { assertThrows } from "@std/assert";
import { checkBodies, checkSend } from "../../../src/queue/adapters/check_send.ts";

test("text and bytes are taken where no format is named, and else what it names", () => {
  const bytes = new Uint8Array(2);
  checkBodies([]);
  checkBodies(["", "\ud83d\ude00", bytes]);
  checkBodies(["a"], "text");
  checkBodies([bytes], "bytes");
  const refusals: [unknown, "text" | "bytes" | undefined, string][] = [
    [["a", 1], undefined, "bodies[1] must be text or a Uint8Array, got 1"],
    [[bytes], "text", "bodies[0] must be text, got a Uint8Array"],
    [["a"], "bytes", 'bodies[0] must be a Uint8Array, got "a"'],
    [[new Uint16Array(1)], "bytes", "bodies[0] must be a Uint8Array"],
    [undefined, undefined, "bodies must be an array, got undefined"],
    [[null], "text", "bodies[0] must be text, got null"],
    [[7n], "text", "bodies[0] must be text, got 7n (a BigInt)"],
    [["\ud800"], undefined, "bodies[0] must be text without lone surrogates"],
  ];
  for (const [bodies, format, message] of refusals) {
    assertThrows(() => checkBodies(bodies, format), TypeError, message);
  }
});

test("options of a send that are wrong are refused by name", () => {
  const refusals: [options: unknown, type: typeof TypeError | typeof RangeError, why: string][] = [
    [{ ids: "x" }, TypeError, "ids must be an array"],
    [{ ids: ["x"] }, RangeError, "Cannot send: ids must be as many as bodies, 2, got 1"],
    [{ ids: ["x", ""] }, TypeError, "ids[1] must be text that is not empty"],
    [{ ids: ["x", "\ud800"] }, TypeError, "ids[1] must be text that is not empty"],
    [{ keys: ["x"] }, RangeError, "keys must be as many as bodies, 2, got 1"],
    [{ keys: [undefined, 5] }, TypeError, "keys[1] must be text that is not empty"],
    [{ rememberMs: 5 }, TypeError, "Cannot send: rememberMs needs ids"],
    [{ ids: ["x", "y"], rememberMs: 0 }, RangeError, "rememberMs must be a positive"],
    [{ notBefore: 5 }, TypeError, "notBefore must be a Date, got 5"],
    [{ notBefore: new Date(NaN) }, RangeError, "notBefore must be a valid Date"],
    [{ key: "x" }, TypeError, 'unknown option "key"'],
  ];
  for (const [options, type, why] of refusals) {
    assertThrows(() => checkSend(["a", "b"], options as never), type, why);
  }
});
