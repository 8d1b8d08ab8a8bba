import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import process from "node:process";
import { promisify } from "node:util";
import { type RuntimeName, runtimeNames } from "./current_runtime.ts";
import type { RuntimeDescriptor } from "./descriptor.ts";
import { descriptors } from "./descriptors.ts";

const execute = promisify(execFile);

/** A runtime found on this machine. */
export interface Runtime {
  readonly name: RuntimeName;
  readonly version: string;
  /** The runtime's own executable: `npx` is asked once, not for every process. */
  readonly executable: string;
  /** Arguments that go before the path of a TypeScript file. */
  readonly arguments: readonly string[];
  /** Where it was found: the environment variable's name, `PATH`, or the npm package. */
  readonly origin: string;
}

async function identify(
  command: string,
  args: readonly string[],
): Promise<[name: string, version: string, executable: string]> {
  // From a neutral folder: a project's own manifest must not get a say in what is found.
  const { stdout } = await execute(command, [...args], {
    cwd: tmpdir(),
    shell: process.platform === "win32" && command === "npx",
  });
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

function lastLine(error: Error & { stderr?: string }): string {
  return (error.stderr || error.message).trim().split("\n").at(-1)!;
}

function isNewEnough(version: string, [major, minor]: RuntimeDescriptor["minimum"]): boolean {
  const [actualMajor = 0, actualMinor = 0] = version.split(".").map(Number);
  return actualMajor > major || (actualMajor === major && actualMinor >= minor);
}

/**
 * Finds one runtime: `HOSEPIPE_DENO|BUN|NODE` if set, then `PATH` if new enough, then the pinned npm
 * package through `npx`.
 *
 * @throws {Error} If the runtime is unavailable, is too old, or is not the one its name says.
 */
export async function findRuntime(name: RuntimeName): Promise<Runtime> {
  const recipe: RuntimeDescriptor = descriptors[name];
  const wanted = `${name} ${recipe.minimum.join(".")} or newer`;
  const found = (origin: string, [actual, version, executable]: [string, string, string]) => {
    if (actual !== name) {
      throw new Error(`Cannot use ${origin} as ${name}: it runs ${actual} ${version}`);
    }
    if (!isNewEnough(version, recipe.minimum)) {
      throw new Error(`Cannot use ${origin} as ${name}: it is ${version}, need ${wanted}`);
    }
    return { name, version, executable, arguments: recipe.runArguments(), origin };
  };

  const chosen = process.env[recipe.variable];
  if (chosen) {
    return found(
      recipe.variable,
      await identify(chosen, recipe.identify).catch((cause) => {
        throw new Error(`Cannot run ${recipe.variable}=${chosen}: ${lastLine(cause)}`, { cause });
      }),
    );
  }
  try {
    return found("PATH", await identify(name, recipe.identify));
  } catch {
    // Not on PATH or too old there: the pinned package is the remedy for both.
  }
  return found(
    recipe.npmPackage,
    await identify("npx", ["-y", "-p", recipe.npmPackage, name, ...recipe.identify])
      .catch((cause) => {
        throw new Error(
          `Cannot find ${wanted}: set ${recipe.variable}, put it on PATH, or let npx fetch ${recipe.npmPackage} (${
            lastLine(cause)
          })`,
          { cause },
        );
      }),
  );
}

/**
 * Finds a version of a runtime that npm has, also one that is older than this project needs.
 *
 * @throws {Error} If npm does not have it, or it does not run here.
 */
export async function findRuntimeVersion(name: RuntimeName, version: string): Promise<Runtime> {
  const recipe: RuntimeDescriptor = descriptors[name];
  const origin = `${name}@${version}`;
  const [actual, found, executable] = await identify(
    "npx",
    ["-y", "-p", origin, name, ...recipe.identify],
  ).catch((cause) => {
    throw new Error(`Cannot run ${origin} from npm: ${lastLine(cause)}`, { cause });
  });
  if (actual !== name || !`${found}.`.startsWith(`${version}.`)) {
    throw new Error(`Cannot use ${origin} from npm: it runs ${actual} ${found}`);
  }
  return { name, version: found, executable, arguments: recipe.runArguments(), origin };
}

/** Finds several runtimes, one after the other, since `npx` does not like company in its cache. */
export async function findRuntimes(
  names: readonly RuntimeName[] = runtimeNames,
): Promise<Runtime[]> {
  const runtimes: Runtime[] = [];
  for (const name of names) runtimes.push(await findRuntime(name));
  return runtimes;
}

/** One line a person can check, such as `node 26.10.0 (node@26.10.0)`. */
export function describeRuntime({ name, version, origin }: Runtime): string {
  return `${name} ${version} (${origin})`;
}
