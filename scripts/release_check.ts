import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { withWorkerd } from "../runtimes/with_workerd.ts";
import { findRuntimes } from "../runtimes/find_runtime.ts";
import { findWorkerd } from "../runtimes/find_workerd.ts";
import { parseCommandLine } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { npmCommand } from "./gate/package_faces.ts";
import { type PackageProject, withPackage } from "./gate/with_package.ts";
import { descriptors } from "../runtimes/descriptors.ts";

/** Those that `engines` in package.json allows. */
const nodes = ["node@22", "node@24", "node@26"];
const bundlers = [
  "vite@8.3.8",
  "esbuild@0.28.2",
  "rollup@4.68.8",
  "webpack@5.112.2",
  "webpack-cli@7.3.1",
];
const saidByMain = "0: 2\n1: 4\n2: 6\n3 written";
const saidByBundle = "three 0: 2,1: 4,2: 6 3; " +
  "why, bundled, sink, 0, site, its write 1 has not settled, 1, why, why, enough, 0";

function check(what: string, said: string, expected: string): void {
  // npm's own warnings come before it.
  if (said !== expected && !said.endsWith(`\n${expected}`)) {
    throw new Error(`${what} said otherwise:\n${said}`);
  }
  console.log(`✓ ${what}`);
}

/** Runs the package as it is in every runtime and version of Node. */
async function checkRuntimes({ folder, run }: PackageProject): Promise<void> {
  for (const version of nodes) {
    const command = ["npx", "-y", "-p", version, "node", "main.js"];
    check(`main.js in ${version}`, await run(version, folder, command), saidByMain);
  }
  for (const { name, executable, version } of await findRuntimes()) {
    if (name === "node") continue;
    const command = [executable, ...descriptors[name].plainArguments, "main.js"];
    check(`main.js in ${name} ${version}`, await run(name, folder, command), saidByMain);
  }
}

/** How this process's own runtime, Deno, runs a file. */
const runsBy = (file: string) => ["run", "--no-prompt", file];

/** Bundles a program with each bundler, and runs what comes out. */
async function checkBundlers({ folder, run }: PackageProject): Promise<void> {
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund"];
  await run(`npm install of ${bundlers.join(", ")}`, folder, [
    ...npmCommand,
    ...install,
    ...bundlers,
  ]);
  const bundled = join(folder, "bundled");
  const esbuild = (entry: string) => [
    ...["npx", "esbuild", `${entry}.js`, "--bundle", "--minify", "--format=esm"],
    ...["--log-level=error", `--outfile=out/${entry}.js`],
  ];
  const builds: Readonly<Record<string, readonly [command: readonly string[], file: string]>> = {
    vite: [["npx", "vite", "build", "--logLevel", "error"], "out/vite/vite.js"],
    esbuild: [esbuild("node"), "out/node.js"],
    rollup: [["npx", "rollup", "--config", "--silent"], "out/rollup.js"],
    webpack: [["npx", "webpack", "--stats", "errors-only"], "out/webpack/webpack.js"],
  };
  for (const [name, [command, file]] of Object.entries(builds)) {
    await run(name, bundled, command);
    const { length } = await readFile(join(bundled, file));
    const said = await run(`the bundle of ${name}`, bundled, [process.execPath, ...runsBy(file)]);
    check(`a bundle of ${name}, ${length} bytes`, said, saidByBundle);
  }
  await run("esbuild of an import alone", bundled, [
    ...esbuild("channel"),
    ...["--platform=node"],
  ]);
  const heard = await run("the bundle of an import alone", bundled, [
    process.execPath,
    ...runsBy("out/channel.js"),
  ]);
  check("a bundle with an import alone", heard, "pipeline begins, pipeline ends");
  const workerd = findWorkerd();
  if (workerd === undefined) throw new Error("Cannot find workerd: run npm install");
  await run("esbuild for workerd", bundled, esbuild("worker"));
  const answer = await withWorkerd(workerd, bundled, "workerd.capnp", ({ ask }) => ask("/"));
  check("a bundle in workerd", answer, saidByBundle);
}

await runCommand(async (args, signal) => {
  parseCommandLine(args, {
    command: "deno task dev release-check",
    about:
      "Packs the library as npm's tarball, installs it in a new project, and runs it from there\n" +
      "in Node 22, 24 and 26, Bun and Deno, and bundled by Vite, esbuild, Rollup and webpack, and in\n" +
      "workerd; takes minutes and needs npm's registry.",
    flags: {},
    examples: ["deno task dev release-check", "deno run -A scripts/release_check.ts"],
  });
  await withPackage(signal, async (project) => {
    await cp(new URL("../tests/package/project/", import.meta.url), project.folder, {
      recursive: true,
    });
    await checkRuntimes(project);
    await checkBundlers(project);
  });
});
