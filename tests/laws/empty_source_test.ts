import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { underAllConditions } from "../lib/conditions.ts";
import { countedSource } from "../lib/counted_source.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import type { Stage } from "../lib/operator.ts";
import { operators } from "../lib/operators.ts";
import { ways, writableMark } from "../lib/ways.ts";

for (const way of ways) {
  for (const operator of operators) {
    test(`${way.name}, ${operator.name}: an empty source gives nothing and flushes once`, () =>
      underAllConditions(way, operator, async ({ mark }) => {
        const source = countedSource({ length: 0, highWaterMark: mark });
        const sink = keepingSink({ highWaterMark: writableMark(mark) });
        const effects: string[] = [];
        const stage = operator.make();
        const counting: Stage = {
          ...stage,
          flush(controller) {
            effects.push("flush");
            return stage.flush?.(controller);
          },
          cancel(reason) {
            effects.push("cancel");
            return stage.cancel?.(reason);
          },
        };
        await way.run(source.readable, [counting], sink.writable, { mark });
        assertEquals(sink.chunks, []);
        assertEquals(effects, ["flush"]);
        assertEquals([sink.closeCount, sink.abortReasons, source.cancelReasons], [1, [], []]);
      }));
  }
}
