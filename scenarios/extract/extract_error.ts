import { BadRowError } from "./bad_row_error.ts";

const systemErrors: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the device",
  EFBIG: "the file would be too large",
  EDQUOT: "the disk quota is used up",
  EIO: "the device failed",
  EROFS: "the file system is read-only",
};

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll(/\s+/g, " ").trim();
}

/** An extraction that failed: what, where, and how many rows were written. */
export class ExtractError extends Error {
  override name = "ExtractError";
  readonly rows: number;

  constructor(cause: unknown, at: { source: string; output: string; rows: number }) {
    const { code, syscall } = (cause ?? {}) as { code?: unknown; syscall?: unknown };
    const isOutput = typeof code === "string" &&
      (code in systemErrors || syscall === "write" || syscall === "fsync" || syscall === "rename");
    const what = isOutput ? systemErrors[code] ?? messageOf(cause) : messageOf(cause);
    const action = isOutput
      ? `write ${at.output}`
      : cause instanceof BadRowError
      ? `read a row of ${at.source}`
      : `read ${at.source}`;
    super(`Cannot ${action}: ${what}; ${at.rows} rows were written`, { cause });
    this.rows = at.rows;
  }
}
