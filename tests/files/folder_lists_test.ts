import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { FolderLists } from "../../src/files/list_folder.ts";
import { turns } from "../lib/turns.ts";

/** Lists that are read when `end` is called, first come first. */
function heldLists() {
  const readings: (readonly [folder: string, numbers: readonly number[]])[] = [];
  const ends: ((error?: Error) => void)[] = [];
  let [open, most] = [0, 0];
  const lists = new FolderLists((names, numbers) => {
    readings.push([names.join("/"), numbers]);
    most = Math.max(most, ++open);
    const texts = new Map(numbers.filter((one) => one < 50).map((one) => [one, `${names} ${one}`]));
    return new Promise((resolve, reject) =>
      ends.push((error) => {
        open--;
        if (error === undefined) resolve(texts);
        else reject(error);
      })
    );
  });
  const end = async (error?: Error) => {
    ends.shift()!(error);
    await turns();
  };
  return { lists, readings, ends, end, most: () => most };
}

test("requests for a folder that waits to be read share one reading, and two are read at once", async () => {
  const { lists, readings, ends, end, most } = heldLists();
  const asked = Array.from({ length: 100 }, (_, index) => lists.read(["a"], 1 + index % 2));
  const other = lists.read(["b", "c"], 60);
  while (ends.length > 0) await end();
  assertEquals(
    await Promise.all(asked),
    Array.from({ length: 100 }, (_, index) => `a ${1 + index % 2}`),
  );
  assertEquals(await other, undefined);
  // The second began while the first was read; what was asked for after that is in one more.
  assertEquals(readings, [["a", [1]], ["a", [2]], ["a", [1, 2]], ["b/c", [60]]]);
  assertEquals(most(), 2);
  const later = lists.read(["a"], 1);
  await end();
  assertEquals(await later, "a 1");
  assertEquals(readings.length, 5);
});

test("a reading has at most 16 pages, and one that fails fails those alone", async () => {
  const { lists, readings, ends, end } = heldLists();
  const first = [lists.read(["x"], 1), lists.read(["y"], 1)];
  const asked = Array.from({ length: 40 }, (_, index) => lists.read(["a"], index + 1));
  await end();
  await end();
  await Promise.all(first);
  const failure = new Error("EIO");
  const settled = Promise.allSettled(asked);
  await end(failure);
  while (ends.length > 0) await end();
  assertEquals(readings.slice(2).map(([, numbers]) => numbers.length), [16, 16, 8]);
  const results = await settled;
  assertEquals(results.map(({ status }) => status === "rejected"), results.map((_, at) => at < 16));
});
