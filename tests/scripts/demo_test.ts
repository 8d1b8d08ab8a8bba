import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import process from "node:process";
import { test } from "node:test";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { readDemoCommand, showDemo } from "../../scenarios/demo/command.ts";
import { type ScriptEnd, startScript } from "../lib/start_script.ts";

const { name } = currentRuntime();

const start = (args: readonly string[], env: Record<string, string> = {}) =>
  startScript("scenarios/demo/command.ts", args, env);
const run = (...args: string[]): Promise<ScriptEnd> => start(args).ended;

interface Look {
  readonly isTerminal?: boolean;
  readonly isColoured?: boolean;
  readonly columns?: number;
}

async function show(args: readonly string[], look: Look = {}): Promise<string> {
  let text = "";
  await showDemo(readDemoCommand([...args, "--time-scale", "0"]), {
    isTerminal: false,
    isColoured: false,
    ...look,
    write: (piece) => void (text += piece),
  });
  return text;
}

const numbers = ["01", "02", "03", "04", "05", "06"];
const formats = ["log", "diagram", "live", "jsonl"];
const escapes = new RegExp("\x1b\\[[0-9;]*[A-Za-z]", "g");

test("every demo on every API in every format: plain when piped, within 60 columns, ends", async () => {
  for (const number of numbers) {
    for (const api of ["web", "node", "both"]) {
      for (const format of formats) {
        const args = [number, "--api", api, "--format", format];
        const piped = await show(args, { columns: 60 });
        assert(!piped.includes("\x1b"), args.join(" "));
        assert(piped.split("\n").length > 15 && piped.endsWith("\n"));
        if (format !== "jsonl") {
          const longest = Math.max(...piped.split("\n").map((line) => line.length));
          assert(longest <= 60, `${args.join(" ")}: ${longest} columns`);
        }
        const coloured = await show(args, { columns: 60, isTerminal: true, isColoured: true });
        if (format === "live") {
          assert(coloured.includes("\x1b[J"));
          continue;
        }
        assertEquals(coloured.includes("\x1b[3"), format !== "jsonl", args.join(" "));
        assertEquals(coloured.replace(escapes, ""), piped);
        // As with NO_COLOR: a terminal, and no colours.
        assertEquals(await show(args, { columns: 60, isTerminal: true }), piped);
      }
    }
  }
});

test("what happened is counted, for each API, and differs as the demos do", async () => {
  const story = async (...args: string[]) => {
    const text = await show(args);
    return text.slice(text.indexOf("What happened")).replace(/\s+/g, " ").trim();
  };
  assertEquals(
    await story("03"),
    "What happened: On Web Streams all 10 messages were read and 10 written, in 7.4 s. " +
      "Until the first write had ended, 8 messages had been read: readerOut 2 of 2, " +
      "transformerIn 2 of 2, transformerOut 2 of 2, writerIn 1 of 2, and 1 was being written. " +
      "A write was in flight 100 % of the time; readerOut was full, so that the source paused, " +
      "43 % of it.",
  );
  assertStringIncludes(await story("02", "--api", "both"), "On node streams 14 of 20 messages");
  assertStringIncludes(await story("04"), "20 messages had been read: readerOut 8 of 4,");
  const [five, six] = [await story("05"), await story("06")];
  for (const text of [five, six]) assertStringIncludes(text, "on average, 10 at most");
  const mean = (text: string) => Number(/([\d.]+) writes were in flight on average/.exec(text)![1]);
  assert(mean(five) < mean(six), `${five} ${six}`);
  assertStringIncludes(await story("03", "--messages", "3"), "all 3 messages");
});

test("without a number 03 runs live for some ten seconds, and says what to try next", async () => {
  const { demo, format, timeScale, api } = readDemoCommand([]);
  assertEquals([demo.number, format, timeScale, api], ["03", "live", 1.3, "web"]);
  assertEquals(readDemoCommand(["--format", "log", "--api", "both"]).format, "log");
  assertEquals(readDemoCommand(["03"]).format, "log");
  const text = await show([], { isTerminal: true, columns: 60 });
  assertStringIncludes(text, "\nTry next:\n  deno task demo 03 --api both");
  const commands = [...text.matchAll(/deno task demo (.*?) {2}/g)].map(([, args]) => args!.trim());
  for (const args of commands) {
    if (args !== "--help") readDemoCommand(args.split(" "));
  }
  assertEquals(commands.length, 4);
  assert(!(await show(["03"])).includes("Try next"));
});

