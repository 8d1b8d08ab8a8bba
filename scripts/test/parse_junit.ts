import { stripVTControlCharacters } from "node:util";

/** One test as a runtime's JUnit report tells it. */
export interface TestCase {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** What the report says about a failure; empty otherwise. */
  readonly detail: string;
  readonly elapsedMs: number;
}

// Node leaves `>` bare inside attributes, so a tag ends only outside quotes.
const attributes = String.raw`((?:\s+[\w:.-]+="[^"]*")*)\s*`;
const testCase = new RegExp(`<testcase${attributes}(?:/>|>([\\s\\S]*?)</testcase>)`, "g");
const failure = new RegExp(`<(?:failure|error)${attributes}(?:/>|>([\\s\\S]*?)</)`);

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16));
  });
}

function attribute(text: string, name: string): string {
  return unescapeXml(new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1] ?? "");
}

/** Reads the test cases out of a JUnit report as Deno, Bun and Node write it. */
export function parseJunit(xml: string): TestCase[] {
  return Array.from(xml.matchAll(testCase), ([, head, body = ""]): TestCase => {
    const name = attribute(head!, "name");
    const elapsedMs = 1000 * Number(attribute(head!, "time"));
    // Node reports a failing `todo` as both: it was not expected to pass.
    if (/<skipped[\s/>]/.test(body)) return { name, outcome: "skipped", detail: "", elapsedMs };
    const failed = failure.exec(body);
    if (failed === null) return { name, outcome: "passed", detail: "", elapsedMs };
    const detail = unescapeXml(failed[2] ?? "").trim() || attribute(failed[1]!, "message");
    return { name, outcome: "failed", detail: stripVTControlCharacters(detail), elapsedMs };
  });
}
