import { posix } from "node:path";
import { deflateRawSync } from "node:zlib";

/** What the playground has to import from. */
const modules = new Set(["@hosepipe/streams", "@hosepipe/streams/inspect", "node:assert/strict"]);
const imported =
  /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)/gm;
/** What only a runtime outside of a browser has, and what would reach a network. */
const needsRuntime = /\b(?:Deno|Bun|process|require|fetch|WebSocket|EventSource|Worker)\b[.(]/;
/** What answers otherwise there: the probe that is put in has a name and a place in the code, and browsers hide why a body failed. */
const differs = /\b(?:captureCallSites|callSite|pendingRuns)\b|\bnew Response\(body\)/;

/** Whether code runs in the playground as it stands. */
export function runsInPlayground(code: string): boolean {
  const found = Array.from(code.matchAll(imported), ([, from, dynamic]) => from ?? dynamic!);
  return found.includes("@hosepipe/streams") && found.every((name) => modules.has(name)) &&
    !needsRuntime.test(code.replace(/\/\/.*$/gm, "")) && !differs.test(code);
}

/** The address of the playground with code in it, from a page. */
export function playgroundLink(page: string, code: string): string {
  const packed = deflateRawSync(code, { level: 9 }).toString("base64url");
  return `${relativePath(page, "playground/index.html")}#code=${packed}`;
}

/** The way from one page of the site to another of its files, which also holds where a site is opened from a disk. */
export function relativePath(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/** A page that is made from one of the project's Markdown files. */
export interface SitePage {
  /** Where it is on the site. */
  readonly path: string;
  /** The file that it is made from. */
  readonly source: string;
  /** What the navigation calls it. */
  readonly name: string;
}

/** Pages that stand together in the navigation. */
export interface PageGroup {
  readonly name: string;
  readonly pages: readonly SitePage[];
}

function doc(stem: string, name: string): SitePage {
  return { path: `${stem}.html`, source: `docs/${stem}.md`, name };
}

/** The pages of the site but the reference, in the order of the navigation. */
export const pageGroups: readonly PageGroup[] = [
  {
    name: "Start",
    pages: [
      { path: "index.html", source: "README.md", name: "Home" },
      doc("guide", "Guide in seven steps"),
      doc("library", "The library"),
      doc("migrate", "Coming from elsewhere"),
    ],
  },
  {
    name: "How to",
    pages: [
      doc("recipes", "Recipes"),
      doc("errors", "Errors, retries, hangs"),
      doc("concurrency", "Concurrency, threads"),
      doc("node", "Node and HTTP"),
      doc("formats", "Formats"),
      doc("testing", "Testing"),
      doc("laws", "Laws and chaos"),
    ],
  },
  {
    name: "Understand",
    pages: [
      doc("backpressure", "Backpressure"),
      doc("differences", "Differences from native"),
    ],
  },
  {
    name: "Reference",
    pages: [
      doc("operators", "Operators in pictures"),
      doc("platforms", "Platforms, types, size"),
      doc("benchmarks", "Benchmarks"),
    ],
  },
  {
    name: "Add-ons",
    pages: [
      doc("consume", "Queues"),
      doc("queue-engines", "Queue engines"),
      doc("serve", "Serving files"),
      doc("tables", "Exporting, loading tables"),
    ],
  },
  {
    name: "Research",
    pages: [
      doc("research/semantics", "Semantics"),
      doc("research/semantics-buffers", "Semantics: buffers, ends"),
      doc("research/demos", "Backpressure in six demos"),
      doc("research/faults", "Faults of runtimes"),
      doc("research/queues", "Queues, measured"),
      doc("research/lease-model", "A model of leases"),
      doc("research/queue-scale", "A thousand workers"),
      doc("research/others", "What others measure"),
      doc("research/third-answer", "A third answer"),
      doc("research/threads", "Threads, measured"),
      doc("research/throughput", "Throughput"),
      doc("research/throughput-files", "Throughput: files"),
      doc("research/serving", "Serving, measured"),
      doc("research/extract-measured", "Exports, measured"),
      doc("research/benchmarks-method", "Benchmarks: method"),
      doc("research/benchmarks-chains", "Benchmarks: chains"),
      doc("research/benchmarks-jobs", "Benchmarks: short jobs"),
      doc("research/benchmarks-waits", "Benchmarks: waits"),
    ],
  },
  {
    name: "Project",
    pages: [
      { path: "changelog.html", source: "CHANGELOG.md", name: "Changelog" },
      doc("research/development", "Development"),
      { path: "contributing.html", source: "CONTRIBUTING.md", name: "Contributing" },
      { path: "documentation.html", source: "docs/README.md", name: "All documents" },
    ],
  },
];

/** The same without their groups. */
export const sitePages: readonly SitePage[] = pageGroups.flatMap(({ pages }) => pages);
