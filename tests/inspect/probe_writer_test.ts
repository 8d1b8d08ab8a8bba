import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { probe } from "@hosepipe/streams/inspect";

test("a probed writer calls each method as the sink has it, and serves one stream", async () => {
  const log: string[] = [];
  const sink: UnderlyingSink<number> = {
    start(this: unknown) {
      log.push(`start ${this === sink}`);
    },
    write(this: unknown, chunk) {
      log.push(`write ${chunk} ${this === sink}`);
    },
    close(this: unknown) {
      log.push(`close ${this === sink}`);
    },
    abort(this: unknown, reason: unknown) {
      log.push(`abort ${reason} ${this === sink}`);
    },
  };
  for (const end of ["close", "abort"] as const) {
    const look = probe();
    const probed = look.writer(sink);
    const output = new WritableStream(probed).getWriter();
    await output.write(1);
    await output[end](end === "abort" ? "why" : undefined).catch(() => {});
    output.closed.catch(() => {});
    assertThrows(
      () => new WritableStream(probed),
      TypeError,
      "Cannot start: a probed writer serves one stream, wrap it again",
    );
  }
  assertEquals(log, [
    ...["start true", "write 1 true", "close true"],
    ...["start true", "write 1 true", "abort why true"],
  ]);
});
