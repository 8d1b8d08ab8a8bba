import { recipesText } from "../../built.ts";

/** Code to begin with. */
export interface Example {
  readonly name: string;
  readonly code: string;
}

const native = `import { map } from "@hosepipe/streams";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let n = 0;

const numbers = new ReadableStream({
  pull(controller) {
    if (n < 30) controller.enqueue(++n);
    else controller.close();
  },
}, { highWaterMark: 4 });

const squares = new TransformStream(
  map((n) => n * n),
  { highWaterMark: 2 },
  { highWaterMark: 2 },
);

await numbers.pipeThrough(squares).pipeTo(
  new WritableStream({
    async write(square) {
      await pause(40);
      console.log(square);
    },
  }, { highWaterMark: 3 }),
);
console.log("done");
`;

const pipeline = `import { filter, map, parallel, pipeline } from "@hosepipe/streams";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function* visitors() {
  for (let n = 1; n <= 40; n++) {
    await pause(10);
    yield { n, name: "visitor " + n };
  }
}

const { chunksRead, chunksWritten } = await pipeline(
  visitors(),
  filter(({ n }) => n % 2 === 1),
  parallel(async ({ name }) => {
    await pause(30);
    return name.toUpperCase();
  }, { concurrency: 4 }),
  map((name, index) => index + 1 + ". " + name),
  (line) => console.log(line),
);
console.log(chunksRead, "read,", chunksWritten, "written");
`;

const failing = `import { map, pipeline } from "@hosepipe/streams";

await pipeline(
  ["1", "2", "three"],
  map((text) => {
    const number = Number(text);
    if (Number.isNaN(number)) {
      throw new RangeError(text + " is no number");
    }
    return number;
  }),
  (number) => console.log(number),
);
`;

const endless = `console.log("a loop that never ends: Stop ends it");

while (true);
`;

/** What the editor offers. */
export const examples: readonly Example[] = [
  { name: "pipeline and parallel", code: pipeline },
  { name: "Native streams", code: native },
  { name: "An error", code: failing },
  { name: "An endless loop", code: endless },
];

/** Those of the documentation. */
export const recipes: readonly Example[] = JSON.parse(recipesText);