test("log: the article's notation, with what push or desiredSize said", async () => {
  const node = (await show(["04", "--api", "node"])).split("\n");
  const start = node.indexOf("++++++++++ READ Start");
  assert(node[1]!.startsWith("Legend: ++ a read, ++++ a transform"));
  assertEquals(node.slice(start, start + 11), [
    "++++++++++ READ Start",
    "++ 1.01 Read push:true",
    "++ 1.02 Read push:true",
    "++ 1.03 Read push:true",
    "++ 1.04 Read push:false",
    "      reader backpressure",
    "++ 1.05 Read push:false",
    "++++ 1.01 Transform",
    "++++++ 1.01 Write 1:0",
    "      transformer 1.01 push:true",
    "      reader drain",
  ]);
  const end = node.indexOf("++++++++++ WRITE Final");
  assertEquals(node[end - 1], "------ 4.05 Write finished 0:20");
  assertEquals(node[end + 1], "");
  const web = (await show(["02"])).split("\n");
  const first = web.indexOf("++++++++++ READ Start") + 1;
  assertEquals(web.slice(first, first + 3).map((line) => line.replace(/:.*/, ":")), [
    ...["++ 1 Read desired:", "++ 2 Read desired:", "++ 3 Read desired:"],
  ]);
});

test("jsonl: the keys and types that programs rely on", async () => {
  for (const api of ["web", "node"]) {
    const lines = (await show(["01", "--api", api, "--format", "jsonl"])).trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line));
    assertEquals(lines.length, 43);
    for (const event of events) {
      assertEquals(Object.keys(event), ["seq", "timeMs", "stage", "event", "id", "occupancy"]);
      assertEquals(Object.keys(event.occupancy), [
        ...["readerOut", "transformerIn", "transformerOut", "writerIn", "writing", "written"],
      ]);
      assertEquals(typeof event.timeMs, "number");
      assertEquals(event.id === null, event.event === "end" || event.event === "final");
    }
    assertEquals(events[0].id, "1");
  }
  const both = (await show(["01", "--api", "both", "--format", "jsonl"])).trimEnd().split("\n")
    .map((line) => JSON.parse(line));
  assertEquals(both.length, 86);
  assertEquals(both.slice(0, 4).map(({ api, seq }) => `${api} ${seq}`), [
    ...["web 1", "node 1", "web 2", "node 2"],
  ]);
});

test("numbers are settable, and the seed decides the delays", async () => {
  const events = (await show([
    ...["03", "--messages", "7", "--hwm", "3", "--batch", "2", "--concurrency", "4"],
    ...["--api", "node", "--format", "jsonl", "--seed", "9"],
  ])).trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(events.filter(({ event }) => event === "written").length, 7);
  assertEquals(events[0].id, "1.01");
  assertEquals(Math.max(...events.map(({ occupancy }) => occupancy.writing)), 4);
  const end = async (seed: string) =>
    JSON.parse(
      (await show(["03", "--format", "jsonl", "--seed", seed])).trimEnd().split("\n").at(-1)!,
    )
      .timeMs;
  assertEquals(await end("5"), await end("5"));
  assert(await end("5") !== await end("6"));
});

test("the command, piped: plain, complete, in real time too", async () => {
  await Promise.all(formats.map(async (format) => {
    const args = ["03", "--api", "both", "--format", format, "--time-scale", "0.002"];
    const { code, stdout, stderr } = await start(args, { COLUMNS: "60" }).ended;
    assertEquals([code, stderr], [0, ""]);
    assert(!stdout.includes("\x1b"));
    if (format !== "jsonl") assert(stdout.split("\n").every((line) => line.length <= 60));
    assertStringIncludes(
      stdout,
      { log: "WRITE Final", jsonl: '"final"' }[format] ?? "writer ends",
    );
  }));
});

test("Ctrl-C ends it at once with exit code 130, and says nothing", async () => {
  const { child, ended } = start(["03", "--api", "both", "--time-scale", "100"]);
  await new Promise((resolve) => child.stdout!.once("data", resolve));
  // Not child.kill: under Deno that reports the signal even if the child handled it.
  process.kill(child.pid!, "SIGINT");
  const { code, stderr } = await ended;
  assertEquals([code, stderr], [130, ""]);
});

test("another runtime runs it with the same result", async () => {
  const other = name === "node" ? "deno" : "node";
  const args = ["04", "--api", "node", "--time-scale", "0", "--format=log"];
  const [here, there] = await Promise.all([run(...args), run(...args, "--runtime", other)]);
  assertEquals([there.code, there.stderr], [0, ""]);
  assertEquals(there.stdout, here.stdout);
});
