import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants } from "./contestants.ts";
import type { From, RunRealWork } from "./job.ts";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import type { Customers, ShopEvent } from "./steps/steps.ts";

const customerCount = 1000;
const regions = ["north", "south", "east", "west"];
const kinds = ["view", "view", "cart", "order", "order"] as const;

/** The customers of the shop, always the same; some who order are not among them. */
function makeCustomers(): Customers {
  return new Map(Array.from({ length: customerCount }, (_, index) => [
    `customer-${index}`,
    { region: regions[index % regions.length]!, since: 1990 + index % 35 },
  ]));
}

/** Lines of JSON of about 300 bytes, always the same and no two alike; two of five are orders. */
function* makeEvents(count: number): Generator<string> {
  const random = seededRandom(1);
  const integer = (below: number) => Math.floor(random() * below);
  for (let id = 0; id < count; id++) {
    const event: ShopEvent = {
      id,
      at: new Date(1_750_000_000_000 + id * 137).toISOString(),
      kind: kinds[integer(kinds.length)]!,
      customer: `customer-${integer(customerCount + 50)}`,
      page: {
        path: `/articles/${integer(1e6).toString(36)}/größe-${integer(50)}`,
        referrer: integer(2) === 0 ? null : "https://example.com/search",
      },
      items: Array.from({ length: 1 + integer(4) }, () => ({
        sku: integer(1e9).toString(36),
        count: 1 + integer(5),
        cents: integer(100_000),
      })),
    };
    yield JSON.stringify(event);
  }
}

/** A server that answers every request with one file. */
interface EventServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a file on a port of its own, for the runs of one case. */
async function serveEvents(path: string): Promise<EventServer> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/x-ndjson");
    pipeline(createReadStream(path), response, () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function prepare(run: RunRealWork, { params }: CaseRequest): Promise<PreparedCase> {
  const from = String(params.from) as From;
  const text = Array.from(makeEvents(Number(params.events)), (line) => `${line}\n`).join("");
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-real-work-"));
  const [inputPath, outputPath] = [join(folder, "events"), join(folder, "orders")];
  await writeFile(inputPath, from === "gzip" ? gzipSync(text) : text);
  const server = from === "http" ? await serveEvents(inputPath) : undefined;
  const customers = makeCustomers();
  const expected =
    text.split("\n").filter((line) => line !== "" && JSON.parse(line).kind === "order")
      .length;
  return {
    // Written over, the last output would have to reach the disk first: milliseconds, and never the same.
    reset: () => rm(outputPath, { force: true }),
    run: () => run({ from, inputPath, url: server?.url ?? "", outputPath, customers }),
    async verify() {
      const output = await readFile(outputPath);
      const orders = output.toString().split("\n").length - 1;
      assert(orders === expected, `${orders} of ${expected} orders written`);
      return {
        chunks: Number(params.events),
        bytes: Buffer.byteLength(text),
        digest: createHash("sha256").update(output).digest("hex"),
      };
    },
    async dispose() {
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const whyNear =
  "The job itself is nearly all of the time, and the same for all: JSON.parse takes 66 % in Node and " +
  "59 % in Bun, the library 3 % (`--cpu-prof` of `pipeline` from a file). A loop by hand, in the " +
  "row `hand` of the tables, is hardly faster, so that no stream could get further ahead. With " +
  "gzip and HTTP they share the work of inflating and of the server too.";
const whyNotHand =
  "The library itself is 3 % of the time (`--cpu-prof` from a file, in Node and Bun); the rest is the " +
  "same code, whose time differs from process to process.";

/** What streams are mostly used for: lines of JSON in, some work on each, lines of JSON out. */
export const realWork: Workload = defineWorkload({
  name: "real_work",
  about:
    "NDJSON from a file, a gzip file or HTTP: parse, filter, project, enrich, NDJSON to a file",
  set: "tour",
  params: {
    from: choiceParam("from", {
      about: "where the events come from",
      choices: ["file", "gzip", "http"],
      tour: ["file"],
      publish: ["file", "gzip", "http"],
    }),
    events: integerParam("events", {
      about: "how many lines of about 300 bytes",
      values: [40_000],
      quick: [4_000],
      publish: [10_000],
      full: [400_000],
    }),
  },
  contestants,
  rates: ["ns per chunk", "MiB/s"],
  bars: ["file", "gzip", "http"].flatMap((from) => {
    const params = { from };
    return [
      bar("node", "pipeline", { params, atLeast: 1.4, whyMissed: whyNear }),
      bar("web", "pipeline", { params, atLeast: 2.3, whyMissed: whyNear }),
      bar("pipeline", "hand", { params, atMost: 1.25, whyMissed: whyNotHand }),
    ];
  }),
  prepare,
});
