import type { NeedsOf } from "../../scenarios/command_line/task_needs.ts";

/** The commands that run in a process which may do no more than they need: how each says what that is. */
export const launched: Readonly<Record<string, () => Promise<NeedsOf>>> = {
  compare: async () => (await import("../compare.ts")).compareNeeds,
  demo: async () => (await import("../../scenarios/demo/command.ts")).demoNeeds,
  playground: async () => (await import("../playground.ts")).playgroundNeeds,
  queue: async () => (await import("../../scenarios/consume/queue_command.ts")).queueNeeds,
  serve: async () => (await import("../../scenarios/serve/command.ts")).serveNeeds,
  site: async () => (await import("../site.ts")).siteNeeds,
};

/** Where the command of a job is, seen from `scripts`; any other is there itself. */
export const jobFiles: Readonly<Record<string, string>> = {
  demo: "../scenarios/demo/command.ts",
  queue: "../scenarios/consume/queue_command.ts",
  serve: "../scenarios/serve/command.ts",
};
