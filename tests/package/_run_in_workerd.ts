import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { answerInPage, type BrowserReport, bundle, type Page, servePage } from "./_browser.ts";

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .page),
    (name = "here", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const page :Workerd.Worker = (
  modules = [
    (name = "main.js", esModule = embed "main.js"),
    (name = "page.js", esModule = embed "page.js"),
  ],
  compatibilityDate = "2026-10-01",
  globalOutbound = "here",
);
`;

/** The module that answers the one request: it calls each function of the page's module. */
const mainOf = (origin: string) =>
  `globalThis.complaints = [];
addEventListener("unhandledrejection", ({ reason }) => complaints.push("unhandled: " + reason));
const fetchFrom = globalThis.fetch;
globalThis.fetch = (url, init) => fetchFrom(new URL(url, ${JSON.stringify(origin)}), init);
const answerInPage = ${answerInPage};
export default {
  async fetch() {
    return Response.json(await answerInPage("page.js"));
  },
};
`;

/** Runs a page's module in workerd, and calls each function it exports. */
export function runInWorkerd(executablePath: string, page: Page): Promise<BrowserReport> {
  return servePage(page, async (origin) => {
    const folder = await mkdtemp(join(tmpdir(), "hosepipe-workerd-"));
    await writeFile(join(folder, "config.capnp"), config);
    await writeFile(join(folder, "main.js"), mainOf(origin));
    await writeFile(join(folder, "page.js"), await bundle(page, `${origin}page.js`));
    const flags = ["serve", "config.capnp", "--control-fd=1"];
    const child = spawn(executablePath, flags, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    try {
      let errors = "";
      child.stderr.on("data", (bytes) => errors += bytes);
      const gone = once(child, "exit").then(() => {
        throw new Error(`workerd has ended: ${errors}`);
      });
      const [line] = await Promise.race([once(createInterface(child.stdout), "line"), gone]);
      const { port } = JSON.parse(line) as { readonly port: number };
      const response = await Promise.race([fetch(`http://127.0.0.1:${port}/`), gone]);
      const text = await response.text();
      if (!response.ok) throw new Error(`workerd answers ${response.status}: ${text}\n${errors}`);
      const report: BrowserReport = JSON.parse(text);
      return { ...report, complaints: [...report.complaints, ...errors === "" ? [] : [errors]] };
    } finally {
      child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  });
}
