import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { batch, count, first, lines, parallel, toArray } from "@hosepipe/streams";

test("an end that is misused says its own name", async () => {
  const wrong = ((n: number) => n) as never;
  const ends = { toArray, first, count } as unknown as Record<string, typeof toArray>;
  for (const [name, run] of Object.entries(ends)) {
    const problem = `Cannot run ${name}: `;
    await assertRejects(() => run([1], wrong), TypeError, `${problem}stage 1 is a function`);
    await assertRejects(() => run(5 as never), TypeError, `${problem}source must be`);
    const pair = new TransformStream<number, number>();
    await run([1], pair);
    await assertRejects(() => run([1], pair), TypeError, `${problem}stage 1 is a pair`);
  }
});

test("an unknown option is answered with the one that was probably meant", () => {
  const meant: [wrong: () => unknown, name: string | undefined][] = [
    [() => parallel(() => 1, { concurency: 2 } as never), "concurrency"],
    [() => parallel(() => 1, { Ordered: true, concurrency: 1 } as never), "ordered"],
    [() => lines({ maxLenght: 2 } as never), "maxLength"],
    [() => batch(2, { maxWait: 2 } as never), "maxWaitMs"],
    [() => lines({ max: 2 } as never), undefined],
    [() => parallel(() => 1, { order: 2 } as never), "ordered"],
  ];
  for (const [wrong, name] of meant) {
    const { message } = assertThrows(wrong, TypeError, "unknown option");
    assertEquals(message.includes("; the options are "), name === undefined, message);
    assertEquals(/; did you mean "(\w+)"\?$/.exec(message)?.[1], name, message);
  }
});
