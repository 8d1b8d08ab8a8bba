import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseCommandLine } from "../../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../../scenarios/command_line/run_command.ts";
import { type Compiler, compileWith } from "./compile_with.ts";
import { checkPackageUse } from "./package_use.ts";
import { type PackageProject, withPackage } from "./with_package.ts";
import { wrongAnswers } from "./wrong_answers.ts";

const strict = {
  strict: true,
  // Declarations of packages are checked, ours among them, and not those that come with the compiler: what of ours does
  // not fit these is an error in ours.
  skipLibCheck: false,
  skipDefaultLibCheck: true,
  noEmit: true,
  target: "esnext",
};
const dom = ["esnext", "dom", "dom.iterable", "dom.asynciterable"];

const resolutions = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
};

const stricter = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
/** What a project's programs see: packages of types, and options of the compiler. */
interface Surrounding {
  /** Each by the package in this project's `node_modules`. */
  readonly packages: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
}

const nodeTypes = { "@types/node": "@types/node" };
const esnext = ["esnext"];

const surroundings = {
  "@types/node 22": {
    packages: { "@types/node": "types-node-22" },
    options: { lib: esnext, types: ["node"] },
  },
  "@types/node": { packages: nodeTypes, options: { lib: esnext, types: ["node"] } },
  "@types/node and DOM libraries": { packages: nodeTypes, options: { lib: dom, types: ["node"] } },
  // What a new project has that chose no libraries: the DOM's among them, beside Node's types.
  "@types/node, default libraries, stricter still": {
    packages: nodeTypes,
    options: { types: ["node"], ...stricter },
  },
  "bun-types": {
    packages: { "bun-types": "bun-types" },
    options: { lib: esnext, types: ["bun-types"] },
  },
  "DOM libraries only": { packages: {}, options: { lib: dom, types: [] } },
  "DOM libraries only and stricter still": {
    packages: {},
    options: { lib: dom, types: [], ...stricter },
  },
} as const satisfies Record<string, Surrounding>;

/**
 * The lowest compiler that works, the last written in JavaScript, and the newest. How they read the declarations depends
 * on the libraries beside these, while `exports` in package.json name the same declarations to each resolution: so each
 * surrounding is met once, and the lowest and the newest meet both resolutions.
 */
const cases: readonly (readonly [Compiler, keyof typeof surroundings, keyof typeof resolutions])[] =
  [
    ["typescript-5.4", "@types/node 22", "nodenext"],
    ["typescript-5.4", "DOM libraries only", "bundler"],
    ["typescript", "@types/node, default libraries, stricter still", "nodenext"],
    ["typescript-7", "@types/node", "nodenext"],
    ["typescript-7", "@types/node and DOM libraries", "bundler"],
    ["typescript-7", "@types/node, default libraries, stricter still", "bundler"],
    ["typescript-7", "bun-types", "bundler"],
    ["typescript-7", "DOM libraries only", "nodenext"],
    ["typescript-7", "DOM libraries only and stricter still", "bundler"],
  ];

const rootPath = fileURLToPath(new URL("../../", import.meta.url));
const files = [
  ...["_cases.ts", "_node_programs.ts", "_bun_programs.ts"].map((name) => `types/${name}`),
  // Imports from every export.
  "package/project/main.ts",
];
const mistakesFile = "_mistakes.ts";
const mistakes = (await readFile(join(rootPath, "tests/types", mistakesFile), "utf8"))
  // All but the first line, which keeps others from checking it.
  .replace(/^.*/, "");

