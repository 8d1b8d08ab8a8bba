import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { type BodyStep, contestants, type SendBody } from "./contestants.ts";

const all: readonly BodyStep[] = [
  (text) => text.toUpperCase(),
  (text) => `<${text}`,
  (text) => text.replace("ROW", "row"),
  (text) => `${text}>`,
  (text) => `${text}\n`,
];

/** The steps of a body: five that differ, in turn. */
function bodySteps(count: number): BodyStep[] {
  return Array.from({ length: count }, (_, index) => all[index % all.length]!);
}

const concurrency = 8;

async function prepare(send: SendBody, { params }: CaseRequest): Promise<PreparedCase> {
  const pieces = Array.from({ length: Number(params.chunks) }, (_, index) => `row ${index}`);
  const requests = Number(params.requests);
  const steps = bodySteps(Number(params.stages));
  let failure: { readonly reason: unknown } | undefined;
  const server = createServer((_, response) => {
    send({ pieces, steps, response }).catch((reason) => {
      failure ??= { reason };
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const digests = new Set<string>();
  let bytes = 0;

  const request = async (): Promise<void> => {
    const asked = get({ agent, port, host: "127.0.0.1" });
    const [message] = await once(asked, "response") as [IncomingMessage];
    const hash = createHash("sha256");
    for await (const chunk of message) {
      bytes += chunk.length;
      hash.update(chunk);
    }
    digests.add(hash.digest("hex"));
  };

  return {
    async run() {
      digests.clear();
      bytes = 0;
      let left = requests;
      const client = async () => {
        while (left-- > 0) await request();
      };
      await Promise.all(Array.from({ length: concurrency }, client));
      if (failure !== undefined) throw failure.reason;
    },
    verify() {
      assert(digests.size === 1, `${digests.size} different bodies`);
      return { chunks: requests * pieces.length, bytes, digest: [...digests][0]! };
    },
    async dispose() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers of a server: what a chain costs that is made and drained for each request. */
export const httpBody: Workload = defineWorkload({
  name: "http_body",
  about:
    `a node:http server whose bodies go through stages, and a client of ${concurrency} connections, in one process`,
  params: {
    chunks: integerParam("chunks", {
      about: "pieces of text in each body",
      values: [100],
      publish: [10, 100],
      full: [10, 100, 1_000],
    }),
    requests: integerParam("requests", {
      about: "requests",
      values: [500],
      quick: [50],
      publish: [500],
    }),
    stages: integerParam("stages", {
      about: "stages, which change text",
      minimum: 0,
      maximum: 1_000,
      values: [5],
    }),
  },
  bars: [
    bar("pipeline", "node", { atMost: 1 }),
    bar("fuse", "node", {
      atMost: 1,
      whyMissed:
        "In Bun the native pipes around `fuse` are a quarter of it (`--cpu-prof`), the engine a fiftieth; `pipeline` in " +
        "their place is faster in each runtime. Tried: a highWaterMark of 16 at both ends of `fuse` (a tenth in Bun, nothing in " +
        "Deno); a highWaterMark of 16,384 at the response (the same); a readable side that is filled as soon as there is room " +
        "(nothing at the default of 1).",
    }),
  ],
  set: "publish",
  contestantSet: "publish",
  contestants,
  prepare,
});
