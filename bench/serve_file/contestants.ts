import type { Contestant } from "../measure/workload.ts";
import type { ServeFile } from "./job.ts";

/** A contestant of serve_file, whose code is loaded only when it is asked for. */
export interface ServeFileContestant extends Contestant<ServeFile> {
  /** Whether it holds a whole file for every connection. */
  readonly holdsFiles?: boolean;
}

/** Every contestant of serve_file; a new one is one entry here and one file beside this. */
export const contestants: readonly ServeFileContestant[] = [
  {
    name: "buffer-web",
    about: "Request to Response, each file read whole before it is sent",
    holdsFiles: true,
    load: async () => (await import("./contestants/ours.ts")).ours("web", "buffer"),
  },
  {
    name: "stream-web",
    about: "Request to Response, a ReadableStream of 256 KiB chunks read on demand",
    load: async () => (await import("./contestants/ours.ts")).ours("web", "stream"),
  },
  {
    name: "buffer-node",
    about: "node:http, each file read whole before it is sent",
    holdsFiles: true,
    load: async () => (await import("./contestants/ours.ts")).ours("node", "buffer"),
  },
  {
    name: "stream-node",
    about: "node:http and node:stream, 256 KiB chunks read on demand",
    load: async () => (await import("./contestants/ours.ts")).ours("node", "stream"),
  },
  {
    name: "bun-file",
    about: "Bun's own way: Bun.serve answers with Bun.file",
    runtimes: ["bun"],
    load: async () => (await import("./contestants/bun_file.ts")).bunFile,
  },
  {
    name: "deno-open",
    about: "Deno's own way: Deno.serve answers with Deno.open().readable",
    runtimes: ["deno"],
    load: async () => (await import("./contestants/deno_open.ts")).denoOpen,
  },
  {
    name: "create-read-stream",
    about: "Node's own way: createReadStream().pipe() into node:http's response",
    runtimes: ["node"],
    load: async () => (await import("./contestants/create_read_stream.ts")).createReadStreamPipe,
  },
];
