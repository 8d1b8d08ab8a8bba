import { deflateRawSync } from "node:zlib";
import { relativePath } from "./relative_path.ts";

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
