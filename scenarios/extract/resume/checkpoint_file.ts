import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { draftPrefix, isRunning } from "../drafts.ts";
import { type Checkpoint, checkpointVersion } from "./checkpoint.ts";

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
   * @throws {Error} If it is still written, or cannot be read.
   */
  static async claim(
    target: string,
    check: (checkpoint: Checkpoint) => void,
  ): Promise<CheckpointFile | undefined> {
    for (const { path, pid } of await list(target)) {
      // One of this process's own number is of a process before it.
      if (pid !== process.pid && isRunning(pid)) {
        throw new Error(`process ${pid} is writing it`);
      }
      const checkpoint = await read(path);
      check(checkpoint);
      const size = await sizeOf(join(dirname(target), checkpoint.draft));
      if (size < checkpoint.bytes) {
        const name = checkpoint.draft;
        throw new Error(
          `${name} has ${Math.max(0, size)} bytes, but ${checkpoint.bytes} were safe`,
        );
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
      const name = await read(path).then(({ draft }) => draft, () => undefined);
      if (name !== undefined) {
        const draft = join(dirname(target), name);
        const bytes = await sizeOf(draft);
        await rm(draft, { force: true });
        if (bytes >= 0) swept.push({ name, bytes });
      }
      await rm(`${path}.new`, { force: true });
      await rm(path, { force: true });
    }
    return swept;
  }

  /** A rename, so that there is always a whole one. */
  async #write(): Promise<void> {
    const path = `${this.#path}.new`;
    // It holds values of the source.
    const file = await open(path, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify(this.#checkpoint));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, this.#path);
  }
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(({ size }) => size, () => -1);
}

async function list(target: string): Promise<{ path: string; pid: number }[]> {
  const [folder, prefix] = [dirname(target), draftPrefix(target)];
  return (await readdir(folder)).flatMap((name) => {
    if (!name.startsWith(prefix)) return [];
    const pid = /^(\d+)-[\da-f-]{36}\.checkpoint$/.exec(name.slice(prefix.length))?.[1];
    return pid === undefined ? [] : [{ path: join(folder, name), pid: Number(pid) }];
  });
}

async function read(path: string): Promise<Checkpoint> {
  const checkpoint = await readFile(path, "utf8").then(JSON.parse).catch((cause) => {
    throw new Error(`${basename(path)} is no checkpoint that can be read`, { cause });
  }) as Checkpoint;
  if (checkpoint?.version !== checkpointVersion) {
    throw new Error(
      `${basename(path)} is of format ${checkpoint?.version}, this one knows ${checkpointVersion}`,
    );
  }
  // The name of another folder's file would be removed, or taken over.
  if (typeof checkpoint.draft !== "string" || basename(checkpoint.draft) !== checkpoint.draft) {
    throw new Error(`${basename(path)} names no draft`);
  }
  return checkpoint;
}
