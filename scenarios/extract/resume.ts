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
export class Resume {
  readonly #out: string;
  readonly #target: string;
  readonly #options: Readonly<Record<string, unknown>>;
  #file: CheckpointFile | undefined;
  #isBegun = false;

  private constructor(
    { out, target, options }: {
      readonly out: string;
      readonly target: string;
      readonly options: Readonly<Record<string, unknown>>;
    },
  ) {
    this.#out = out;
    this.#target = target;
    this.#options = options;
  }

  /**
   * Takes over what a run which was killed has left, if there was one.
   *
   * @throws {UsageError} If it was asked for something else, or still runs.
   */
  static async open(out: string, options: Readonly<Record<string, unknown>>): Promise<Resume> {
    const target = await resolveLinks(out);
    const resume = new Resume({ out, target, options });
    const stats = await stat(target).catch(() => undefined);
    if (stats !== undefined && !stats.isFile()) {
      resume.#fail("it is no regular file, so that nothing of it can be kept");
    }
    try {
      resume.#file = await CheckpointFile.claim(target, (checkpoint) => resume.#check(checkpoint));
    } catch (error) {
      if (error instanceof UsageError) throw error;
      resume.#fail((error as Error).message);
    }
    return resume;
  }

  /** What is safe; `undefined`: nothing is. */
  get checkpoint(): Checkpoint | undefined {
    const checkpoint = this.#file?.checkpoint;
    return checkpoint?.last === undefined ? undefined : checkpoint;
  }

  /**
   * Begins to keep what is read of a source; says where it goes on.
   *
   * @throws {UsageError} If the source has no key to go on from, or is not what it was.
   */
  async begin(source: RowSource): Promise<CheckpointFile> {
    const { titles: columns, key } = source;
    if (key.length === 0) {
      throw new UsageError(
        `Cannot --resume ${source.name}: no key orders its rows. A table needs a primary key ` +
          "(in SQLite of one INTEGER, or WITHOUT ROWID) and none that INHERITS from it, and --order-by, --time-field " +
          "and --query have none",
      );
    }
    const known = this.#file?.checkpoint;
    if (this.#file === undefined || known === undefined) {
      this.#isBegun = true;
      return this.#file = await CheckpointFile.begin(this.#target, {
        ...{ options: this.#options, columns, key },
      });
    }
    const [nowKey, wasKey] = [key, known.key].map(String);
    if (nowKey !== wasKey) this.#fail(`the key is ${nowKey}, but was ${wasKey}`);
    const [now, was] = [columns, known.columns].map(String);
    if (now !== was) this.#fail(`the columns are ${now}, but were ${was}`);
    this.#isBegun = true;
    if (known.last !== undefined) {
      console.error(
        `Goes on after ${describeKey(known)}: ${count(known.rows)} rows, ${
          count(known.bytes)
        } bytes ` +
          "are there; the others are as they are now",
      );
    }
    return this.#file;
  }

  /** Says what a run that fails leaves. */
  tellKept(): void {
    const { checkpoint } = this;
    if (checkpoint === undefined || !this.#isBegun) return;
    console.error(
      `Kept ${count(checkpoint.rows)} rows, up to ${describeKey(checkpoint)}: ` +
        "the same command goes on, one without --resume removes them",
    );
  }

  #check({ options }: Checkpoint): void {
    for (const name of Object.keys({ ...options, ...this.#options })) {
      const [now, was] = [this.#options[name], options[name]].map((value) =>
        JSON.stringify(value ?? null)
      );
      if (now !== was) this.#fail(`--${name} is ${now}, but was ${was}`);
    }
  }

  #fail(reason: string): never {
    throw new UsageError(
      `Cannot --resume ${this.#out}: ${reason}; without --resume it begins with the first row`,
    );
  }
}
