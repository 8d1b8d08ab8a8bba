import { test } from "node:test";
import { assertThrows } from "@std/assert";
import { checkBodies } from "../../../src/queue/adapters/check_bodies.ts";

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
    [["\ud800"], undefined, "bodies[0] must be text without lone surrogates"],
  ];
  for (const [bodies, format, message] of refusals) {
    assertThrows(() => checkBodies(bodies, format), TypeError, message);
  }
});
