import process from "node:process";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../../scenarios/consume/faults/servers/free_port.ts";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A window of WebKit. */
export interface WebKitWindow {
  /** Opens an address, and waits until it is loaded. */
  open(url: string): Promise<void>;
  /** Runs a function in the page; what it is given and what it answers is plain. */
  run<A extends readonly unknown[], R>(
    use: (...args: A) => R | Promise<R>,
    ...args: A
  ): Promise<R>;
  /** Makes the window so large. */
  resize(width: number, height: number): Promise<void>;
}

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

/** Starts an X server without a screen, and gives its display's name. */
async function startDisplay(path: string): Promise<{ xvfb: ChildProcess; display: string }> {
  // It chooses a display that is free, and writes its number to the descriptor.
  const xvfb = spawn(
    path,
    ["-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
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

/** A session with the browser as a window; what a page runs may take nine minutes. */
async function inSession<R>(
  driver: string,
  browser: string,
  use: (window: WebKitWindow) => Promise<R>,
): Promise<R> {
  const { sessionId } = await command(driver, "POST", "/session", {
    capabilities: {
      alwaysMatch: { "webkitgtk:browserOptions": { binary: browser, args: ["--automation"] } },
    },
  }) as { sessionId: string };
  const session = `/session/${sessionId}`;
  try {
    await command(driver, "POST", `${session}/timeouts`, { script: 550_000 });
    return await use({
      async open(url) {
        await command(driver, "POST", `${session}/url`, { url });
      },
      async run(use, ...args) {
        const script = `const done = arguments[arguments.length - 1];
Promise.resolve().then(() => (${use})(...[...arguments].slice(0, -1)))
  .then((answer) => done({ answer }), (error) => done({ threw: String(error) }));`;
        const { answer, threw } = await command(driver, "POST", `${session}/execute/async`, {
          ...{ script, args },
        }) as { answer: never; threw?: string };
        if (threw !== undefined) throw new Error(`in WebKit: ${threw}`);
        return answer;
      },
      async resize(width, height) {
        await command(driver, "POST", `${session}/window/rect`, { x: 0, y: 0, width, height });
      },
    });
  } finally {
    await command(driver, "DELETE", session);
  }
}

/** Starts WebKit's MiniBrowser, without a screen, for as long as `use` takes. */
export async function withWebKit<R>(
  programs: WebKitPrograms,
  use: (window: WebKitWindow) => Promise<R>,
): Promise<R> {
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
      return await inSession(address, programs.browser, use);
    } finally {
      await end(driver);
    }
  } finally {
    await end(xvfb);
  }
}

/** What a visit to WebKit needs. */
export interface WebKitPrograms {
  readonly driver: string;
  readonly browser: string;
  readonly xvfb: string;
}

/** Where Debian and Fedora put WebKit's own programs. */
const libraries = ["/usr/lib", "/usr/lib64", "/usr/libexec"];

function onPath(name: string): string | undefined {
  return (process.env.PATH ?? "").split(delimiter).filter(Boolean)
    .map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function subfolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** Finds WebKit for Linux, as packages install it: `webkit2gtk-driver`, `gir1.2-webkit2-4.1` and `xvfb` in Debian. */
export function findWebKit(): WebKitPrograms | undefined {
  const driver = onPath("WebKitWebDriver");
  const xvfb = onPath("Xvfb");
  const browser = libraries.flatMap(subfolders).flatMap((folder) => [folder, ...subfolders(folder)])
    .filter((folder) => folder.includes("webkit2gtk") || folder.includes("webkitgtk"))
    .map((folder) => join(folder, "MiniBrowser"))
    .find((path) => existsSync(path));
  if (driver === undefined || xvfb === undefined || browser === undefined) return undefined;
  return { driver, browser, xvfb };
}