/** Splits what a compiler says into that of the mistakes, by their lines, and the rest. */
function splitMistakes(said: string): [ofMistakes: Map<number, string>, rest: string] {
  const ofMistakes = new Map<number, string>();
  const rest = said.split(/\n(?! )/).filter((message) => {
    const [, line] = /^_mistakes\.ts\((\d+),/.exec(message) ?? [];
    if (line !== undefined) {
      ofMistakes.set(Number(line), (ofMistakes.get(Number(line)) ?? "") + message);
    }
    return line === undefined;
  });
  return [ofMistakes, rest.join("\n")];
}

/** The programs that a project can know: those of a runtime need its types. */
function filesOf({ packages }: Surrounding): string[] {
  return files.filter((file) =>
    /node|main/.test(file)
      ? "@types/node" in packages
      : !file.includes("bun") || "bun-types" in packages
  );
}

/** Makes a project beside others that has the library installed, and some packages of ours; returns its folder. */
async function makeProject(
  folder: string,
  name: string,
  packages: Surrounding["packages"],
  files: readonly string[],
): Promise<string> {
  const place = join(folder, name);
  const link = async (name: string, target: string) => {
    const path = join(place, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path, "junction");
  };
  await link("@hosepipe", join(folder, "node_modules/@hosepipe"));
  for (const [name, target] of Object.entries(packages)) {
    await link(name, join(rootPath, "node_modules", target));
  }
  for (const file of files) {
    await copyFile(join(rootPath, "tests", file), join(place, basename(file)));
  }
  await writeFile(join(place, "package.json"), `{ "private": true, "type": "module" }\n`);
  return place;
}

/**
 * Checks in projects that have the library installed what tests/types says of its types, with the lowest and the newest
 * compiler, and with Deno; returns how many projects there are.
 */
async function checkPackageTypes(project: PackageProject): Promise<number> {
  const { folder, run, deno, signal } = project;
  for (const [index, [compiler, surrounding, resolution]] of cases.entries()) {
    const { packages, options }: Surrounding = surroundings[surrounding];
    const own = filesOf({ packages, options });
    const place = await makeProject(folder, `types-${index}`, packages, own);
    const hasMistakes = "@types/node" in packages;
    if (hasMistakes) await writeFile(join(place, mistakesFile), mistakes);
    // First: what an old compiler has explained once, it does not explain again.
    const files = [
      ...hasMistakes ? [mistakesFile] : [],
      ...own.map((file) => basename(file)),
    ];
    const compilerOptions = { ...strict, ...resolutions[resolution], ...options };
    const config = { compilerOptions, files };
    await writeFile(join(place, "tsconfig.json"), JSON.stringify(config, undefined, 2));
    const args = ["--project", "tsconfig.json", "--pretty", "false"];
    const [answers, rest] = splitMistakes(await compileWith(compiler, place, args, signal) ?? "");
    const wrong = [rest, ...hasMistakes ? wrongAnswers(mistakes, answers) : []].filter((text) =>
      text !== ""
    );
    if (wrong.length > 0) {
      throw new Error(`${compiler}, ${surrounding}, ${resolution} failed:\n${wrong.join("\n")}`);
    }
  }
  // What Deno itself knows of `node:` modules refers to that package.
  const denoFiles = ["types/_cases.ts"];
  const place = await makeProject(folder, "types-deno", nodeTypes, denoFiles);
  await run("deno check", place, [deno, "check", ...denoFiles.map((file) => basename(file))]);
  return cases.length + 1;
}

const checks = {
  use: async (project: PackageProject) =>
    `package of ${await checkPackageUse(project)} files: in order`,
  types: async (project: PackageProject) =>
    `types in ${await checkPackageTypes(project)} projects: in order`,
};

await runCommand(async (args, signal) => {
  const { only } = parseCommandLine(args, {
    command: "deno run -A scripts/gate/check_package.ts",
    about:
      "Packs the library as npm's tarball and installs it in a new project without a network.\n" +
      "use: runs that in Deno, Bun, Node and the oldest Node,\n" +
      "asks publint and arethetypeswrong, and runs tests with the test kit in node --test,\n" +
      "deno test, bun test, Vitest and Jest, the last two from npm.\n" +
      "types: checks in projects that have it what tests/types and a program of the package say of its types: with the\n" +
      "lowest and the newest compiler, and with Deno.",
    flags: {
      only: {
        kind: "text",
        value: "PART",
        about: "one of the parts; default: both",
        choices: ["use", "types"],
      },
    },
    examples: [
      "deno run -A scripts/gate/check_package.ts",
      "HOSEPIPE_NODE=/opt/node26/bin/node deno run -A scripts/gate/check_package.ts --only use",
    ],
  });
  return await withPackage(signal, async (project) => {
    let code = 0;
    // Both, whether or not the first one fails.
    for (const [name, check] of Object.entries(checks)) {
      if (only !== undefined && only !== name) continue;
      try {
        console.log(await check(project));
      } catch (error) {
        signal.throwIfAborted();
        console.error(error instanceof Error ? error.message : String(error));
        code = 1;
      }
    }
    return code;
  });
});
