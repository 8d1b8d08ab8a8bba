import { parseCommandLine } from "../command_line/parse_command_line.ts";
import { runCommand } from "../command_line/run_command.ts";
import { checkPackageTypes } from "./package_types.ts";
import { checkPackageUse } from "./package_use.ts";
import { type PackageProject, withPackage } from "./with_package.ts";

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
