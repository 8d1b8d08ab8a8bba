import type { NeedsOf } from "./task_needs.ts";

/** The commands that run in a process which may do no more than they need: how each says what that is. */
export const launched: Readonly<Record<string, () => Promise<NeedsOf>>> = {
  compare: async () => (await import("../compare.ts")).compareNeeds,
  demo: async () => (await import("../demo.ts")).demoNeeds,
  playground: async () => (await import("../playground.ts")).playgroundNeeds,
  queue: async () => (await import("../queue.ts")).queueNeeds,
  report: async () => (await import("../report.ts")).reportNeeds,
  serve: async () => (await import("../serve.ts")).serveNeeds,
  site: async () => (await import("../site.ts")).siteNeeds,
};
