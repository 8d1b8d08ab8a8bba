import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askWorkerd } from "../../runtimes/ask_workerd.ts";
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
    try {
      const { text, errors } = await askWorkerd(executablePath, folder, "config.capnp");
      const report: BrowserReport = JSON.parse(text);
      return { ...report, complaints: [...report.complaints, ...errors === "" ? [] : [errors]] };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
