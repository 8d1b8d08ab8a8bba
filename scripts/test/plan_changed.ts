import { readProject } from "../gate/read_project.ts";
import { listChanged, selectTests } from "./changed_tests.ts";
import { filesWithExamples, planTests, type TestPlan } from "./plan_tests.ts";

const folders = [
  ...[
    "src",
    "node_compat",
    "scenarios",
    "bench",
    "runtimes",
    "playground",
    "site",
    "scripts",
    "tests",
  ],
];

/** What a change asks to be run; says what is left out. */
export async function planChanged(
  root: URL,
  say: (line: string) => void,
): Promise<TestPlan> {
  const all = await planTests(root, { paths: [] });
  const changed = await listChanged(root);
  const plan = selectTests(changed, await readProject(folders), await filesWithExamples(root));
  if (plan.everythingFor !== undefined) {
    say(`all tests are run: ${plan.everythingFor} has changed`);
    return all;
  }
  const isTest = new Set(all.tests);
  const tests = plan.tests.filter((path) => isTest.has(path));
  const left = all.tests.length - tests.length;
  say(
    `changed: ${changed.length} files; ${tests.length} files of tests reach them, ${left} do not`,
  );
  for (const path of plan.unreached) say(`no test reaches ${path}`);
  return { tests, examples: [...plan.examples], leftOut: 0 };
}
