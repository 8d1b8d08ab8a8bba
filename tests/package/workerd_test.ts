import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { findWorkerd } from "../../runtimes/find_workerd.ts";
import { type RunningWorkerd, withWorkerd } from "../../runtimes/with_workerd.ts";
import { answerInPage, type BrowserReport, bundle, type Page, servePage } from "./_browser.ts";
import { testInBrowser } from "./_test_in_browser.ts";

/**
 * Lets all timers of at most a millisecond share one, in a runtime where each takes a turn of its own thread, and so
 * a hundred that are set at a time take a hundred times as long. Its text is run: it may use nothing around it. Answers a function that forgets what waits, since timers
 * end with the request that set them.
 */
function shareTurns(): () => void {
  const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis;
  const longest = 1;
  const waiting = new Map();
  let count = 0;
  const fire = () => {
    const due = [...waiting.values()];
    waiting.clear();
    for (const call of due) queueMicrotask(call);
  };
  Object.assign(globalThis, {
    setTimeout(call: () => void, ms = 0, ...args: []) {
      if (ms > longest) return setTimer(call, ms, ...args);
      if (waiting.size === 0) setTimer(fire, longest);
      const id = `shared ${count++}`;
      waiting.set(id, () => call(...args));
      return id;
    },
    clearTimeout(id: number) {
      // The shared timer may find nothing left.
      if (!waiting.delete(id)) clearTimer(id);
    },
  });
  return () => waiting.clear();
}

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

/** The module that names the functions of the page's module, and calls the one that a request names. */
const mainOf = (origin: string) =>
  `globalThis.complaints = [];
addEventListener("unhandledrejection", ({ reason }) => complaints.push("unhandled: " + reason));
const fetchFrom = globalThis.fetch;
globalThis.fetch = (url, init) => fetchFrom(new URL(url, ${JSON.stringify(origin)}), init);
const answerInPage = ${answerInPage};
const forgetTurns = (${shareTurns})();
export default {
  async fetch({ url }) {
    const name = new URL(url).searchParams.get("function");
    if (name === null) return Response.json(Object.keys(await import("page.js")));
    forgetTurns();
    return Response.json(await answerInPage("page.js", name));
  },
};
`;

/** Runs a page's module in workerd, and calls each function it exports in a request of its own. */
function runInWorkerd(executablePath: string, page: Page): Promise<BrowserReport> {
  return servePage(page, async (origin) => {
    const folder = await mkdtemp(join(tmpdir(), "hosepipe-workerd-"));
    await writeFile(join(folder, "config.capnp"), config);
    await writeFile(join(folder, "main.js"), mainOf(origin));
    await writeFile(join(folder, "page.js"), await bundle(page, `${origin}page.js`));
    try {
      return await withWorkerd(executablePath, folder, "config.capnp", callEach);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** Calls one function after the other: what one leaves behind is not another's. */
async function callEach(workerd: RunningWorkerd): Promise<BrowserReport> {
  const names: readonly string[] = JSON.parse(await workerd.ask("/"));
  const answers: Record<string, unknown> = {};
  let complaints: readonly string[] = [];
  for (const name of names) {
    const report: BrowserReport = JSON.parse(await workerd.ask(`/?function=${name}`));
    Object.assign(answers, report.answers);
    ({ complaints } = report);
  }
  const { errors } = workerd;
  return { answers, complaints: errors === "" ? complaints : [...complaints, errors] };
}

const executable = findWorkerd();

testInBrowser({
  name: "workerd",
  target: "es2024",
  run: executable === undefined ? undefined : (page) => runInWorkerd(executable, page),
  advice: "set HOSEPIPE_WORKERD to its executable",
  isRequired: process.env.HOSEPIPE_REQUIRE_WORKERD === "1",
  laws: "./_laws_in_workerd_page.ts",
});
