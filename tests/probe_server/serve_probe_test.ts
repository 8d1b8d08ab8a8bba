import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { compose, filter, map, pipeline, tap } from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { serveProbe } from "@hosepipe/streams/node";
import { commandOf } from "../../runtimes/descriptors.ts";
import { runProcess } from "../../runtimes/run_process.ts";
import { thisRuntime } from "../lib/this_runtime.ts";
import { turns } from "../lib/turns.ts";
import { askRaw, EventClient } from "./_event_client.ts";
import { inAddress, isOwnHost } from "../../src/probe_server/is_own_host.ts";
import { takeSnapshot } from "../../src/probe_server/shown.ts";
import { recorderOf } from "../../src/inspect/create_output.ts";
import { driven } from "../inspect/_by_hand.ts";

const cases: readonly [host: string, port: number, own: string[], other: (string | undefined)[]][] =
  [
    ["127.0.0.1", 80, ["127.0.0.1", "localhost", "127.0.0.1:80"], ["127.0.0.1:81", undefined, ""]],
    ["undefined", 80, ["undefined"], [undefined]],
    ["::1", 8080, ["[::1]:8080", "localhost:8080"], ["::1:8080", "[::1]", "[::2]:8080"]],
    ["localhost", 99, ["localhost:99", "127.0.0.1:99", "[::1]:99"], [
      "evil.example:99",
      "10.0.0.1:99",
    ]],
    ["box.lan", 99, ["box.lan:99", "BOX.LAN:99"], ["localhost:99", "127.0.0.1:99", "other.lan:99"]],
    ["10.0.0.7", 99, ["10.0.0.7:99"], ["localhost:99", "127.0.0.1:99", "10.0.0.8:99", "10.0.0.7"]],
    [
      "0.0.0.0",
      99,
      ["10.0.0.7:99", "localhost:99", "[fe80::1]:99"],
      ["evil.example:99", "10.0.0.7.evil.example:99", "1.2.3:99", "[zz]:99", "10.0.0.7:98"],
    ],
    ["::", 99, ["10.0.0.7:99", "[::1]:99"], ["evil.example:99", "[::1", "[evil.example]:99"]],
  ];

test("a Host is the server's own by name and port, and never by another's name", () => {
  for (const [host, port, own, other] of cases) {
    for (const header of own) {
      assertEquals(isOwnHost(header, host, port), true, `${host} ${header}`);
    }
    for (const header of other) {
      assertEquals(isOwnHost(header, host, port), false, `${host} ${header}`);
    }
  }
  const hosts = ["::1", "127.0.0.1", "localhost"];
  assertEquals(hosts.map(inAddress), ["[::1]", "127.0.0.1", "localhost"]);
});

test("a snapshot says of each stage what it has done, what it does and for how much of the time", () => {
  const run = driven({ isSync: false });
  for (let n = 0; n < 2; n++) run.pull();
  run.transform();
  run.write();
  run.work(4);
  run.transform();
  run.source.cancel("enough");
  const snapshot = takeSnapshot(recorderOf("test", run.look), undefined);
  const { summary, buffers } = snapshot;
  const stage = (name: string, rest: object) => ({ name, kind: name, ...rest });
  assertEquals(snapshot, {
    ...{ name: "pipeline", isOver: false, summary: run.look.bottleneck().summary },
    buffers: run.look.buffers(),
    stages: [
      stage("reader", { done: 2, inFlight: 0, isPaused: true, state: "failed", busyShare: 0.21 }),
      stage("transformer", {
        done: 2,
        inFlight: 0,
        isPaused: true,
        state: "running",
        busyShare: 0.32,
      }),
      stage("writer", { done: 0, inFlight: 1, isPaused: false, state: "running", busyShare: 0.63 }),
    ] as never,
  });
  assertEquals([summary.length > 0, buffers.length], [true, 4]);
  run.stage.flush(run.changed as never);
  assertEquals(takeSnapshot(recorderOf("test", run.look), undefined).stages[1]!.state, "over");
});

