import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";

const faults: (readonly [fault: string, end: string])[] = [];

/** What a fault needs to be tried. */
interface FaultOptions {
  /** Only where this is true; elsewhere it is skipped by name. Default: everywhere but on Windows. */
  readonly where?: boolean;
  /** How the test is registered; default: `test`. */
  readonly register?: (name: string, run: (address: string) => Promise<void>) => void;
}

/** A test of a fault, which is a line of the table in `docs/research/extract-measured.md` too: what happens, and how it ends. */
export function fault(
  what: string,
  end: string,
  run: (address: string) => Promise<void>,
  { where = process.platform !== "win32", register }: FaultOptions = {},
): void {
  faults.push([what, end]);
  const name = `${what}: ${end}`;
  if (register !== undefined && where) return register(name, run);
  test(name, { skip: !where }, () => run(""));
}

const marks = ["<!-- faults -->\n", "\n<!-- /faults -->"] as const;

/**
 * A test that a file's table of faults is what the tests before are of; with `HOSEPIPE_WRITE_FAULTS` it is written.
 */
export function faultTableTest(file: URL): void {
  test("the table of faults in the documentation is that of these tests", async () => {
    const text = await readFile(file, "utf8");
    const [start, end] = [text.indexOf(marks[0]) + marks[0].length, text.indexOf(marks[1])];
    const columns = [["what happens", "how it ends"], ...faults].map((row) =>
      row.map((cell) => cell.replaceAll("|", "\\|"))
    );
    const widths = [0, 1].map((index) => Math.max(...columns.map((row) => row[index]!.length)));
    const lines = columns.map((row) =>
      `| ${row.map((cell, index) => cell.padEnd(widths[index]!)).join(" | ")} |`
    );
    lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
    const table = `\n${lines.join("\n")}\n`;
    if (process.env.HOSEPIPE_WRITE_FAULTS) {
      await writeFile(file, text.slice(0, start) + table + text.slice(end));
    } else assertEquals(text.slice(start, end).trim(), table.trim());
  });
}
