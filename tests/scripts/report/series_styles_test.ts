import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { contestants as copyLines } from "../../../bench/copy_lines/contestants.ts";
import { contestants as memory } from "../../../bench/memory/contestants.ts";
import { seriesStyles } from "../../../scripts/report/series_styles.ts";

const names = [...new Set([...copyLines, ...memory].map(({ name }) => name))];

test("no two contestants look the same, even without colour", () => {
  const styles = seriesStyles(names);
  assertEquals(styles.size, names.length);
  const looks = [...styles.values()].map(({ shape, dash }) => `${shape} ${dash}`);
  assertEquals(new Set(looks).size, names.length);
});

test("a contestant that everybody knows looks the same whoever else is there", () => {
  const alone = seriesStyles(["fuse"]).get("fuse");
  assertEquals(seriesStyles(["webby", ...names, "zebra"]).get("fuse"), alone);
});

test("a dozen strangers are told apart too", () => {
  const strangers = Array.from({ length: 13 }, (_, index) => `batch-${index}`);
  const looks = [...seriesStyles(strangers).values()].map((style) => JSON.stringify(style));
  assertEquals(new Set(looks).size, strangers.length);
});

test("strangers get a style too, each another, whatever the order", () => {
  const one = seriesStyles(["zebra", "web_file", "aardvark"]);
  const other = seriesStyles(["aardvark", "zebra", "web_file"]);
  assertEquals([...one].sort(), [...other].sort());
  assert(one.get("zebra")!.shape !== one.get("aardvark")!.shape);
  assertEquals(one.get("web_file")!.colour, seriesStyles(["web"]).get("web")!.colour);
});
