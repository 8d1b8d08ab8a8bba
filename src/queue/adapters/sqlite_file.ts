import { builtinModule } from "../../builtin_module.ts";

interface FileSystem {
  statSync(
    path: string,
    options: { throwIfNoEntry: false },
  ): { dev: number; ino: number } | undefined;
}

/** Which file is at a path at this time; `undefined` if there is none, or if that cannot be seen. */
function identify(path: string): string | undefined {
  const stats = builtinModule<FileSystem>("node:fs")?.statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/**
 * Watches that the file of a database is still at its path. SQLite itself goes on with the file it has opened, where
 * no other process finds what it writes.
 */
export class SqliteFile {
  readonly #path: string;
  readonly #first: string | undefined;
  #firstWal: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#first = identify(path);
  }

  /** Throws if another file is at the path, or none, or if its log of writes is another. */
  check(): void {
    if (this.#first === undefined) return;
    this.#compare(this.#path, this.#first);
    const wal = `${this.#path}-wal`;
    // It is there from the first write on, for as long as a connection is open.
    if (this.#firstWal === undefined) this.#firstWal = identify(wal);
    else this.#compare(wal, this.#firstWal);
  }

  #compare(path: string, first: string): void {
    const now = identify(path);
    if (now === first) return;
    throw new Error(
      `The queue's file ${path} was ${now === undefined ? "removed" : "replaced"} while it was ` +
        "open: open the database again",
    );
  }
}
