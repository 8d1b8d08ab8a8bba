import { randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import { constants, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { draftPrefix, isRunning } from "../drafts.ts";
import { isOwn } from "../is_own.ts";

/** The shape of what is written here; another is not read. */
const checkpointVersion = 1;

/** What a run that is killed leaves, so that another can go on. */
export interface Checkpoint {
  readonly version: number;
  /** The name of the draft, in the same folder. */
  readonly draft: string;
  /** What was asked for, by the names of the flags. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly columns: readonly string[];
  /** The columns that rows are ordered by. */
  readonly key: readonly string[];
  /** The key of the last row that is safe, as the source has it; none: no row is. */
  readonly last?: readonly string[];
  readonly rows: number;
  /** How much of the draft is safe. */
  readonly bytes: number;
}

const suffix = ".checkpoint";

/** A file beside a draft, which says how much of it is safe. Its name tells whose it is now; the draft keeps its own. */
export class CheckpointFile {
  readonly #target: string;
  readonly #path: string;
  #checkpoint: Checkpoint;

  private constructor(target: string, checkpoint: Checkpoint) {
    this.#target = target;
    const name = `${draftPrefix(target)}${process.pid}-${randomUUID()}${suffix}`;
    this.#path = join(dirname(target), name);
    this.#checkpoint = checkpoint;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  get draft(): string {
    return join(dirname(this.#target), this.#checkpoint.draft);
  }

  /** Begins one of which nothing is safe yet, before there is a draft: no draft is without one. */
  static async begin(
    target: string,
    more: Pick<Checkpoint, "options" | "columns" | "key">,
  ): Promise<CheckpointFile> {
    const draft = `${draftPrefix(target)}resumed-${randomUUID()}.tmp`;
    const started = { version: checkpointVersion, draft, ...more, rows: 0, bytes: 0 };
    const file = new CheckpointFile(target, started);
    await file.#write();
    return file;
  }

  /**
   * Takes the one that a run which was killed has left, so that no other run takes it too; `check` refuses it by
   * throwing, and leaves it as it is.
   *
   * @throws {Error} If it is still written, cannot be read, or another user may have written it or its draft.
   */
  static async claim(
    target: string,
    check: (checkpoint: Checkpoint) => void,
  ): Promise<CheckpointFile | undefined> {
    for (const { path, pid } of await list(target)) {
      const checkpoint = await read(path, target);
      // One of this process's own number is of a process before it.
      if (pid !== process.pid && isRunning(pid)) {
        throw new Error(`process ${pid} is writing it`);
      }
      check(checkpoint);
      const { draft, bytes } = checkpoint;
      const stats = await statsOf(join(dirname(target), draft));
      if (stats !== undefined && !isOwn(stats)) throw new Error(`${draft} ${notOwn}`);
      if ((stats?.size ?? 0) < bytes) {
        throw new Error(`${draft} has ${stats?.size ?? 0} bytes, but ${bytes} were safe`);
      }
      const file = new CheckpointFile(target, checkpoint);
      await rename(path, file.#path);
      await rm(`${path}.new`, { force: true });
      return file;
    }
    return undefined;
  }

  /** Says that all of the draft's bytes until now are safe; they must be on the disk. */
  async save(last: readonly string[], rows: number, bytes: number): Promise<void> {
    this.#checkpoint = { ...this.#checkpoint, last, rows, bytes };
    await this.#write();
  }

  /** Takes it away, the draft being gone. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  /** Takes away what runs that were killed have left, with their drafts; returns the drafts. */
  static async sweep(target: string): Promise<{ name: string; bytes: number }[]> {
    const swept: { name: string; bytes: number }[] = [];
    for (const { path, pid } of await list(target)) {
      if (pid === process.pid || isRunning(pid)) continue;
      if (!isOwn(await statsOf(path))) continue;
      const name = await read(path, target).then(({ draft }) => draft, () => undefined);
      if (name !== undefined) {
        const draft = join(dirname(target), name);
        const stats = await statsOf(draft);
        if (isOwn(stats)) {
          await rm(draft, { force: true });
          swept.push({ name, bytes: stats!.size });
        }
      }
      await rm(`${path}.new`, { force: true });
      await rm(path, { force: true });
    }
    return swept;
  }

  /** A rename, so that there is always a whole one. */
  async #write(): Promise<void> {
    const path = `${this.#path}.new`;
    // Another may have seen the name: what is there, such as a link, is not written to.
    await rm(path, { force: true });
    // It holds values of the source.
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(this.#checkpoint));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, this.#path);
  }
}

const notOwn = "is a link, or another user's, or others can write it";

async function statsOf(path: string): Promise<Stats | undefined> {
  return await lstat(path).catch(() => undefined);
}

async function list(target: string): Promise<{ path: string; pid: number }[]> {
  const [folder, prefix] = [dirname(target), draftPrefix(target)];
  return (await readdir(folder)).flatMap((name) => {
    if (!name.startsWith(prefix)) return [];
    const pid = /^(\d+)-[\da-f-]{36}\.checkpoint$/.exec(name.slice(prefix.length))?.[1];
    return pid === undefined ? [] : [{ path: join(folder, name), pid: Number(pid) }];
  });
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/** Reads one that this user has written, and no one else could. */
async function readOwn(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(
    (cause) => {
      throw new Error(`${basename(path)} ${notOwn}`, { cause });
    },
  );
  try {
    const stats = await file.stat();
    const isOthers = process.geteuid !== undefined && (stats.mode & 0o022) !== 0;
    if (!isOwn(stats) || isOthers) throw new Error(`${basename(path)} ${notOwn}`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

async function read(path: string, target: string): Promise<Checkpoint> {
  const name = basename(path);
  const text = await readOwn(path);
  let checkpoint: Checkpoint;
  try {
    checkpoint = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${name} is no checkpoint that can be read`, { cause });
  }
  if (checkpoint?.version !== checkpointVersion) {
    throw new Error(
      `${name} is of format ${checkpoint?.version}, this one knows ${checkpointVersion}`,
    );
  }
  const { draft, options, columns, key, last, rows, bytes } = checkpoint;
  // What it names is removed, or written over.
  const isDraft = typeof draft === "string" && draft.startsWith(draftPrefix(target)) &&
    /^resumed-[\da-f-]{36}\.tmp$/.test(draft.slice(draftPrefix(target).length));
  if (!isDraft) throw new Error(`${name} names no draft`);
  const isWhole = typeof options === "object" && options !== null && isTexts(columns) &&
    isTexts(key) && isCount(rows) && isCount(bytes) &&
    // No server's text has that character, and one would end its statement there.
    (last === undefined ||
      isTexts(last) && last.length === key.length && !last.join("").includes("\0"));
  if (!isWhole) throw new Error(`${name} is no checkpoint that can be read`);
  return checkpoint;
}
