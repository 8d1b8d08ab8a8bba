import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { answerInPage, type BrowserReport, type Page, servePage } from "./_browser.ts";
import type { WebKitPrograms } from "./_find_webkit.ts";

/** The WebDriver protocol: each command is a request. */
async function command(driver: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${driver}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...body === undefined ? {} : { body: JSON.stringify(body) },
  });
  const { value } = await response.json() as { value: unknown };
  if (!response.ok) throw new Error(`WebKitWebDriver: ${method} ${path}: ${JSON.stringify(value)}`);
  return value;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts an X server without a screen, and gives its display's name. */
async function startDisplay(path: string): Promise<{ xvfb: ChildProcess; display: string }> {
  // It chooses a display that is free, and writes its number to the descriptor.
  const xvfb = spawn(path, ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(xvfb.stdout!, "data") as [Uint8Array];
  return { xvfb, display: `:${String(line).trim()}` };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

async function untilReady(driver: string): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      await command(driver, "GET", "/status");
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function visit(driver: string, browser: string, origin: string): Promise<BrowserReport> {
  const { sessionId } = await command(driver, "POST", "/session", {
    capabilities: {
      alwaysMatch: { "webkitgtk:browserOptions": { binary: browser, args: ["--automation"] } },
    },
  }) as { sessionId: string };
  const session = `/session/${sessionId}`;
  try {
    await command(driver, "POST", `${session}/timeouts`, { script: 300_000 });
    await command(driver, "POST", `${session}/url`, { url: origin });
    const script =
      `const [path, done] = arguments; (${answerInPage})(path).then(done, (error) => ` +
      `done({ answers: {}, complaints: [String(error)] }))`;
    return await command(driver, "POST", `${session}/execute/async`, {
      script,
      args: [`${origin}page.js`],
    }) as BrowserReport;
  } finally {
    await command(driver, "DELETE", session);
  }
}

/** Opens a page's module in WebKit's MiniBrowser, and calls each function it exports. */
export function runInWebKit(programs: WebKitPrograms, page: Page): Promise<BrowserReport> {
  return servePage(page, async (origin) => {
    const { xvfb, display } = await startDisplay(programs.xvfb);
    try {
      const port = await freePort();
      const driver = spawn(programs.driver, [`--port=${port}`, "--host=127.0.0.1"], {
        env: { ...process.env, DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: "1" },
        stdio: "ignore",
      });
      try {
        const address = `http://127.0.0.1:${port}`;
        await untilReady(address);
        return await visit(address, programs.browser, origin);
      } finally {
        await end(driver);
      }
    } finally {
      await end(xvfb);
    }
  });
}
