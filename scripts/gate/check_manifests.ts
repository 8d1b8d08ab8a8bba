import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { reportProblems } from "./read_project.ts";

type Names<T = string> = Readonly<Record<string, T>>;

/** What `deno.json` and `package.json` have. */
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

/** The parts of the three manifests that must agree. */
interface Manifests {
  readonly deno: Manifest & { readonly exports?: Names; readonly imports?: Names };
  readonly npm: Manifest & {
    readonly exports?: Names<unknown>;
    readonly dependencies?: Names;
    readonly devDependencies?: Names;
  };
  readonly tsconfig: { readonly compilerOptions: { readonly paths?: Names<readonly string[]> } };
  /** The version found in `node_modules`, by package; missing if not installed. */
  readonly installed: Names<string | undefined>;
}

/** The one package with a range: its releases mirror a library that will be taken from JSR by range. */
const ranged = new Set(["deno-std"]);

function differences(what: string, left: unknown, right: unknown): string[] {
  const [one, other] = [JSON.stringify(left), JSON.stringify(right)];
  return one === other ? [] : [`${what}: deno.json has ${one}, package.json has ${other}`];
}

/** What npm's manifest must export: the files that are built from those of `deno.json`. */
function builtExports(sources: Names): Record<string, unknown> {
  const built = Object.entries(sources).map(([path, file]) => {
    const stem = `./dist/${file.slice(2, -".ts".length)}`;
    return [path, { types: `${stem}.d.ts`, default: `${stem}.js` }];
  });
  return { ...Object.fromEntries(built), "./package.json": "./package.json" };
}

/** Finds where `deno.json`, `package.json`, `tsconfig.json` and what is installed disagree. */
function manifestProblems({ deno, npm, tsconfig, installed }: Manifests): string[] {
  const problems = [
    ...differences("name", deno.name, npm.name),
    ...differences("version", deno.version, npm.version),
    ...differences("license", deno.license, npm.license),
    ...differences("exports", builtExports(deno.exports ?? {}), npm.exports),
  ];
  for (const name of Object.keys(npm.dependencies ?? {})) {
    problems.push(`package.json: the library has no dependencies, but lists ${name}`);
  }
  const packages = npm.devDependencies ?? {};
  for (const [name, requirement] of Object.entries(packages)) {
    // A second version of a package stands under a name of its own.
    const version = requirement.replace(/^npm:(?:@[^/]+\/)?[^@/]+@/, "");
    if (!ranged.has(name) && !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
      problems.push(`package.json: ${name} must be pinned exactly, got ${requirement}`);
    } else if (installed[name] === undefined) {
      problems.push(`node_modules: ${name} is not installed`);
    } else if (!ranged.has(name) && installed[name] !== version) {
      problems.push(`node_modules: ${name} is ${installed[name]}, package.json has ${version}`);
    }
  }

  const expected = new Map<string, string>();
  for (const [path, file] of Object.entries(deno.exports ?? {})) {
    expected.set(`${deno.name}${path.slice(1)}`, file);
  }
  for (const [specifier, target] of Object.entries(deno.imports ?? {})) {
    const [, name, version, path = ""] =
      /^npm:((?:@[^/]+\/)?[^@/]+)@([^/]+)(\/.*)?$/.exec(target) ?? [];
    if (name === undefined) {
      problems.push(
        `deno.json: import ${specifier} must name an npm package with its version, got ${target}`,
      );
      continue;
    }
    expected.set(specifier, `./node_modules/${name}${path}`);
    if (packages[name] !== version) {
      problems.push(
        `import ${specifier}: deno.json has ${name} ${version}, package.json has ${packages[name]}`,
      );
    }
  }
  const paths = tsconfig.compilerOptions.paths ?? {};
  for (const specifier of new Set([...expected.keys(), ...Object.keys(paths)])) {
    const [wanted, actual] = [expected.get(specifier), paths[specifier]?.join()];
    if (actual !== wanted) {
      problems.push(`tsconfig.json: path ${specifier} must be ${wanted}, got ${actual}`);
    }
  }
  return problems;
}

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
