import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { readExpected } from "../../../scripts/semantics/expected_table.ts";
import { factInWords } from "../../../scripts/semantics/fact_in_words.ts";

test("abbreviations become words, and what is clear stays as it is", () => {
  const cases: [fact: string | number, words: string][] = [
    [7, "7"],
    [-2, "-2"],
    ["-", "none"],
    ["yes", "yes"],
    ["3×no", "3 no"],
    ["yes 3×no", "1 yes, 3 no"],
    ["15×yes 3×no", "15 yes, 3 no"],
    ["15…-2", "15 to -2"],
    ["0 -1 -2", "0, -1, -2"],
    ["13×1", "1 after each"],
    ["0 2 0 2 0 2 0", "2 after every 2nd"],
    ["4×0 5 4×0 5 4×0 5 0", "5 after every 5th"],
    ["10×0 11 10×0 11 10×0 11 0", "11 after every 11th"],
    ["20×0 9 20×0 9 0", "9 after every 21st"],
    ["4×0 5 3×0 5 0", "4×0 5 3×0 5 0"],
    ["cancel(same)", "cancel as is"],
    ["cancel(none)", "cancel, no reason"],
    ["destroy(wrapped)!", "error, wrapped"],
    ["destroy(same)", "destroyed as is"],
    ["rejected(ABORT_ERR)", "rejects, ABORT_ERR"],
    ["other(same)", "other(same)"],
    ["TypeError", "TypeError"],
    ['"é"', '"é"'],
    ["4 bytes", "4 bytes"],
  ];
  for (const [fact, words] of cases) assertEquals(factInWords(fact), words);
});

test("no fact of the committed tables is left as an abbreviation", () => {
  const left = runtimeNames.flatMap((name) =>
    Object.values(readExpected(name).facts).flatMap((table) =>
      Object.values(table).flatMap((row) => Object.values(row).map(factInWords))
    )
  ).filter((words) => /[×…!]|^-$|\(/.test(words));
  assertEquals(left, []);
});
