import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { hosePicture } from "../../../scripts/documents/hose_picture.ts";

test("the picture shows what the demo's events say, the same each time", async () => {
  const picture = await hosePicture();
  assertEquals(await hosePicture(), picture);
  assertStringIncludes(
    picture,
    '<desc id="hose-description">readerOut holds 8, its mark is 4; transformerIn holds 4, its ' +
      "mark is 4; transformerOut holds 4, its mark is 4; writerIn holds 4, its mark is 4; pipeline has read 1.</desc>",
  );
  const count = (kind: string) => picture.split(`class="slot ${kind}"`).length - 1;
  assertEquals([count("full"), count("held"), count("over")], [15, 1, 4]);
  for (const name of ["readerOut", "transformerIn", "transformerOut", "writerIn"]) {
    assertStringIncludes(picture, `>${name}</text>`);
  }
});

test("it has colours for day and night, no ground of its own, and loads nothing", async () => {
  const picture = await hosePicture();
  assertStringIncludes(picture, "@media (prefers-color-scheme: dark)");
  const width = /<svg [^>]*width="(\d+)"/.exec(picture)![1]!;
  assert(!picture.includes(`width="${width}" height="150" fill`));
  assert(
    ![...picture.matchAll(/<rect [^>]*width="(\d+)"/g)].some(([, wide]) => Number(wide) > 200),
  );
  assert(!/href|<image|@import|url\(/.test(picture));
});
