/** An open file, which goes on being it when it gets another name. */
export interface LogFile {
  readonly id: number;
  readonly size: () => Promise<number>;
  readonly read: (from: number, to: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** Where log files are. */
export interface LogFiles {
  /** Which file has the name now; `undefined` if none has. */
  readonly idOf: (path: string) => Promise<number | undefined>;
  readonly open: (path: string) => Promise<LogFile | undefined>;
}

/** What the program is given. */
export interface LogTailerParts {
  readonly files: LogFiles;
  readonly pollMs: number;
  /** How many of the last lines a client is given first. */
  readonly replay: number;
  /** How many lines a client may be behind; then its oldest are dropped. */
  readonly highWaterMark: number;
}

/** A log that is followed. */
export interface FollowedLog {
  /** Answers with the last lines and those to come, as server-sent events. */
  readonly answer: () => Response;
  /** How many lines the clients that are there have missed. */
  readonly dropped: () => number;
  readonly clientCount: () => number;
  readonly stop: () => Promise<void>;
}

/** The program. */
export type LogTailer = (path: string, parts: LogTailerParts) => FollowedLog;

const newline = Uint8Array.of(10);

/** What is appended to the file of a name, looked at with each tick, also after it was renamed or cut. */
export async function* follow(
  ticks: AsyncIterable<unknown>,
  path: string,
  files: LogFiles,
): AsyncGenerator<Uint8Array> {
  let file: LogFile | undefined;
  let position = 0;
  let isInLine = false;
  async function* readOn(): AsyncGenerator<Uint8Array> {
    const size = await file!.size();
    if (size < position) position = 0;
    if (size === position) return;
    const bytes = await file!.read(position, size);
    position += bytes.length;
    isInLine = bytes.at(-1) !== 10;
    yield bytes;
  }
  try {
    for await (const _ of ticks) {
      if (file !== undefined) yield* readOn();
      const id = await files.idOf(path);
      if (id === undefined || id === file?.id) continue;
      // What came between is still in the old file.
      if (file !== undefined) yield* readOn();
      if (isInLine) yield newline;
      isInLine = false;
      await file?.close();
      file = await files.open(path);
      position = 0;
      if (file !== undefined) yield* readOn();
    }
  } finally {
    await file?.close();
  }
}
