import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of this project, as it really is. */
export const project: string = realpathSync(fileURLToPath(new URL("../", import.meta.url)));

/** What a script needs besides its own code, the environment's variables and what the system says of itself. */
export interface Needs {
  /** Files and folders. */
  readonly read?: readonly string[];
  /** Files and folders; what is written may be read, too. */
  readonly write?: readonly string[];
  /** As `HOST` or `HOST:PORT`, to listen on or to connect to; `any` where that cannot be known before. */
  readonly net?: readonly string[] | "any";
  /** Programs, by their paths. */
  readonly run?: readonly string[];
}

/** What the tests of some files are run with. */
export interface TestRun {
  readonly files: readonly string[];
  /** Where the JUnit report goes. */
  readonly report: string;
  /** A regular expression that names of tests match. */
  readonly pattern?: string;
  /** Stops at the first failure, where the runtime can. */
  readonly bail?: boolean;
  readonly timeoutMs: number;
  /** A module that is read before them. */
  readonly preload?: URL;
}

/** All that is known of one runtime: how it is found and started, and what it lacks. */
export interface RuntimeDescriptor<Name extends string = string> {
  /** As `--runtime` takes it, and as its executable is called. */
  readonly name: Name;
  /** As texts have it. */
  readonly title: string;
  /** Names another executable. */
  readonly variable: string;
  readonly minimum: readonly [major: number, minor: number];
  /** Where it comes from if it is not on `PATH`. */
  readonly npmPackage: string;
  /** Arguments that print what {@linkcode identity} does. */
  readonly identify: readonly string[];
  /**
   * Arguments before the path of a TypeScript file, with these flags of V8's where it has V8. With `needs` it may do
   * nothing more, where the runtime can see to that.
   */
  runArguments(v8Flags?: readonly string[], needs?: Needs): readonly string[];
  /** Arguments before a plain JavaScript file. */
  readonly plainArguments: readonly string[];
  testArguments(run: TestRun): readonly string[];
}

/** Prints `name version executable`, so that what runs is asserted and not assumed. */
export const identity =
  "const v = process.versions; console.log(JSON.stringify([v.deno ? 'deno' : v.bun ? 'bun' : 'node', v.deno ?? v.bun ?? v.node, process.execPath]))";
