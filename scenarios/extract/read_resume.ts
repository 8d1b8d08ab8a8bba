import { UsageError } from "../command_line/usage_error.ts";
import { readSize } from "./read_size.ts";

const defaultEvery = "8MiB";
const mostBytes = 2 ** 30;

/** Where `--resume` alone stands in a command line, gives it a value that is refused with its reason. */
export function spellOutResume(args: readonly string[]): string[] {
  return args.map((arg, index) =>
    arg === "--resume" && args[index + 1] !== "new-snapshot" ? "--resume=old-snapshot" : arg
  );
}

/**
 * Reads what there is to resuming; `undefined`: it is not asked for.
 *
 * @throws {UsageError} If it is asked for in vain.
 */
export function readResume(
  { resume, checkpoint, out, threads }: {
    readonly resume: string | undefined;
    readonly checkpoint: string | undefined;
    readonly out: string;
    readonly threads: number | undefined;
  },
): { readonly everyBytes: number } | undefined {
  if (resume === undefined) {
    if (checkpoint !== undefined) throw new UsageError("--checkpoint needs --resume=new-snapshot");
    return undefined;
  }
  if (resume !== "new-snapshot") {
    throw new UsageError(
      "--resume must be --resume=new-snapshot: the snapshot of a run that was killed is gone, " +
        "so the rest is read as it is now",
    );
  }
  if (out === "-") throw new UsageError("--resume needs a file: nothing of a pipe can be kept");
  if (threads !== undefined) {
    throw new UsageError("--resume reads in one thread: leave out --threads");
  }
  return { everyBytes: readSize("--checkpoint", checkpoint ?? defaultEvery, mostBytes) };
}
