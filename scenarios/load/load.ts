import { letterOf } from "./letter_of.ts";
import type { DeadLetter, LoadRecord } from "./load_record.ts";
import type { LoadTarget } from "./target.ts";

/** A whole load. */
export interface LoadOptions {
  readonly records: AsyncIterable<readonly (LoadRecord | DeadLetter)[]>;
  readonly target: LoadTarget;
  /** Rows in one statement of a server, at most. */
  readonly batchSize: number;
  /** Takes rows that cannot be loaded. Default: the first of them fails the load. */
  onDeadLetter?: ((letter: DeadLetter) => void | Promise<void>) | undefined;
  /** Called with their number before the rows are committed, such as to make what is dead last. */
  beforeCommit?(rows: number): Promise<void>;
  readonly signal?: AbortSignal;
}

/** What became of it: rows = loaded + dead. */
export interface LoadResult {
  readonly rows: number;
  readonly loaded: number;
  readonly dead: number;
  /** Of those loaded, how many a trigger or a rule of the table kept out or put elsewhere. */
  readonly diverted: number;
}

/** Texts of a batch, in code units, beyond which it is not filled any more. */
const batchLength = 1_048_576;

const lengthOf = ({ fields }: LoadRecord) =>
  fields.reduce((sum, field) => {
    return sum + (typeof field === "string" ? field : field?.text ?? "").length;
  }, 0);

/**
 * Puts rows into a table, all of them or none: in one transaction, in batches. The target stays open.
 *
 * @throws {Error} If a row cannot be loaded and nothing takes dead letters, or the target fails.
 * @throws The signal's reason, if it aborts.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { records, target, batchSize, signal } = options;
  let [rows, dead] = [0, 0];
  let batch: LoadRecord[] = [];
  let length = 0;
  async function takeDead(letters: readonly DeadLetter[]): Promise<void> {
    for (const letter of letters) {
      if (options.onDeadLetter === undefined) {
        throw new Error(`Cannot load line ${letter.line}: ${letter.reason}`);
      }
      dead++;
      await options.onDeadLetter(letter);
    }
  }
  async function flush(): Promise<void> {
    signal?.throwIfAborted();
    if (batch.length === 0) return;
    const full = batch;
    batch = [];
    length = 0;
    await takeDead(await target.add(full));
  }
  /** What keeps a row from the table whatever its values are. */
  function problemOf(names: readonly string[]): string | undefined {
    if (names.length === 0) return "the row has no column";
    const unknown = names.find((name) => !target.columns.has(name));
    return unknown && `${target.name} has no column ${JSON.stringify(unknown)}`;
  }
  let checked: readonly string[] | undefined;
  for await (const found of records) {
    signal?.throwIfAborted();
    for (const record of found) {
      rows++;
      if ("reason" in record) {
        await flush();
        await takeDead([record]);
        continue;
      }
      if (record.names !== checked) {
        await flush();
        const problem = problemOf(record.names);
        if (problem !== undefined) {
          await takeDead([letterOf(record, problem)]);
          continue;
        }
        checked = record.names;
      }
      batch.push(record);
      length += lengthOf(record);
      if (batch.length === batchSize || length >= batchLength) await flush();
    }
  }
  await flush();
  await takeDead(await target.finish());
  await options.beforeCommit?.(rows);
  signal?.throwIfAborted();
  await target.commit();
  return { rows, loaded: rows - dead, dead, diverted: target.diverted };
}
