import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { readHosts, refusalOf } from "../../src/files/check_host.ts";
import { listenError, localHosts, originOf } from "./running_server.ts";

const types: Readonly<Record<string, string>> = {
  ...{ "": "text/html; charset=utf-8", ".html": "text/html; charset=utf-8" },
  ...{ ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8" },
  ".svg": "image/svg+xml",
};

/** Where pages are served, and until when. */
export interface ServePagesOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** The names besides the machine's own that a request may be for. */
  readonly allowHost: readonly string[] | undefined;
  /** What is printed beside the address. */
  readonly note: string;
  readonly signal: AbortSignal;
}

async function serve(
  pages: ReadonlyMap<string, string>,
  allowedHosts: ReadonlySet<string>,
  { host, port, note, signal }: ServePagesOptions,
): Promise<void> {
  const server = createServer(({ method, url = "", headers }, response) => {
    const refusal = refusalOf(headers.host, allowedHosts);
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { "content-type": "text/plain" });
      return void response.end(refusal.text);
    }
    const path = url.replace(/\?.*$/s, "");
    const page = method === "GET" || method === "HEAD" ? pages.get(path) : undefined;
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": page === undefined ? "text/plain" : types[extname(path)] ?? "text/plain",
      "x-content-type-options": "nosniff",
      // A page of another place could lay its own over it.
      "content-security-policy": "frame-ancestors 'self'",
      "cache-control": "no-store",
    });
    response.end(page ?? "not found\n");
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: taken } = server.address() as AddressInfo;
  console.log(`${originOf(host, taken)} (${note}); open it in a browser, Ctrl-C ends it`);
  if (!signal.aborted) await once(signal, "abort");
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/**
 * Serves pages that are at hand until a signal aborts.
 *
 * @param pages The text of each, by the path that it is asked for by.
 */
export async function servePages(
  pages: ReadonlyMap<string, string>,
  options: ServePagesOptions,
): Promise<void> {
  const { host, allowHost } = options;
  const allowedHosts = readHosts("serve", "--allow-host", localHosts(host, allowHost))!;
  try {
    await serve(pages, allowedHosts, options);
  } catch (error) {
    throw listenError(error, host, options.port);
  }
}
