import { join } from "node:path";
import type { FileHead } from "./file_head.ts";
import type { FileFacts, OpenedIdentity } from "./file_facts.ts";
import {
  changeShowsMs,
  type FileLook,
  isSameFile,
  lookAtFile,
  lookAtFileSync,
} from "./look_at_file.ts";
import { ReadPace } from "./read_pace.ts";
import type { KeptOptions } from "./read_settings.ts";

/** A larger file is not kept. */
export const largestKept: number = 64 * 1024;

/** What an entry takes besides its bytes: its name, its headers, and their objects. */
const overheadBytes = 1024;

/** A tag is strong once a file's time is that old. */
const settledMs = 2000;

/** A file in memory, as it was when it was last looked at. */
export interface KeptFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly facts: FileFacts;
  /** Its headers, once they are made, as itself and by the coding that it is of another file. */
  readonly heads: Map<string, FileHead>;
}

interface Entry extends KeptFile {
  readonly seen: FileLook;
  checkedAt: number;
  isUsed: boolean;
}

/** What a look for a kept file finds; `undefined` if the file has to be opened, or is none. */
export type Found = KeptFile | "absent" | undefined;

/**
 * Small files of a folder by their path from it. What is kept is only ever answered with if its path leads to the very
 * file that was opened, in the state in which it was read.
 */
export class KeptFiles {
  readonly #root: string;
  readonly #options: KeptOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #pace = new ReadPace();
  #bytes = 0;

  constructor(root: string, options: KeptOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Finds the file at a path; it is looked at without blocking where that has been slow. */
  async find(path: string): Promise<Found> {
    const entry = this.#entries.get(path);
    const { maxAgeMs } = this.#options;
    if (maxAgeMs > 0 && entry !== undefined && performance.now() - entry.checkedAt < maxAgeMs) {
      entry.isUsed = true;
      return entry;
    }
    const fullPath = join(this.#root, path);
    let look: FileLook | undefined;
    if (this.#pace.next() === "wait") look = await lookAtFile(fullPath);
    else {
      const startedAt = performance.now();
      look = lookAtFileSync(fullPath);
      this.#pace.note(performance.now() - startedAt);
    }
    return this.#check(path, look);
  }

  #check(path: string, look: FileLook | undefined): Found {
    const entry = this.#entries.get(path);
    if (entry === undefined) return look === undefined ? "absent" : undefined;
    if (look !== undefined && isSameFile(look, entry.seen)) {
      entry.checkedAt = performance.now();
      entry.isUsed = true;
      return entry;
    }
    this.#remove(path, entry);
    return look === undefined ? "absent" : undefined;
  }

  /** Keeps what was read of a file, if its path still leads to it, in the state in which it was opened. */
  async keep(
    path: string,
    bytes: Uint8Array<ArrayBuffer>,
    opened: FileFacts & OpenedIdentity,
  ): Promise<void> {
    const cost = this.#costOf(path, bytes);
    if (bytes.length > largestKept || cost > this.#options.maxBytes) return;
    const { seenAtMs, modifiedMs, changedMs } = opened;
    const isSettled = seenAtMs - modifiedMs >= settledMs && seenAtMs - changedMs >= changeShowsMs;
    if (!isSettled) return;
    const seen = await lookAtFile(join(this.#root, path));
    if (seen === undefined || !seen.isFile || !isSameFile(seen, opened)) return;
    const before = this.#entries.get(path);
    if (before !== undefined) this.#remove(path, before);
    this.#entries.set(path, {
      bytes,
      seen,
      heads: new Map(),
      checkedAt: performance.now(),
      isUsed: false,
      facts: { size: opened.size, modifiedMs, changedMs },
    });
    this.#bytes += cost;
    this.#makeRoom();
  }

  #costOf(path: string, bytes: Uint8Array): number {
    return bytes.length + 2 * path.length + overheadBytes;
  }

  #remove(path: string, entry: Entry): void {
    this.#entries.delete(path);
    this.#bytes -= this.#costOf(path, entry.bytes);
  }

  /** Lets go of the oldest; one that was used since it came, or since it was last spared, is spared. */
  #makeRoom(): void {
    for (const [path, entry] of this.#entries) {
      if (this.#bytes <= this.#options.maxBytes) return;
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.delete(path);
        this.#entries.set(path, entry);
      } else this.#remove(path, entry);
    }
  }
}
