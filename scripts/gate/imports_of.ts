import ts from "typescript";

const known = new Map<string, readonly string[]>();

/** What a program imports, as it names it, types included; looked for once. */
export function importsOf(code: string): readonly string[] {
  let names = known.get(code);
  if (names === undefined) {
    names = ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => fileName);
    known.set(code, names);
  }
  return names;
}
