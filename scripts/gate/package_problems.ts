const welcome =
  /^dist\/.*\.(?:js|js\.map|d\.ts)$|^(?:package\.json|LICENSE|(?:README|CHANGELOG)\.md|llms(?:-full)?\.txt)$/;

/**
 * Finds what does not belong into the package that is shipped: files that have no use there, and texts that
 * name one of `privateFolders`, as source maps may.
 */
export function packageProblems(
  files: ReadonlyMap<string, string>,
  privateFolders: readonly string[],
): string[] {
  const problems: string[] = [];
  for (const [path, text] of files) {
    if (!welcome.test(path)) {
      problems.push(`${path}: no module reaches it; exclude it in deno.json's publish`);
    }
    const folder = privateFolders.find((folder) => text.includes(folder));
    if (folder !== undefined) problems.push(`${path}: names ${folder}, a folder of this machine`);
  }
  for (
    const name of [
      "package.json",
      "README.md",
      "LICENSE",
      "llms.txt",
      "llms-full.txt",
      "CHANGELOG.md",
      "dist/mod.js",
      "dist/mod.js.map",
      "dist/mod.d.ts",
    ]
  ) {
    if (!files.has(name)) problems.push(`${name}: is missing`);
  }
  return problems;
}
