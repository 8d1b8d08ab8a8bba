import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { parseCommandLine } from "../../../scenarios/command_line/parse_command_line.ts";
import { HelpRequest } from "../../../scenarios/command_line/help_request.ts";
import { UsageError } from "../../../scenarios/command_line/usage_error.ts";

function parse(...args: string[]) {
  return parseCommandLine(args, {
    command: "thing",
    about: "Does things.",
    flags: {
      quick: { kind: "boolean", about: "be quick" },
      file: { kind: "text", about: "a file" },
      color: { kind: "list", about: "colours", choices: ["red", "green", "blue"] },
      param: { kind: "texts", about: "a parameter" },
      seed: { kind: "integer", about: "a seed", maximum: 99 },
    },
    examples: ["thing --quick", "thing --seed 7"],
  });
}

function refusal(...args: string[]): string {
  return assertThrows(() => parse(...args), UsageError).message;
}

const nothing = {
  quick: false,
  file: undefined,
  color: undefined,
  param: [],
  seed: undefined,
  _: [],
};

test("what is not given is undefined, false or empty", () => {
  assertEquals(parse(), nothing);
});

test("values come after a space or an equals sign, lists between commas or repeated", () => {
  assertEquals(
    parse("--quick", "--file", "a b", "--color=red,blue", "--color", "green,red", "--seed=7"),
    { ...nothing, quick: true, file: "a b", color: ["red", "blue", "green"], seed: 7 },
  );
});

test("parameters keep their commas and stay apart; the last of other values wins", () => {
  assertEquals(parse("--param", "a=1,2", "--param=b=-3", "--file", "x", "--file", "y"), {
    ...nothing,
    param: ["a=1,2", "b=-3"],
    file: "y",
  });
});

test("text that looks like a number stays text", () => {
  assertEquals(parse("--file", "0012").file, "0012");
});

test("an unknown flag or argument is refused with the flags that exist", () => {
  const flags = "the flags are --quick, --file, --color, --param, --seed, --help";
  assertEquals(refusal("--verbose=9"), `Unknown flag --verbose; ${flags}`);
  assertEquals(refusal("-x"), `Unknown flag -x; ${flags}`);
  assertEquals(refusal("--speed=9"), "Unknown flag --speed; did you mean --seed?");
  assertEquals(refusal("--flie", "x"), "Unknown flag --flie; did you mean --file?");
  assertEquals(refusal("--colour"), "Unknown flag --colour; did you mean --color?");
  assertEquals(refusal("--no-quick"), `Unknown flag --no-quick; ${flags}`);
  assertEquals(refusal("fast"), `Unknown argument fast; ${flags}`);
  assertEquals(refusal("--quick", "fast"), `Unknown argument fast; ${flags}`);
});

test("a flag by the name under which the parser keeps arguments is unknown, and an argument behind --", () => {
  for (const flag of ["-_", "-_x", "--_", "--_=1", "--no-_", "-h_"]) {
    assertEquals(
      refusal(flag).startsWith(`Unknown flag ${flag.split("=")[0]}; the flags are`),
      true,
    );
  }
  assertEquals(
    refusal("--", "-_"),
    "Unknown argument -_; the flags are --quick, --file, --color, --param, --seed, --help",
  );
});

test("a value that a flag does not take is refused with those it takes", () => {
  assertEquals(refusal("--color", "red,pink"), "--color must be one of red, green, blue, got pink");
  for (const seed of ["x", "-1", "1.5", "100", "1e1", "0x1"]) {
    assertEquals(
      refusal(`--seed=${seed}`),
      `--seed must be an integer from 0 to 99, got "${seed}"`,
    );
  }
  assertEquals(refusal("--quick=yes"), "--quick takes no value");
});

test("a flag without its value is refused", () => {
  assertEquals(refusal("--file"), "--file needs a value: a file");
  assertEquals(refusal("--file="), "--file needs a value: a file");
  assertEquals(refusal("--seed", "--quick"), "--seed needs a value: a seed");
  assertEquals(refusal("--color", ","), "--color needs a value: colours");
  assertEquals(refusal("--param"), "--param needs a value: a parameter");
});

test("arguments are taken where the command has some", () => {
  const { _ } = parseCommandLine(["01", "--", "--file"], {
    command: "thing",
    about: "",
    flags: {},
    positional: "NN",
    examples: ["thing 01", "thing 02"],
  });
  assertEquals(_, ["01", "--file"]);
});

test("--help fits 80 columns, but for examples, and begins a line with a sentence that does", () => {
  const long = "word ".repeat(30).trim();
  const { message } = assertThrows(() =>
    parseCommandLine(["--help"], {
      ...{
        command: "thing",
        about: `Does things: ${long}\nand others.\n  1  a list\n  2  of two\nThen it ends.`,
      },
      flags: { file: { kind: "text", about: long, choices: ["a", "b"] } },
      examples: ["thing --file a", `thing --file ${"b".repeat(90)}`],
    }), HelpRequest);
  const [text] = message.split("Examples:") as [string];
  assertEquals(text.split("\n").filter(({ length }) => length > 80), []);
  assertEquals(text.includes("and others.\n  1  a list\n  2  of two\nThen it ends.\n"), true);
  // The next lines stand under the first.
  assertEquals(/^ {2}--file VALUE {2}word.*\n {16}word/m.test(text), true);
  assertEquals(text.includes("(a, b)"), true);
});

test("--help ends in the examples", () => {
  const { message } = assertThrows(() => parse("--help"), HelpRequest);
  assertEquals(message.split("\n\n").at(-1), "Examples:\n  thing --quick\n  thing --seed 7");
});
