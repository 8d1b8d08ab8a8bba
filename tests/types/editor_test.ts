import { assert, assertEquals } from "@std/assert";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { wrongAnswers } from "../../scripts/gate/wrong_answers.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const file = `${root}editor.ts`;
const imports =
  `import { compose, fuse, lines, map, parallel, pipeline, toArray } from "@hosepipe/streams";\n`;

let text = imports;
let version = 0;

/** What an editor asks of; the text it shows is `text`. */
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: (path) => path === file ? `${version}` : "0",
  getScriptSnapshot(path) {
    if (path === file) return ts.ScriptSnapshot.fromString(text);
    return existsSync(path) ? ts.ScriptSnapshot.fromString(readFileSync(path, "utf8")) : undefined;
  },
  getCurrentDirectory: () => root,
  getCompilationSettings: () => ({
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: ["node"],
    paths: { "@hosepipe/streams": ["./mod.ts"] },
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (path) => path === file || existsSync(path),
  readFile: (path) => readFileSync(path, "utf8"),
});

/** Shows `program`, and tells where its `|` stood. */
function show(program: string): number {
  text = imports + program.replace("|", "");
  version++;
  return imports.length + program.indexOf("|");
}

function completionsAt(program: string): string[] {
  const completions = service.getCompletionsAtPosition(file, show(program), {});
  return completions?.entries.map(({ name }) => name) ?? [];
}

const twenty = Array.from(
  { length: 20 },
  (_, index) => index % 2 === 0 ? "map((n) => `${n}`)" : "map((s) => s.length)",
).join(", ");

test("an editor completes members of the chunk in a sink, and in a stage that has nothing behind it yet", () => {
  for (
    const program of [
      "pipeline([1], (n) => n.|);",
      `pipeline([1], ${twenty}, (n) => n.|);`,
      "pipeline([1], map((n) => n.|));",
      `pipeline([1], ${twenty}, map((n) => n.|));`,
      "pipeline([1], map((n) => `${n}`), map((s) => s.length), map((n) => n.|), (n) => n);",
      "toArray([1], map((n) => n), map((n) => n.|));",
      "fuse(map((n: number) => n), map((n) => n.|));",
      "compose(map((n: number) => n), map((n) => n.|));",
    ]
  ) assert(completionsAt(program).includes("toFixed"), program);
});

test("an editor completes the options of a run", () => {
  const options = completionsAt("pipeline([1], map((n) => n), (n) => n, { | });");
  for (const name of ["signal", "preventClose", "preventAbort", "preventCancel"]) {
    assert(options.includes(name), name);
  }
});

test("signature help names each argument and says what the call does", () => {
  for (
    const [program, name] of [
      ["pipeline(|)", "source"],
      ["pipeline([1], map((n) => n), |)", "sinkOrOptions"],
      [`pipeline([1], ${twenty}, |)`, "sinkOrOptions"],
      ["toArray([1], map((n) => n), |)", "stageOrOptions"],
      ["fuse(map((n: number) => n), |)", "stageOrStrategies"],
    ] as const
  ) {
    const help = service.getSignatureHelpItems(file, show(program), {});
    const item = help?.items[help.selectedItemIndex];
    assertEquals(item?.parameters[help!.argumentIndex]?.name, name, program);
    assert(ts.displayPartsToString(item!.documentation).length > 20, program);
  }
});

test("the compiler answers typical mistakes with what to do", () => {
  const mistakes = readFileSync(`${root}tests/types/_mistakes.ts`, "utf8");
  text = mistakes.slice(mistakes.indexOf("\n"));
  version++;
  const found = new Map<number, string>();
  for (const { file: source, start, messageText } of service.getSemanticDiagnostics(file)) {
    const { line } = source!.getLineAndCharacterOfPosition(start!);
    const message = ts.flattenDiagnosticMessageText(messageText, "\n");
    found.set(line + 1, `${found.get(line + 1) ?? ""}${message}`);
  }
  assertEquals(wrongAnswers(text, found), []);
});

test("hovers show an example", () => {
  for (
    const program of [
      "|pipeline([1], (n) => n);",
      `|pipeline([1], ${twenty}, (n) => n, { preventClose: true });`,
      "toArray([1], |map((n) => n));",
      "toArray([1], |parallel((n) => n, { concurrency: 2 }));",
      "|fuse(map((n: number) => n), map((n) => n));",
    ]
  ) {
    const { tags } = service.getQuickInfoAtPosition(file, show(program)) ?? {};
    assert(tags?.some(({ name, text }) => name === "example" && text !== undefined), program);
  }
});

test("hovers show plain types", () => {
  const type = (program: string) => {
    const info = service.getQuickInfoAtPosition(file, show(program));
    return ts.displayPartsToString(info?.displayParts);
  };
  assertEquals(
    type("const |x = fuse(map((n: number) => n), map((n) => `${n}`));"),
    "const x: ReadableWritablePair<string, number>",
  );
  assertEquals(
    type("const |x = compose(map((n: number) => n), map((n) => `${n}`));"),
    "const x: Transformer<number, string>",
  );
  assertEquals(
    type("const |x = toArray([1], map((n) => ({ n })));"),
    "const x: Promise<{\n    n: number;\n}[]>",
  );
  assertEquals(
    type("pipeline([{ id: 1 }], map((row) => row.id), (|id) => id);"),
    "(parameter) id: number",
  );
  assertEquals(
    type("|pipeline([1], map((n) => `${n}`), (text) => text.length, { preventClose: true });"),
    "(alias) pipeline<number, string, unknown, never, string>(source: PipelineSource<number>, stage: " +
      "PipelineStage<number, string>, stageOrSink: PipelineSink<string>, sinkOrOptions: " +
      "SinkOrOptions<unknown, never, string> | undefined): Promise<PipelineResult> (+21 overloads)\n" +
      "import pipeline",
  );
});
