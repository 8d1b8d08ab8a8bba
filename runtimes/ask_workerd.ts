import { withWorkerd } from "./with_workerd.ts";

/** What a worker answered, and what workerd complained of. */
export interface WorkerdAnswer {
  readonly text: string;
  readonly errors: string;
}

/** Starts workerd with a configuration of a folder, which has one socket, and asks it for one answer. */
export function askWorkerd(
  executable: string,
  folder: string,
  config: string,
): Promise<WorkerdAnswer> {
  return withWorkerd(executable, folder, config, async (workerd) => {
    const text = await workerd.ask("/");
    return { text, errors: workerd.errors };
  });
}
