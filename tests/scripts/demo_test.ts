import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { spawn } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { UsageError } from "../../scripts/command_line/usage_error.ts";
import { readDemoCommand, showDemo } from "../../scripts/demo.ts";

const script = fileURLToPath(new URL("../../scripts/demo.ts", import.meta.url));
const hook = new URL("../../node_compat/register.mjs", import.meta.url).href;
const { name } = currentRuntime();
const before = { deno: ["run", "-A", "--no-check"], bun: ["run"], node: ["--import", hook] }[name];

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...before, script, ...args], {
    env: {
      ...process.env,
      [`HOSEPIPE_${name.toUpperCase()}`]: process.execPath,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => stdout += data);
  child.stderr.on("data", (data) => stderr += data);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

const run = (...args: string[]): Promise<Ended> => start(args).ended;

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

test("live without a terminal is the diagram", async () => {
  for (const api of ["web", "both"]) {
    const args = ["03", "--api", api, "--format"];
    assertEquals(await show([...args, "live"]), await show([...args, "diagram"]));
  }
});

test("live ends with the last state of either API, with its counts", async () => {
  const text = await show(["03", "--api", "both", "--format", "live"], {
    isTerminal: true,
    columns: 60,
  });
  const last = text.slice(text.lastIndexOf("\x1b[J") + 3).split("\n");
  assertEquals(last.length, 9);
  assertEquals([last[0], last[4]], ["web, event 43, 7.4 s", "node, event 43, 7.4 s"]);
  assertEquals(last[3], "writing 0, written 10 (1.4/s)");
});

test("log: the article's notation, with what push or desiredSize said", async () => {
  const node = (await show(["04", "--api", "node"])).split("\n");
  assertEquals(node.slice(0, 11), [
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
  assertEquals(node.slice(-3), [
    "------ 4.05 Write finished 0:20",
    "++++++++++ WRITE Final",
    "",
  ]);
  const web = (await show(["02"])).split("\n");
  assertEquals(web.slice(1, 4).map((line) => line.replace(/:.*/, ":")), [
    ...["++ 1 Read desired:", "++ 2 Read desired:", "++ 3 Read desired:"],
  ]);
});

test("both: equal event numbers stand side by side", async () => {
  const rows = (await show(["03", "--api", "both"], { columns: 60 })).split("\n");
  assertMatch(rows[0]!, /^ +WEB +\| NODE$/);
  const numbered = rows.filter((row) => /^ *\d+ /.test(row));
  assertEquals(numbered.map((row) => parseInt(row)), Array.from({ length: 43 }, (_, i) => i + 1));
  const sides = (row: string) => row.slice(4).split("|").map((side) => side.trim());
  const events = async (api: string) =>
    (await show(["03", "--api", api])).split("\n").filter((line) => /^[+-]/.test(line)).slice(1);
  const [web, node] = [await events("web"), await events("node")];
  numbered.forEach((row, index) => {
    const [left, right] = sides(row);
    assert(web[index]!.startsWith(left!) && node[index]!.startsWith(right!), row);
  });
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

const refusals: readonly (readonly [args: readonly string[], message: string])[] = [
  [[], "Choose one demo of 01, 02, 03, 04, 05, 06, got none"],
  [["07"], "Choose one demo of 01, 02, 03, 04, 05, 06, got 07"],
  [["01", "02"], "Choose one demo of 01, 02, 03, 04, 05, 06, got 01 02"],
  [
    ["3", "--hwm", "0"],
    "--hwm must be at least 1 on Web Streams, got 0: a writable side with highWaterMark 0 never asks for a chunk",
  ],
  [["01", "--api", "deno"], "--api must be one of web, node, both, got deno"],
  [["01", "--format", "xml"], "--format must be one of log, diagram, live, jsonl, got xml"],
  [["01", "--runtime", "edge"], "--runtime must be one of deno, bun, node, got edge"],
  [["01", "--hwm=-1"], '--hwm must be an integer from 0 to 1000, got "-1"'],
  [["01", "--concurrency", "0"], '--concurrency must be an integer from 1 to 1000, got "0"'],
  [["01", "--batch", "x"], '--batch must be an integer from 1 to 1000, got "x"'],
  [["01", "--time-scale", "fast"], '--time-scale must be a number from 0 to 100, got "fast"'],
  [["01", "--time-scale=-1"], '--time-scale must be a number from 0 to 100, got "-1"'],
];

test("bad flags are refused with the choices there are", () => {
  for (const [args, message] of refusals) {
    assertEquals(assertThrows(() => readDemoCommand(args), UsageError).message, message);
  }
  assertStringIncludes(
    assertThrows(() => readDemoCommand(["01", "--speed", "2"]), UsageError).message,
    "Unknown flag --speed; the flags are --api, --runtime, --hwm,",
  );
});

test("the command: exit codes, help, one line on stderr", async () => {
  const bad = await run("01", "--format", "xml");
  assertEquals(bad, {
    ...{ code: 2, stdout: "" },
    stderr: "--format must be one of log, diagram, live, jsonl, got xml\n",
  });
  const help = await run("--help");
  assertEquals([help.code, help.stderr], [0, ""]);
  assertStringIncludes(help.stdout, "Usage: deno task demo 01..06 [flags]");
  for (const number of numbers) assertStringIncludes(help.stdout, `  ${number}  `);
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
      { log: "WRITE Final", jsonl: '"final"' }[format] ?? "writer final",
    );
  }));
});

test("Ctrl-C ends it at once with exit code 130, and says nothing", async () => {
  const { child, ended } = start(["03", "--api", "both", "--time-scale", "100"]);
  await new Promise((resolve) => child.stdout.once("data", resolve));
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

test("demo 3 is demo 03, and its diagram has room for any label", async () => {
  let text = "";
  const command = readDemoCommand(
    ["3", "--messages", "1000", "--time-scale", "0", "--format", "diagram"],
  );
  await showDemo(command, {
    write: (piece) => void (text += piece),
    isTerminal: false,
    isColoured: false,
  });
  assertEquals(command.demo.number, "03");
  assertMatch(text, /\n\d+ written 1000 +\|/);
});
