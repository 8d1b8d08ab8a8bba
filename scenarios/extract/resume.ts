import { Buffer } from "node:buffer";
import { stat } from "node:fs/promises";
import { nameRow } from "./bad_row_error.ts";
import { resolveLinks } from "./resolve_links.ts";
import { type Checkpoint, CheckpointFile } from "./resume/checkpoint_file.ts";
import type { RowSource } from "./source.ts";
import { UsageError } from "../command_line/parse_command_line.ts";

/** The text of a key as people know it. */
function shownKey(text: string): string {
  const hex = /^\+CAST\(x'([\dA-F]*)' AS TEXT\)$/.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, "hex").toString();
  return /^\{"id":(.*)\}$/s.exec(text)?.[1] ?? text;
}

/** Names the last row that is safe. */
function describeKey({ key, last }: Pick<Checkpoint, "key" | "last">): string {
  return nameRow(key.map((title) => ({ title })), last!.map(shownKey));
}

const count = (value: number) => value.toLocaleString("en-US");

/** What is kept of a run, and of the one before it. */
export interface Resume {
  /** What is safe; `undefined`: nothing is. */
  readonly checkpoint: Checkpoint | undefined;
  /**
   * Begins to keep what is read of a source; says where it goes on.
   *
   * @throws {UsageError} If the source has no key to go on from, or is not what it was.
   */
  begin(source: RowSource): Promise<CheckpointFile>;
  /** Says what a run that fails leaves. */
  tellKept(): void;
}

/**
 * Takes over what a run which was killed has left, if there was one.
 *
 * @throws {UsageError} If it was asked for something else, or still runs.
 */
export async function openResume(
  out: string,
  options: Readonly<Record<string, unknown>>,
): Promise<Resume> {
  const target = await resolveLinks(out);
  let isBegun = false;
  const fail = (reason: string): never => {
    throw new UsageError(
      `Cannot --resume ${out}: ${reason}; without --resume it begins with the first row`,
    );
  };
  const compare = (what: string, now: string, was: string, old: string) => {
    if (now !== old) fail(`${what} ${now}, but ${was} ${old}`);
  };
  const stats = await stat(target).catch(() => undefined);
  if (stats !== undefined && !stats.isFile()) {
    fail("it is no regular file, so that nothing of it can be kept");
  }
  const check = ({ options: old }: Checkpoint) => {
    for (const name of Object.keys({ ...old, ...options })) {
      const [now, was] = [options[name], old[name]].map((value) => JSON.stringify(value ?? null));
      compare(`--${name} is`, now!, "was", was!);
    }
  };
  let file = await CheckpointFile.claim(target, check).catch((error) => {
    if (error instanceof UsageError) throw error;
    return fail((error as Error).message);
  });
  const safe = () => file?.checkpoint.last === undefined ? undefined : file.checkpoint;
  return {
    get checkpoint() {
      return safe();
    },
    async begin({ name, titles: columns, key }) {
      if (key.length === 0) {
        throw new UsageError(
          `Cannot --resume ${name}: no key orders its rows. A table needs a primary key ` +
            "(in SQLite of one INTEGER, or WITHOUT ROWID) and none that INHERITS from it, and --order-by, --time-field " +
            "and --query have none",
        );
      }
      if (file === undefined) {
        isBegun = true;
        return file = await CheckpointFile.begin(target, { options, columns, key });
      }
      const known = file.checkpoint;
      compare("the key is", String(key), "was", String(known.key));
      compare("the columns are", String(columns), "were", String(known.columns));
      isBegun = true;
      if (known.last !== undefined) {
        console.error(
          `Goes on after ${describeKey(known)}: ${count(known.rows)} rows, ` +
            `${count(known.bytes)} bytes are there; the others are as they are now`,
        );
      }
      return file;
    },
    tellKept() {
      const checkpoint = safe();
      if (checkpoint === undefined || !isBegun) return;
      console.error(
        `Kept ${count(checkpoint.rows)} rows, up to ${describeKey(checkpoint)}: ` +
          "the same command goes on, one without --resume removes them",
      );
    },
  };
}
