import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { throwTypeError } from "../errors.ts";
import { anything, callback, integer, readOptions } from "../read_options.ts";
import { describeRuns } from "../inspect/print_pending_runs.ts";
import type { ProbeOutput } from "../inspect/probe_output.ts";
import { recorderOf } from "../inspect/create_output.ts";
import { inAddress, isOwnHost } from "./is_own_host.ts";
import { createPage } from "./page.ts";
import { ProbeFeed } from "./probe_feed.ts";
import { showProbe, showRun } from "./shown.ts";

/** Where a pipeline is shown, and how much of it. */
export interface ServeProbeOptions {
  /** The address or name to listen on. Default: `127.0.0.1`, so only this machine can connect. */
  host?: string | undefined;
  /** The port, from 0 to 65,535. Default: 0, any free port. */
  port?: number | undefined;
  /**
   * Makes text of a chunk, of which the page shows the first 200 characters, and the reasons of failures with it.
   * It is called for the last chunk of each stage, some ten times a second while a page is open. Default: none, and no
   * page learns what is in chunks.
   */
  // deno-lint-ignore no-explicit-any -- a probe sees chunks of every stage
  show?: ((chunk: any) => string) | undefined;
}

/** A page that is being served. */
export interface ServedProbe {
  /** The address of the page. */
  readonly url: string;
  /** Ends every page and the server; answers when nothing of it is left. */
  close(): Promise<void>;
  /** Does the same, where a block of `await using` ends. */
  [Symbol.asyncDispose](): Promise<void>;
}

const action = "serve probe";
/** How long pages have to hear that it is over. */
const graceMs = 500;

function readServeOptions(options: ServeProbeOptions) {
  const readers = { host: anything("127.0.0.1"), port: integer(0, 0), show: callback() };
  const read = readOptions(action, options, readers);
  const { host, port } = read;
  if (typeof host !== "string" || host === "") {
    throwTypeError(action, "host", "an address or a name", host);
  }
  if (port > 65_535) {
    throw new RangeError(`Cannot ${action}: port must be at most 65535, got ${port}`);
  }
  return read;
}

/** Why a request is refused, if it is. */
function refusal(
  request: IncomingMessage,
  host: string,
): [status: number, text: string] | undefined {
  const { method, headers, rawHeaders } = request;
  const port = request.socket.localPort!;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name));
  if (hosts.length !== 1 || !isOwnHost(headers.host, host, port)) {
    return [403, "This server answers only to its own address."];
  }
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) {
    return [403, "This server answers only its own page."];
  }
  if (headers["sec-fetch-site"] === "cross-site") {
    return [403, "This server answers no other site: type or paste its address."];
  }
  if (method !== "GET") return [405, "Only GET is answered."];
  return undefined;
}

const plain = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** What is served, and where. */
interface Served {
  readonly host: string;
  /** What an address begins with: who does not know it, such as another page in the browser, sees nothing. */
  readonly token: string;
  readonly feed: ProbeFeed;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { host, token, feed }: Served,
): void {
  const begin = `/${token}/`;
  const path = request.url!.startsWith(begin) ? request.url!.slice(begin.length) : undefined;
  const head = (type: string, headers: Readonly<Record<string, string>> = {}, status = 200) =>
    response.writeHead(status, { ...plain, ...headers, "content-type": `${type}; charset=utf-8` });
  const refuse = ([status, text]: readonly [status: number, text: string]) =>
    void head("text/plain", status === 405 ? { allow: "GET" } : {}, status).end(`${text}\n`);
  const refused = refusal(request, host);
  if (refused !== undefined) return refuse(refused);
  if (path === "") {
    const { html, policy } = createPage();
    head("text/html", { "content-security-policy": policy }).end(html);
  } else if (path === "runs.txt") {
    head("text/plain").end(describeRuns().join("\n"));
  } else if (path === "events") {
    head("text/event-stream");
    feed.open(response);
  } else {
    const recording = path === "recording.jsonl" ? feed.record() : undefined;
    if (recording === undefined) return refuse([404, "There is no such page."]);
    const disposition = 'attachment; filename="hosepipe-recording.jsonl"';
    head("application/jsonl", { "content-disposition": disposition }).end(recording);
  }
}

/**
 * Shows a running pipeline in a page: its buffers as slots up to their high-water marks, what is beyond them, which
 * stage has been asked to pause, counts, and the sentence of `bottleneck()`. The probe may be one of
 * `@hosepipe/streams` or of `@hosepipe/streams/node`.
 *
 * The pipeline is looked at ten times a second while a page is open, and not at all while none is. A page that is
 * opened late sees what is there; one that does not read misses states, and says how many, and never slows the
 * pipeline. Below it the page lists the runs that have not ended, as `printPendingRuns` does. The address has a random
 * token in it, without which nothing is answered; requests with another `Host` than the server's own, or from another
 * site's page, are refused. The server keeps the process alive until
 * it is closed, so that the end can be seen. A link on the page saves a recording, as `toJsonLines()` writes it but
 * with chunks by their numbers and without reasons, unless `show` is given.
 *
 * @param probe What `probe()` made; or the name of a run without a probe, as `pipeline` is given it, of which the page
 * shows counts and what it waits for. Of several the one that began last.
 * @param options `host` (default `127.0.0.1`), `port` (default 0, any that is free), `show`, which makes text of a
 * chunk (default: chunks are not shown).
 * @returns The page's `url`, and `close()`.
 *
 * @throws {TypeError} If `probe` is none, or an option is unknown or of the wrong type.
 * @throws {RangeError} If `port` is not an integer from 0 to 65,535.
 * @throws {Error} If it cannot listen, for instance because the port is in use; the `cause` is the system's error.
 *
 * @example
 * ```ts
 * import { pipeline } from "@hosepipe/streams";
 * import { probe } from "@hosepipe/streams/inspect";
 * import { serveProbe } from "@hosepipe/streams/node";
 * import assert from "node:assert/strict";
 *
 * const look = probe({ name: "orders" });
 * const { url, close } = await serveProbe(look);
 * console.log(`Look at ${url}`);
 * await pipeline(look.reader([1, 2, 3]), look.writer(() => {}));
 *
 * const page = await (await fetch(url)).text();
 * assert(page.startsWith("<!doctype html>"));
 * await close();
 * ```
 */
export async function serveProbe(
  probe: ProbeOutput | string,
  options: ServeProbeOptions = {},
): Promise<ServedProbe> {
  const recorder = typeof probe === "string" && probe !== ""
    ? undefined
    : recorderOf(action, probe);
  const { host, port, show } = readServeOptions(options);
  const feed = new ProbeFeed(
    recorder === undefined ? showRun(probe as string) : showProbe(recorder, show),
  );
  const token = randomBytes(16).toString("hex");
  const served = { host, token, feed };
  const server = createServer((request, response) => answer(request, response, served));
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, graceMs));
    await Promise.race([feed.close(), late]);
    clearTimeout(timer);
    server.closeAllConnections();
    await closed;
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject);
      server.listen(port, host, resolve);
    });
  } catch (cause) {
    await feed.close();
    const why = (cause as NodeJS.ErrnoException).code === "EADDRINUSE"
      ? "the port is in use"
      : (cause as Error).message;
    throw new Error(`Cannot ${action}: ${inAddress(host)}:${port}: ${why}`, { cause });
  }
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : inAddress(host);
  const url = `http://${shown}:${(server.address() as AddressInfo).port}/${token}/`;
  let closing: Promise<void> | undefined;
  const closeOnce = () => closing ??= close();
  return { url, close: closeOnce, [Symbol.asyncDispose]: closeOnce };
}
