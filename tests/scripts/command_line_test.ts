import { chmod, mkdir, open, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { fileURLToPath } from "node:url";
import { checkWritable } from "../../scenarios/command_line/check_writable.ts";
import {
  HelpRequest,
  parseCommandLine,
  resolvePath,
  UsageError,
} from "../../scenarios/command_line/parse_command_line.ts";
import { watchUntilGone } from "../../scenarios/command_line/run_command.ts";
import { inFolder } from "../lib/in_folder.ts";

const long = "word ".repeat(30).trim();

function parse(...args: string[]) {
  return parseCommandLine(args, {
    command: "thing",
    about: `Does things: ${long}\nand others.\n  1  a list\n  2  of two\nThen it ends.`,
    flags: {
      quick: { kind: "boolean", about: "be quick" },
      file: { kind: "text", about: long },
      color: { kind: "list", about: "colours", choices: ["red", "green", "blue"] },
      param: { kind: "texts", about: "a parameter" },
      seed: { kind: "integer", about: "a seed", maximum: 99 },
    },
    examples: ["thing --quick", `thing --file ${"b".repeat(90)}`],
  });
}

const nothing = {
  quick: false,
  file: undefined,
  color: undefined,
  param: [],
  seed: undefined,
  _: [],
};

test("a command line is read as it stands: values, lists, numbers that are text, what is not given", () => {
  const read: [args: string[], found: object][] = [
    [[], {}],
    [["--quick", "--file", "a b", "--color=red,blue", "--color", "green,red", "--seed=7"], {
      quick: true,
      file: "a b",
      color: ["red", "blue", "green"],
      seed: 7,
    }],
    [["--param", "a=1,2", "--param=b=-3", "--file", "x", "--file", "0012"], {
      param: ["a=1,2", "b=-3"],
      file: "0012",
    }],
  ];
  for (const [args, found] of read) assertEquals(parse(...args), { ...nothing, ...found });
  const { _ } = parseCommandLine(["01", "--", "--file"], {
    command: "thing",
    about: "",
    flags: {},
    positional: "NN",
    examples: ["thing 01", "thing 02"],
  });
  assertEquals(_, ["01", "--file"]);
});

test("what is wrong with a command line is said with what would be right", () => {
  const flags = "the flags are --quick, --file, --color, --param, --seed, --help";
  const seed = "--seed must be an integer from 0 to 99, got";
  const refused: Readonly<Record<string, string>> = {
    "--verbose=9": `Unknown flag --verbose; ${flags}`,
    "-x": `Unknown flag -x; ${flags}`,
    "--speed=9": "Unknown flag --speed; did you mean --seed?",
    "--colour": "Unknown flag --colour; did you mean --color?",
    "--sede": "Unknown flag --sede; did you mean --seed?",
    "-seed 1": "Unknown flag -seed; did you mean --seed?",
    "--no-quick": `Unknown flag --no-quick; ${flags}`,
    "--quick fast": `Unknown argument fast; ${flags}`,
    "-_": `Unknown flag -_; ${flags}`,
    "--_=1": `Unknown flag --_; ${flags}`,
    "--constructor": `Unknown flag --constructor; ${flags}`,
    "-h_": `Unknown flag -h_; ${flags}`,
    "-- -_": `Unknown argument -_; ${flags}`,
    "--color red,pink": "--color must be one of red, green, blue, got pink",
    "--color ,": "--color needs a value: colours",
    "--quick=yes": "--quick takes no value",
    "--file": `--file needs a value: ${long}`,
    "--file=": `--file needs a value: ${long}`,
    "--seed --quick": "--seed needs a value: a seed",
    ...Object.fromEntries(
      ["x", "-1", "1.5", "100", "1e1", "0x1"].map((
        text,
      ) => [`--seed=${text}`, `${seed} "${text}"`]),
    ),
  };
  for (const [line, message] of Object.entries(refused)) {
    assertEquals(assertThrows(() => parse(...line.split(" ")), UsageError).message, message);
  }
});

test("--help fits 80 columns, but for examples, which end it, and keeps lists of its own", () => {
  const { message } = assertThrows(() => parse("--help"), HelpRequest);
  const [text, examples] = message.split("\n\nExamples:\n") as [string, string];
  assertEquals(text.split("\n").filter(({ length }) => length > 80), []);
  assert(text.includes("and others.\n  1  a list\n  2  of two\nThen it ends.\n"));
  assertMatch(text, /\(red, green, blue\)/);
  assertMatch(examples, /^ {2}thing --quick\n {2}thing --file b+$/);
});

const isWindows = process.platform === "win32";

test("a file can be written, also through a link, and is not touched by the asking; what cannot is refused", () =>
  inFolder(async (folder) => {
    const at = (name: string) => join(folder, name);
    await writeFile(at("old"), "kept");
    await mkdir(at("inner"));
    for (const name of ["old", "new"]) {
      assertEquals(await checkWritable("--json", at(name)), at(name));
    }
    const refused: [path: string, reason: string][] = [
      [at("inner"), "it is a directory"],
      [at("missing/new"), "no such folder"],
      [at("old/new"), "no such folder"],
    ];
    if (!isWindows) {
      await symlink("old", at("link"));
      assertEquals(await checkWritable("--json", at("link")), at("old"));
      if (process.getuid?.() !== 0) {
        await writeFile(at("locked"), "");
        await chmod(at("locked"), 0o444);
        await chmod(at("inner"), 0o555);
        refused.push([at("locked"), "no permission"], [at("inner/new"), "no permission"]);
      }
    }
    const log = await open(at("old"), "a");
    try {
      if (process.platform === "linux") {
        await symlink("/dev/fd", at("fds"));
        for (const name of ["/dev/fd", "/proc/self/fd", at("fds")]) {
          const reason = "it is a file that is open already, which would be replaced";
          refused.push([`${name}/${log.fd}`, reason]);
        }
      }
      for (const [path, reason] of refused) {
        const error = await assertRejects(() => checkWritable("--json", path), UsageError);
        assertEquals(error.message, `Cannot write --json ${path}: ${reason}`);
      }
    } finally {
      await log.close();
    }
    assertEquals([await readFile(at("old"), "utf8"), await readdir(at("inner"))], ["kept", []]);
  }));

test("a path of a task is one in the caller's folder; without a task, in the working directory", () =>
  inFolder((other) => {
    const project = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
    const [before, variable] = [process.cwd(), process.env.INIT_CWD];
    const rows: [folder: string, caller: string | undefined, path: string, found: string][] = [
      [project, join(project, "docs"), ".", join(project, "docs")],
      [project, join(project, "docs"), "../src", join(project, "src")],
      [project, join(project, "docs"), "/etc/hosts", "/etc/hosts"],
      [project, undefined, "docs", join(project, "docs")],
      // A task that is over does not count.
      [other, project, "a", join(other, "a")],
    ];
    const setCaller = (value: string | undefined) => {
      if (value === undefined) delete process.env.INIT_CWD;
      else process.env.INIT_CWD = value;
    };
    try {
      for (const [folder, caller, path, found] of rows) {
        process.chdir(folder);
        setCaller(caller);
        assertEquals(resolvePath(path), found);
      }
    } finally {
      process.chdir(before);
      setCaller(variable);
    }
  }));

/** How many looks it takes until it is known to be gone; `undefined` if it is not by the last. */
async function looksUntilGone(answers: readonly (boolean | undefined | "failure")[]) {
  let looks = 0;
  let found: number | undefined;
  await new Promise<void>((resolve) => {
    const isGone = () => {
      const answer = answers[looks++];
      if (answer === "failure") throw new Error("no descriptor left");
      return answer;
    };
    const onGone = () => {
      found = looks;
      resolve();
    };
    const wait = () =>
      looks < answers.length ? Promise.resolve() : new Promise<void>(() => resolve());
    void watchUntilGone(isGone, 500, onGone, wait);
  });
  return found;
}

test("a process is gone when two looks in a row say so; one that sees nothing says nothing", async () => {
  assertEquals(await looksUntilGone([true, true]), 2);
  assertEquals(await looksUntilGone([false, true, false, true, true, true]), 5);
  assertEquals(await looksUntilGone([true, false, true, false]), undefined);
  assertEquals(await looksUntilGone([undefined, undefined, "failure", "failure"]), undefined);
  assertEquals(await looksUntilGone([true, undefined, "failure", true]), 4);
});