test("texts of chunks and reasons are shown up to 200 characters", () => {
  for (const length of [199, 200, 201]) {
    const run = driven();
    const recorder = recorderOf("test", run.look);
    recorder.chunkWatchers = 1;
    const text = "x".repeat(length);
    const shown = length > 200 ? `${"x".repeat(200)}…` : text;
    const stageOf = (show: (chunk: unknown) => string) => takeSnapshot(recorder, show).stages;
    assertEquals(stageOf(() => text).map(({ chunk }) => chunk), [undefined, undefined, undefined]);
    run.pull();
    run.transform();
    run.write();
    run.source.cancel(text);
    assertEquals(stageOf(() => text).map(({ chunk, reason }) => [chunk, reason]), [
      [shown, shown],
      [shown, undefined],
      [shown, undefined],
    ]);
    assertEquals(stageOf(String).map(({ chunk }) => chunk), ["1", "1", "10"]);
    assertEquals(
      stageOf(() => {
        throw new Error("no");
      })[0]!.chunk,
      "show failed: no",
    );
    assertEquals(
      stageOf(() => {
        throw undefined;
      })[0]!.chunk,
      "show failed: not with an Error",
    );
  }
});

/** A source that has two chunks in its queue of four, and waits. */
function waiting(look: ReturnType<typeof probe>): ReadableStream<string> {
  const strategy = { highWaterMark: 4 };
  return new ReadableStream(
    look.reader<string>({
      start(controller) {
        controller.enqueue("first secret");
        controller.enqueue("last secret");
      },
    }, { strategy }),
    strategy,
  );
}

test("a page that is opened late sees what is there", async () => {
  const look = probe({ name: "orders" });
  const readable = waiting(look);
  await turns();
  const { url, close } = await serveProbe(look);
  assert(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/.test(url), url);
  const page = await EventClient.open(url);
  const { skipped, state } = await page.state();
  assertEquals([skipped, state.name, state.isOver], [0, "orders", false]);
  assertEquals(state.stages.map(({ name, done, state }) => [name, done, state]), [
    ["reader", 2, "running"],
  ]);
  assertEquals(
    state.buffers.map(({ kind, count, highWaterMark, desiredSize }) => [
      ...[kind, count, highWaterMark, desiredSize],
    ]),
    [["readerOut", 2, 4, 2]],
  );
  await readable.cancel();
  const { state: after } = await page.until(({ state }) => state.isOver);
  assertEquals(after.stages[0]!.state, "failed");
  await close();
  assertEquals(await page.next(), "event: bye\ndata:");
  assertEquals(await page.next(), undefined);
});

test("a page follows a pipeline to its end, and says what bottleneck() says", async () => {
  const look = probe();
  const { url, close } = await serveProbe(look);
  const page = await EventClient.open(url);
  const done = pipeline(look.reader([1, 2, 3]), look.writer(() => turns(2)));
  const { state } = await page.until(({ state }) => state.isOver);
  await done;
  assertEquals(state.stages.map(({ done }) => done), [3, 3]);
  assertEquals(state.summary, look.bottleneck().summary);
  await close();
});

test("the page is one document that loads nothing and may be framed by none", async () => {
  const { url, close } = await serveProbe(probe());
  const response = await fetch(url);
  const html = await response.text();
  assertEquals(response.status, 200);
  const policy = response.headers.get("content-security-policy")!;
  assertStringIncludes(policy, "default-src 'none'");
  assertStringIncludes(policy, "frame-ancestors 'none'");
  assert(!/src=|@import|https?:/.test(html));
  for (const [, nonce] of html.matchAll(/nonce="([^"]+)"/g)) assertStringIncludes(policy, nonce!);
  assertEquals((await (await fetch(url)).text()) === html, false);
  await close();
});

