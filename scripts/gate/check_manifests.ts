import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { manifestProblems, type Manifests } from "./manifest_problems.ts";
import { reportProblems } from "./report_problems.ts";

const root = new URL("../../", import.meta.url);

async function readJson(path: string): Promise<Manifests[keyof Manifests] & { version?: string }> {
  return JSON.parse(await readFile(new URL(path, root), "utf8"));
}

/** Where a lock file or a configuration names the address of a registry, the project is tied to one machine's network. */
async function registryAddresses(): Promise<string[]> {
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-z"], {
    cwd: root,
    maxBuffer: 64 * 2 ** 20,
  });
  const suspects = stdout.split("\0").filter((path) =>
    /(?:^|\/)(?:[^/]*lock[^/]*|\.npmrc|\.yarnrc[^/]*|bunfig\.toml|deno\.jsonc?|package\.json)$/
      .test(path)
  );
  const problems: string[] = [];
  for (const path of suspects) {
    const text = await readFile(new URL(path, root), "utf8");
    if (/"(?:resolved|tarball)"\s*:|^\s*(?:@[\w-]+:)?registry\s*=/m.test(text)) {
      problems.push(`${path}: names the address of a registry`);
    }
  }
  return problems;
}

const npm = await readJson("package.json") as Manifests["npm"];
const installed: Record<string, string | undefined> = {};
for (const name of Object.keys(npm.devDependencies ?? {})) {
  const manifest = await readJson(`node_modules/${name}/package.json`).catch(() => undefined);
  installed[name] = manifest?.version;
}
const problems = manifestProblems({
  deno: await readJson("deno.json") as Manifests["deno"],
  npm,
  tsconfig: await readJson("tsconfig.json") as Manifests["tsconfig"],
  installed,
});
reportProblems("manifests", [...problems, ...await registryAddresses()]);
