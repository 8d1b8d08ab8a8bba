import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { chromium } from "playwright-core";

/** What the functions of a module answered in the browser, by name, and what the browser complained of. */
export interface BrowserReport {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly complaints: readonly string[];
}

const html =
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>hosepipe</title>`;

async function bundle(entry: URL): Promise<string> {
  try {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(entry)],
      bundle: true,
      format: "esm",
      platform: "browser",
      target: "es2024",
      write: false,
      logLevel: "silent",
    });
    return outputFiles[0]!.text;
  } finally {
    await stop();
  }
}

async function serve(files: Readonly<Record<string, readonly [type: string, text: string]>>) {
  const server = createServer(({ url = "" }, response) => {
    const [type, text] = files[url] ?? [];
    response.writeHead(type === undefined ? 404 : 200, { "content-type": type ?? "text/plain" });
    response.end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Bundles a module for browsers, opens it in Chromium, and calls each function it exports. */
export async function runInChromium(
  executablePath: string,
  entry: URL,
  texts: Readonly<Record<string, string>> = {},
): Promise<BrowserReport> {
  const server = await serve({
    "/": ["text/html", html],
    "/page.js": ["text/javascript", await bundle(entry)],
    ...Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [path, ["text/plain", text] as const]),
    ),
  });
  try {
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    try {
      const complaints: string[] = [];
      const page = await browser.newPage();
      page.on("pageerror", (error) => complaints.push(`uncaught: ${error}`));
      page.on("requestfailed", (request) => complaints.push(`request failed: ${request.url()}`));
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const answers = await page.evaluate(async (path): Promise<Record<string, unknown>> => {
        const functions: Record<string, () => unknown> = await import(path);
        const found: Record<string, unknown> = {};
        for (const [name, run] of Object.entries(functions)) {
          try {
            found[name] = await run();
          } catch (error) {
            found[name] = { threw: String(error) };
          }
        }
        // An unhandled rejection is told a turn late.
        await new Promise((resolve) => setTimeout(resolve, 10));
        return found;
      }, "/page.js");
      return { answers, complaints };
    } finally {
      await browser.close();
    }
  } finally {
    await close(server);
  }
}