test("only the server's own Host is answered, at its own address", async () => {
  const { url, close } = await serveProbe(probe());
  const { port, pathname } = new URL(url);
  const own = `Host: localhost:${port}\r\n`;
  const evil = "Host: evil.example\r\n";
  const wrong = async (head: string, path = pathname, method = "GET", version = "1.1") => {
    const text = `${method} ${path} HTTP/${version}\r\n${head}Connection: close\r\n\r\n`;
    const status = Number((await askRaw(url, text)).split(" ")[1]);
    return status === 200 ? undefined : status;
  };
  for (const path of ["", "events", "recording.jsonl", "runs.txt"]) {
    for (
      const head of [
        ...[evil, `${own}Sec-Fetch-Site: cross-site\r\n`, `${own}Origin: http://evil.example\r\n`],
        ...[`Host: localhost:0${port}0\r\n`, `Host: evil@localhost:${port}\r\n`],
      ]
    ) {
      const status = await wrong(head, `${pathname}${path}`);
      assert(status === 403 || status === 400, `${head} ${path}: ${status}`);
    }
  }
  for (const head of ["Host:\r\n", `${own}${evil}`, `${evil}${own}`]) {
    const status = await wrong(head);
    assert(status === 403 || status === 400, `${head}: ${status}`);
  }
  assertEquals(await wrong("", pathname, "GET", "1.0"), 403);
  assertEquals(await wrong(`${own}Origin: null\r\n`), 403);
  assertEquals(await wrong(own, pathname, "POST"), 405);
  for (
    const more of [
      ...["", `Origin: http://localhost:${port}\r\n`, "Sec-Fetch-Site: same-origin\r\n"],
      ...["Sec-Fetch-Site: none\r\n", "Sec-Fetch-Site: same-site\r\n"],
    ]
  ) {
    assertEquals(await wrong(own + more), undefined, more);
  }
  const other = pathname.replaceAll(/[0-9a-f]/g, (digit) => digit === "0" ? "1" : "0");
  for (
    const path of [
      ...["/", "/events", "/recording.jsonl", "/runs.txt", other, `${other}events`, "/..", "*"],
      ...[pathname.slice(0, -1), `${pathname}events/`, `/${pathname}events`, `${pathname}..`],
      `http://evil.example${pathname}`,
    ]
  ) {
    const status = await wrong(own, path);
    assert(status === 404 || status === 400, `${path}: ${status}`);
  }
  await close();
});

test("what is in chunks is not shown, by no name and no reason", async () => {
  const look = probe({ identify: (chunk) => `the ${chunk}` });
  const readable = waiting(look);
  const sink = look.writer<string>({
    write(chunk) {
      throw new SyntaxError(`not JSON: ${chunk}`);
    },
  });
  const { url, close } = await serveProbe(look);
  const page = await EventClient.open(url);
  await readable.pipeTo(new WritableStream(sink)).catch(() => {});
  const { state } = await page.until(({ state }) => state.isOver);
  assertEquals(state.stages.map(({ state }) => state), ["failed", "failed"]);
  assert(!/secret|JSON/.test(page.all), page.all);
  const recording = await (await fetch(new URL("recording.jsonl", url))).text();
  assert(!/secret|JSON/.test(recording), recording);
  const plain = look.events().map(({ reason: _, ...event }) =>
    event.id === undefined ? event : { ...event, id: "1" }
  );
  const [header, ...events] = recording.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(header.format, "hosepipe-probe");
  assertEquals(
    events.map((event) => event.id === undefined ? event : { ...event, id: "1" }),
    JSON.parse(JSON.stringify(plain)),
  );
  assertEquals(new Set(events.map(({ id }) => id)), new Set(["1", "2", undefined]));
  await close();
});

