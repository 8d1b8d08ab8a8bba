import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { UsageError } from "../../scenarios/command_line/usage_error.ts";
import { site } from "../../scripts/site.ts";
import { inFolder } from "../lib/in_folder.ts";
import { printed } from "./_printed.ts";

const never = new AbortController().signal;

test("the site is written to a folder, and served until the command is ended", () =>
  inFolder(async (folder) => {
    const out = join(folder, "a", "public");
    const [said] = await printed(() => site(["--out", out], never));
    assertMatch(said!, /index\.html: \d+ pages$/);
    const page = await readFile(join(out, "reference/streams/map.html"), "utf8");

    const stop = new AbortController();
    const answers: [number, string | null][] = [];
    const guards = new Set<string>();
    let served = "";
    let asked: Promise<void> | undefined;
    await printed(() => site(["--port", "0"], stop.signal), (line) => {
      asked ??= (async () => {
        const origin = line.split(" ")[0]!;
        for (const path of ["", "reference/", "site.css", "site.js?a", "images/hose.svg", "no"]) {
          const response = await fetch(origin + path);
          await response.body?.cancel();
          const { headers } = response;
          guards.add(
            `${headers.get("x-content-type-options")}; ${headers.get("content-security-policy")}`,
          );
          answers.push([response.status, response.headers.get("content-type")]);
        }
        served = await (await fetch(`${origin}reference/streams/map.html`)).text();
      })().finally(() => stop.abort());
    });
    await asked;
    const html: [number, string] = [200, "text/html; charset=utf-8"];
    assertEquals(answers, [
      html,
      html,
      [200, "text/css; charset=utf-8"],
      [200, "text/javascript; charset=utf-8"],
      [200, "image/svg+xml"],
      [404, "text/plain"],
    ]);
    assertEquals(guards, new Set(["nosniff; frame-ancestors 'self'"]));
    assert(served === page);

    await writeFile(join(folder, "file"), "");
    await assertRejects(() => site(["--out", join(folder, "file")], never), UsageError, "file");
  }));
