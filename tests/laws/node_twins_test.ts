import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { pipeline, reader, transformer, writer } from "@hosepipe/streams/node";
import { conditions } from "../lib/conditions.ts";
import { errorOf } from "../lib/error_of.ts";
import type { Stage } from "../lib/operator.ts";
import { operators } from "../lib/operators.ts";
import { range } from "../lib/range.ts";
import { reasons } from "../lib/reasons.ts";

const marks = [...new Set(conditions.map(({ mark }) => mark))];

/** Runs a stage's twin on `node:stream`, and gathers what comes out. */
async function runTwin(
  source: Iterable<unknown>,
  stage: Stage,
  highWaterMark: number,
): Promise<unknown[]> {
  const written: unknown[] = [];
  await pipeline(
    reader(source, { highWaterMark }),
    transformer(stage, { highWaterMark }),
    writer((chunk) => void written.push(chunk), { highWaterMark }),
  );
  return written;
}

for (const operator of operators) {
  const { name, make, input, output, keepsOrder } = operator;

  test(`node, ${name}: chunks come out equal and in order, or none of none`, async () => {
    for (const highWaterMark of marks) {
      for (const length of [0, 1, 64]) {
        const written = await runTwin(range(length).map(input), make(), highWaterMark);
        const chunks = keepsOrder
          ? written
          : (written as number[]).toSorted((one, other) => one - other);
        assertEquals(chunks, range(length).map(output));
      }
    }
  });

  for (const { name: failure, reason } of reasons) {
    test(`node, ${name}: ${failure} in the source is the run's`, async () => {
      const failing = function* () {
        yield* range(3).map(input);
        throw reason;
      };
      for (const highWaterMark of marks) {
        assertEquals(await errorOf(runTwin(failing(), make(), highWaterMark)), [reason]);
      }
    });
  }
}