test("with show, the last chunk of each stage and reasons are shown", async () => {
  const look = probe();
  const { url, close } = await serveProbe(look, { show: (chunk: string) => `<b>${chunk}</b>` });
  const readable = waiting(look);
  const page = await EventClient.open(url);
  const { state } = await page.until(({ state }) => state.stages.length > 0);
  assertEquals(state.stages[0]!.chunk, "<b>last secret</b>");
  await readable.cancel(undefined);
  const { state: after } = await page.until(({ state }) => state.isOver);
  assertEquals([after.stages[0]!.state, after.stages[0]!.reason], ["failed", "undefined"]);
  const recording = await fetch(new URL("recording.jsonl", url));
  assertEquals(await recording.text(), look.toJsonLines());
  await close();
});

test("two servers may show one probe, and each end of one leaves the other", async () => {
  const look = probe();
  const [one, other] = [await serveProbe(look), await serveProbe(look, { show: String })];
  await one.close();
  await one.close();
  const readable = waiting(look);
  const page = await EventClient.open(other.url);
  assertEquals((await page.state()).state.stages[0]!.chunk, "last secret");
  await other.close();
  await assertRejects(() => fetch(other.url));
  await readable.cancel();
});

test("what keeps it from listening is said, and what uses its port goes on", async () => {
  const { url, close } = await serveProbe(probe());
  const port = Number(new URL(url).port);
  const inUse = await assertRejects(() => serveProbe(probe(), { port }), Error);
  assertEquals(inUse.message, `Cannot serve probe: 127.0.0.1:${port}: the port is in use`);
  assertEquals((await fetch(url)).status, 200);
  await close();
  // An address that is set aside for documents: no machine has it.
  const error = await assertRejects(() => serveProbe(probe(), { host: "192.0.2.1" }), Error);
  const { message } = error.cause as Error;
  assert(message.length > 0);
  assertEquals(error.message, `Cannot serve probe: 192.0.2.1:0: ${message}`);
  // Something else may listen at the last port, which is one, too.
  const last = await serveProbe(probe(), { port: 65_535 }).then(({ close }) => close(), String);
  if (last !== undefined) {
    assertStringIncludes(last, "Error: Cannot serve probe: 127.0.0.1:65535: ");
  }
});

test("bad options, and what is no probe, are refused", async () => {
  const refused: [options: unknown, kind: typeof TypeError | typeof RangeError, text: string][] = [
    [null, TypeError, "options must be an object"],
    [{ prot: 1 }, TypeError, 'unknown option "prot"; did you mean "port"?'],
    [{ port: "80" }, TypeError, 'port must be a non-negative integer, got "80"'],
    [{ port: -1 }, RangeError, "port must be a non-negative integer, got -1"],
    [{ port: 1.5 }, RangeError, "port must be a non-negative integer, got 1.5"],
    [{ port: 65_536 }, RangeError, "port must be at most 65535, got 65536"],
    [{ host: 1 }, TypeError, "host must be an address or a name, got 1"],
    [{ host: "" }, TypeError, "host must be an address or a name"],
    [{ show: "all" }, TypeError, 'show must be a function, got "all"'],
  ];
  for (const [options, kind, text] of refused) {
    await assertRejects(() => serveProbe(probe(), options as never), kind, `serve probe: ${text}`);
  }
  for (const other of [undefined, null, {}, "", { ...probe() }]) {
    await assertRejects(
      () => serveProbe(other as never),
      TypeError,
      "Cannot serve probe: the probe must be made by probe(), got",
    );
  }
});

test("a process whose pages are open, one of them stuck, ends when it closes the server", async () => {
  const script = fileURLToPath(new URL("_closing_process.ts", import.meta.url));
  const [command, ...args] = commandOf(thisRuntime, script);
  const { code, stdout, output } = await runProcess(command, args, { timeoutMs: 60_000 });
  assertEquals([code, stdout], [0, "closed\n"], output);
});

test("a server that listens everywhere names this machine", async () => {
  const { url, close } = await serveProbe(probe(), { host: "0.0.0.0" });
  assert(/^http:\/\/localhost:\d+\/[0-9a-f]{32}\/$/.test(url), url);
  assertEquals((await fetch(url.replace("localhost", "127.0.0.1"))).status, 200);
  await close();
});

