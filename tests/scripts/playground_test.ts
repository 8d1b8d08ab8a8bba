import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { UsageError } from "../../scenarios/command_line/usage_error.ts";
import { parseResponse, rawRequest } from "../files/raw_request.ts";
import { playground } from "../../scripts/playground.ts";
import { printed } from "./_printed.ts";

const never = new AbortController().signal;

test("the page is written to a folder, and served until the command is ended", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-playground-"));
  try {
    const out = join(folder, "a", "site");
    const [said] = await printed(() => playground(["--out", out], never));
    assertMatch(said!, /index\.html: \d+ KB, \d+ KB gzipped$/);
    const page = await readFile(join(out, "index.html"), "utf8");

    const stop = new AbortController();
    const answers: [number, string | null, string][] = [];
    const foreign: number[] = [];
    let asked: Promise<void> | undefined;
    await printed(
      () => playground(["--port", "0", "--allow-host", "my.example"], stop.signal),
      (line) => {
        asked ??= (async () => {
          const origin = line.split(" ")[0]!;
          for (const host of ["evil.example", "my.example:80", "x/y?"]) {
            const text = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
            const bytes = await rawRequest(Number(new URL(origin).port), text);
            foreign.push(parseResponse(bytes).status);
          }
          for (const path of ["", "index.html?a", "nothing"]) {
            const response = await fetch(origin + path);
            const text = await response.text();
            answers.push([response.status, response.headers.get("content-type"), text]);
          }
        })().finally(() => stop.abort());
      },
    );
    await asked;
    assertEquals(foreign, [421, 200, 400]);
    const html = "text/html; charset=utf-8";
    assertEquals(answers.map(([status, type]) => [status, type]), [
      [200, html],
      [200, html],
      [404, "text/plain"],
    ]);
    assertEquals(answers[0]![2], page);

    await writeFile(join(folder, "file"), "");
    await assertRejects(
      () => playground(["--out", join(folder, "file")], never),
      UsageError,
      "file",
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
