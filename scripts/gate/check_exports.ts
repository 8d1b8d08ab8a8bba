import { posix } from "node:path";
import { importsOf, readProject, reportProblems } from "./read_project.ts";
import { type Export, listExports } from "./list_exports.ts";
import { packageFaces } from "./package_faces.ts";

/**
 * Names what would be published though no import reaches it.
 *
 * @param files The text of each file by its path in the project.
 * @param faces The modules that the package exports.
 */
function reachProblems(
  files: ReadonlyMap<string, string>,
  faces: readonly string[],
): string[] {
  const reached = new Set(faces);
  for (const path of reached) {
    for (const fileName of importsOf(files.get(path) ?? "")) {
      if (fileName.startsWith(".")) reached.add(posix.join(posix.dirname(path), fileName));
    }
  }
  return [...files.keys()]
    .filter((path) => /^(?:src|node_compat)\//.test(path) && !reached.has(path))
    .map((path) => `${path} is published, and no export reaches it`);
}

function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** What is wrong with one file that a face has names of. */
function fileProblems(path: string, exported: readonly Export[]): string[] {
  const problems = exported.flatMap(({ name, isType, documentation }) => {
    if (documentation === "") return [`${path}: ${name} has no doc comment`];
    const isShown = isType || /@example[\s\S]*```ts[\s\S]*assert/.test(documentation);
    return isShown ? [] : [`${path}: ${name} has no @example that asserts`];
  });
  const names = exported.filter(({ isType }) => !isType).map(({ name }) => name);
  if (names.length > 1) {
    problems.push(`${path}: has several public symbols, ${names.join(", ")}`);
  } else if (names.some((name) => plain(name) !== plain(posix.basename(path, ".ts")))) {
    problems.push(`${path}: is not named for its symbol ${names[0]}`);
  }
  return problems;
}

/** What is wrong with a face such as `mod.ts` itself, which re-exports by name. */
function faceProblems(path: string, text: string): string[] {
  const problems: string[] = [];
  if (!/^\s*\/\*\*[\s\S]*?@module[\s\S]*?\*\//.test(text)) {
    problems.push(`${path}: does not begin with a doc block that has @module`);
  }
  const rest = text.replace(/\/\*[\s\S]*?\*\/|^\/\/.*$/gm, "")
    .replace(/^export (?:type )?\{[^}]*\} from "[^"]+";$/gm, "").trim();
  if (rest !== "") {
    problems.push(`${path}: may only re-export by name, has ${rest.split("\n")[0]}`);
  }
  return problems;
}

/**
 * Holds the library's face and the files behind it to the rule "one public symbol per file, named for it,
 * with an example that asserts", and finds files in `scenarios` that nothing imports or starts.
 *
 * @param files The text of each file by its path in the project.
 * @param faces The files that re-export, such as `mod.ts`.
 */
function exportProblems(
  files: ReadonlyMap<string, string>,
  faces: readonly string[],
): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  const known = new Map<string, Export[]>();
  for (const face of faces) {
    const text = files.get(face);
    if (text === undefined) {
      problems.push(`${face}: is missing`);
      continue;
    }
    problems.push(...faceProblems(face, text));
    const byFile = Map.groupBy(listExports(face, files, known), ({ path }) => path);
    for (const [path, exported] of byFile) problems.push(...fileProblems(path, exported));
  }
  for (const [path, text] of files) {
    if (/^scenarios\/.*^if \(import\.meta\.main\)/ms.test(`${path}\n${text}`)) used.add(path);
    // What a thread or a process begins with is named by its address.
    const begun = text.matchAll(/new URL\(\s*"([^"]+\.ts)",\s*import\.meta\.url,?\s*\)/g);
    for (const [, name] of begun) used.add(posix.join(posix.dirname(path), name!));
    for (const name of importsOf(text)) {
      if (name.startsWith(".")) used.add(posix.join(posix.dirname(path), name));
    }
  }
  for (const path of files.keys()) {
    if (path.startsWith("scenarios/") && !used.has(path)) {
      problems.push(`${path}: nothing imports or starts it`);
    }
  }
  return problems;
}

const faces = [...packageFaces.values()];
const files = await readProject();
reportProblems("exports", [...exportProblems(files, faces), ...reachProblems(files, faces)]);