test("every answer says what it is, and that it is not to be kept or embedded", async () => {
  const { url, close } = await serveProbe(probe());
  const typeOf = async (path: string, method = "GET") => {
    const response = await fetch(new URL(path, url), { method });
    const { headers, status } = response;
    await response.body?.cancel();
    assertEquals([
      headers.get("cache-control"),
      headers.get("cross-origin-resource-policy"),
      headers.get("referrer-policy"),
      headers.get("x-content-type-options"),
    ], ["no-store", "same-origin", "no-referrer", "nosniff"]);
    return [
      status,
      headers.get("content-type"),
      headers.get("content-disposition"),
      headers.get("allow"),
    ];
  };
  const saved = 'attachment; filename="hosepipe-recording.jsonl"';
  assertEquals(await typeOf(""), [200, "text/html; charset=utf-8", null, null]);
  assertEquals(await typeOf("recording.jsonl"), [
    200,
    "application/jsonl; charset=utf-8",
    saved,
    null,
  ]);
  assertEquals(await typeOf("events"), [200, "text/event-stream; charset=utf-8", null, null]);
  assertEquals(await typeOf("other"), [404, "text/plain; charset=utf-8", null, null]);
  assertEquals(await typeOf("", "POST"), [405, "text/plain; charset=utf-8", null, "GET"]);
  await close();
});

test("the page lists the runs that have not ended", async () => {
  const { url, close } = await serveProbe(probe());
  const controller = new AbortController();
  const run = pipeline([1], function save() {
    return new Promise(() => {});
  }, { signal: controller.signal }).catch(() => {});
  const text = await (await fetch(new URL("runs.txt", url))).text();
  assertStringIncludes(text, "sink, save: its write 1 has not settled");
  controller.abort();
  await run;
  assertEquals(await (await fetch(new URL("runs.txt", url))).text(), "No run is pending");
  await close();
});

test("a run without a probe is shown by its name: what it counts, and what it waits for", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const write = (n: number) => n === 4 ? promise : undefined;
  const odd = filter((n: number) => n % 2 === 0);
  const run = pipeline([1, 2, 3, 4, 5], compose(odd, map((n) => n)), tap(() => {}), write, {
    runName: "import",
  });
  await turns();
  const { url, close } = await serveProbe("import");
  const page = await EventClient.open(url);
  const { state } = await page.state();
  assertEquals([state.name, state.isOver, state.summary], [
    "import",
    false,
    "It waits for sink, write: its write 2 has not settled.",
  ]);
  assertEquals(state.stages.map(({ name, done }) => [name, done]), [
    ["Array", 4],
    ["1.1 filter", 4],
    ["1.2 map", 2],
    ["2 tap", 2],
    ["write", 1],
  ]);
  assertEquals((await fetch(`${url}recording.jsonl`)).status, 404);
  resolve();
  await run;
  const { state: after } = await page.until(({ state }) => state.isOver);
  assertEquals(after.summary, "The run has ended; this is the last that was seen.");
  await close();
});

test("a run that is not there is waited for; of several the last one is shown", async () => {
  const { url, close } = await serveProbe("import");
  const page = await EventClient.open(url);
  const { state } = await page.state();
  assertEquals([state.isOver, state.summary, state.stages], [
    false,
    "No run of this name is pending.",
    [],
  ]);
  const controller = new AbortController();
  const { signal } = controller;
  const never = () => new Promise<void>(() => {});
  const runs = [
    pipeline([1], never, { runName: "import", signal }),
    pipeline(new Blob(["text"]).stream().pipeThrough(new TextDecoderStream()), never, {
      runName: "import",
      signal,
    }),
  ];
  const { state: shown } = await page.until(({ state }) => state.stages.length > 0);
  assertEquals(shown.stages[0]!.name, "ReadableStream");
  controller.abort();
  await Promise.allSettled(runs);
  await close();
});
