import { assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { StageError } from "@hosepipe/streams/node";
import { toError, toReason } from "../../src/source/stage_error.ts";
import { reasons } from "./errors.ts";

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
