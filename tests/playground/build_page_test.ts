import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { buildPage } from "../../scripts/playground/build_page.ts";

test("the playground is one page of less than 150 KB that asks for nothing else", async () => {
  const page = await buildPage();
  const size = gzipSync(page).length;
  assert(size < 150_000, `${size} bytes gzipped`);
  assertMatch(page, /^<!doctype html>\n<html lang="en">/);
  assertMatch(page, /default-src 'none'/);
  const head = page.slice(0, page.indexOf("<style>"));
  assertEquals(head.match(/(?:src|href)="(?!data:)[^"]*"/g), null);
  assertEquals(page.match(/<script\b[^>]*>/g)!.length, 1);
  assertEquals(page.match(/<\/script>/g)!.length, 1);
  assertEquals(page.includes("@import"), false);
});
