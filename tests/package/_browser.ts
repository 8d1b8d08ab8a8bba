import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { removeNewerParts } from "../lib/remove_newer_parts.ts";

/** What the functions of a module answered in the browser, by name, and what the browser complained of. */
export interface BrowserReport {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly complaints: readonly string[];
}

/** A module to run in a page. */
export interface Page {
  readonly entry: URL;
  /** What the syntax is made for, as esbuild names it. */
  readonly target: string;
  /** Texts that the page can fetch, by path. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Whether the browser is as old as the oldest that the library is for. */
  readonly isOld?: boolean;
}

const htmlOf = ({ isOld = false }: Page) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>hosepipe</title>
<script>
globalThis.complaints = [];
addEventListener("error", ({ message }) => complaints.push("uncaught: " + message));
addEventListener("unhandledrejection", ({ reason }) => complaints.push("unhandled: " + reason));
${isOld ? `(${removeNewerParts})();` : ""}
</script>`;

/** Calls each function that the page's module exports, or the one that is named, in the page. */
export async function answerInPage(path: string, only?: string): Promise<BrowserReport> {
  const functions: Record<string, () => unknown> = await import(path);
  const answers: Record<string, unknown> = {};
  for (const [name, run] of Object.entries(functions)) {
    if (only !== undefined && name !== only) continue;
    // Long, since all laws are one function and the machine may be busy; a page that hangs names what hung.
    const late = new Promise((resolve) =>
      setTimeout(resolve, 500_000, { threw: "not done in 500 s" })
    );
    try {
      answers[name] = await Promise.race([run(), late]);
    } catch (error) {
      answers[name] = { threw: String(error) };
    }
  }
  // An unhandled rejection is told a turn late.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { answers, complaints: (globalThis as unknown as BrowserReport).complaints };
}

/** Makes one file of a page's module; `address` is that of the file where the runtime does not say it. */
export async function bundle({ entry, target }: Page, address?: string): Promise<string> {
  try {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(entry)],
      bundle: true,
      format: "esm",
      platform: "browser",
      // `sideEffects` in package.json speaks of what is published, not of tests.
      ignoreAnnotations: true,
      target,
      define: address === undefined ? {} : { "import.meta.url": JSON.stringify(address) },
      alias: {
        "node:process": fileURLToPath(new URL("./_browser_process.ts", import.meta.url)),
        "node:test": fileURLToPath(new URL("./_browser_test.ts", import.meta.url)),
      },
      write: false,
      logLevel: "silent",
    });
    return outputFiles![0]!.text;
  } finally {
    await stop();
  }
}

/** Bundles a page's module, serves it as `/page.js`, and gives its origin to `visit`. */
export async function servePage<T>(page: Page, visit: (origin: string) => Promise<T>): Promise<T> {
  const files = new Map([
    ["/", ["text/html", htmlOf(page)]],
    ["/page.js", ["text/javascript", await bundle(page)]],
    ...Object.entries(page.texts ?? {}).map(([path, text]) =>
      [path, ["text/plain", text]] as [string, string[]]
    ),
  ]);
  const server = createServer(({ url = "" }, response) => {
    const [type, text] = files.get(url) ?? [];
    response.writeHead(type === undefined ? 404 : 200, { "content-type": type ?? "text/plain" });
    response.end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }
}
