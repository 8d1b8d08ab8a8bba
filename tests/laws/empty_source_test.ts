import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { countedSource, keepingSink } from "./_ends.ts";
import { operators } from "./_operators.ts";
import { ways } from "./_ways.ts";

for (const way of ways) {
  for (const operator of operators) {
    test(`${way.name}, ${operator.name}: an empty source gives nothing and flushes once`, async () => {
      const source = countedSource(operator.input, 0);
      const sink = keepingSink();
      const effects: string[] = [];
      const stage = operator.make();
      const counting: Transformer<unknown, unknown> = {
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
      await way.run(source.readable, [counting], sink.writable);
      assertEquals(sink.chunks, []);
      assertEquals(effects, ["flush"]);
      assertEquals([sink.closeCount, sink.abortReasons, source.cancelReasons], [1, [], []]);
    });
  }
}
