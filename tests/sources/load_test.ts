import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { channel, concat, merge, type Overflow, pipeline, zip } from "@hosepipe/streams";
import { counted, type Kind, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import { isThorough } from "../lib/thorough.ts";

// What is promised takes about a minute; the gate does a fiftieth of it.
const load = isThorough ? 1 : 0.02;
const million = 1_000_000 * load;

/** Numbers below `limit` that a seed decides. */
function seeded(seed: number): (limit: number) => number {
  let state = seed % 2147483646 + 1;
  return (limit) => (state = state * 48271 % 2147483647) % limit;
}

for (const [name, join] of Object.entries({ concat, merge, zip })) {
  const runs = 10_000 * load;
  test(`${name}() reads one chunk ahead of each source at most, over ${runs} random runs`, async () => {
    for (let run = 1; run <= runs; run++) {
      const random = seeded(run * 7919);
      const sources = Array.from({ length: 1 + random(4) }, () => {
        const kind: Kind = kinds[random(3)]!;
        const failure = random(10) === 0 ? { reason: run } : undefined;
        return counted(kind, random(8), { failure });
      });
      const reader = join(...sources.map(({ source }) => source)).getReader();
      const given = name === "zip"
        ? (reads: number) => reads * sources.length
        : (reads: number) => reads;
      const until = random(12);
      let chunks = 0;
      try {
        while (chunks < until && !(await reader.read()).done) {
          chunks++;
          for (let n = random(4); n > 0; n--) await Promise.resolve();
          const ahead = sources.reduce((sum, { reads }) => sum + reads, 0) - given(chunks);
          assert(ahead <= sources.length, `run ${run}: ${ahead} ahead of ${sources.length}`);
        }
        await reader.cancel();
      } catch (reason) {
        assertEquals(reason, run);
      }
      const cancels = sources.map(({ cancels }) => cancels);
      assert(cancels.every((count) => count <= 1), `run ${run}: cancelled ${cancels}`);
    }
  });
}

for (const overflow of ["wait", "fail", "dropOldest", "dropNewest"] as const satisfies Overflow[]) {
  test(`${million} chunks through a channel() that overflows by ${overflow}: counts are exact`, async () => {
    const highWaterMark = 64;
    const sent = channel<number>({ highWaterMark, overflow });
    let accepted = 0;
    const produce = async () => {
      for (let n = 0; n < million; n++) {
        const sending = sent.send(n);
        if (overflow === "wait") await sending;
        else if (overflow === "fail") {
          if (await errorOf(sending) !== "none") break;
          await sent.ready;
        } else if (n % 97 === 0) await turns(n % 9700 === 0 ? 1 : 0);
        accepted++;
      }
      sent.close();
    };
    let last = -1;
    let received = 0;
    const consume = pipeline(sent.readable, (n) => {
      assert(n > last);
      last = n;
      received++;
    });
    const outcome = await errorOf(Promise.all([produce(), consume]));
    assertEquals(outcome, "none");
    assertEquals(received + sent.dropped, million);
    if (overflow === "wait" || overflow === "fail") {
      assertEquals([received, accepted], [million, million]);
    } else assert(sent.dropped > 0);
    if (overflow === "dropOldest") assertEquals(last, million - 1);
  });
}
