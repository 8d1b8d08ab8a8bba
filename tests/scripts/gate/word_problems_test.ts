import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { bannedPhrases } from "../../../scripts/gate/banned_phrases.ts";
import { wordProblems } from "../../../scripts/gate/word_problems.ts";

const problems = (path: string, text: string) => wordProblems(new Map([[path, text]]));

test("a page's phrases are found with their line, across line breaks, in any case", () => {
  const page = "# A\n\nNobody knows; this is held\nagainst that.\n\n- A “quote”\n";
  assertEquals(problems("docs/a.md", page), [
    'docs/a.md:6 says "“": say straight quotes',
    'docs/a.md:6 says "”": say straight quotes',
    'docs/a.md:3 says "held against": say compared with',
    'docs/a.md:3 says "Nobody": say nothing, no one, or name the thing',
  ]);
});

test("code of a page and names of a program are nobody's prose", () => {
  assertEquals(problems("docs/a.md", "```ts\nif (a) b(); else nobody();\n```\n"), []);
  assertEquals(problems("src/a.ts", "const told = 1;\nif (told) nobody(); else shall();\n"), []);
});

test("comments, texts, templates and what stands between tags are read", () => {
  const program = [
    "/**\n * Is told so,\n * for want\n * of more.\n */",
    "const a = 'nobody'; // shall",
    "const b = `whoever ${a} anew ${a} lest`;",
    "const c = <p>else it waits</p>;",
  ].join("\n");
  assertEquals(
    problems("playground/a.tsx", program).map((problem) => problem.replace(/: say .*/, "")),
    [
      'playground/a.tsx:2 says "told"',
      'playground/a.tsx:3 says "for want of"',
      'playground/a.tsx:6 says "nobody"',
      'playground/a.tsx:6 says "shall"',
      'playground/a.tsx:7 says "whoever"',
      'playground/a.tsx:7 says "anew"',
      'playground/a.tsx:7 says "lest"',
      'playground/a.tsx:8 says "else"',
    ],
  );
});

test("phrases that stop a reader are found, in pages only where programs need them", () => {
  const program = [
    'const a = "unknown option, known are one, two";',
    "// It got an URL, and ends the run whatever hangs.",
    '// Its unit is seen from one row; "faster" is not settled.',
    "/** A dropped chunk is nowhere, and a body waits for so long. */",
    "// With npm alone; the ends are yours, and it is in its hands.",
    "// The next to last of stages that do not wait answers only once, which flatters us.",
    "// What it throws is ignored. It has a mark.",
  ].join("\n");
  const found = (path: string, text: string) =>
    problems(path, text).map((problem) => /:(\d+) says "(.*)":/.exec(problem)?.slice(1).join(" "))
      .sort();
  const both = [
    "1 known are",
    "2 an URL",
    "2 whatever hangs",
    "3 is not settled",
    "3 seen from one",
    "4 for so long",
    "4 is nowhere",
    "5 ends are yours",
    "5 in its hands",
    "5 npm alone",
    "6 answers only once",
    "6 flatters",
    "6 next to last",
    "6 stages that do not wait",
  ];
  assertEquals(found("src/a.ts", program), both);
  const page = [...both, "6 What it throws is ignored.", "7 a mark"].sort();
  const inPage = found("docs/a.md", program);
  assertEquals(inPage.map((problem) => problem?.replace(/ [^a-zA-Z]*What/, " What")), page);
  assertEquals(problems("docs/a.md", "What it is? An hour, a byte order mark, a URL.\n"), []);
});

test("what is usual is left alone", () => {
  const usual =
    "Nothing else, or else `else`, anything else, who else? It foretold a shallow Lester.";
  assertEquals(problems("docs/a.md", usual), []);
});

test("every phrase says what to say instead", () => {
  for (const [pattern, instead] of bannedPhrases) {
    assertEquals(instead.length > 3, true, `${pattern}`);
  }
});

test("what follows in the next line of a program excuses no phrase", () => {
  const program =
    "// Wait, or start, else\nif (a) b();\n// For want\nc.d(); /* is\n * told */ else c.d();\n";
  assertEquals(
    problems("src/a.ts", program).map((problem) => problem.replace(/: say .*/, "")),
    ['src/a.ts:1 says "else"', 'src/a.ts:5 says "told"'],
  );
});
