/** Code that cannot be run, with its line. */
export class CodeError extends Error {
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined) {
    super(message);
    this.line = line;
  }
}

const statement = /^[ \t]*import\s+([^"';]*?)\s*from\s*(["'])([^"'\n]+)\2[ \t]*;?/gm;

function lineAt(code: string, index: number): number {
  return code.slice(0, index).split("\n").length;
}

/** What takes the place of an import: as many lines, and the same names. */
function declare(names: string): string {
  const breaks = "\n".repeat(names.split("\n").length - 1);
  const [, whole] = /^\*\s*as\s+([\w$]+)$/.exec(names) ?? [];
  if (whole !== undefined) return `const ${whole} = hosepipe;`;
  return `const ${
    names.replace(/\s+/g, " ").replace(/([\w$]+) as ([\w$]+)/g, "$1: $2")
  } = hosepipe;${breaks}`;
}

/**
 * Makes a function of a module's code, which keeps its lines, and puts it where the worker looks for it.
 *
 * @throws {CodeError} If it imports what is not here.
 */
export function prepareCode(code: string): string {
  const body = code.replace(
    statement,
    (all, names: string, _quote, from: string, index: number) => {
      const line = lineAt(code, index + all.search(/\S/));
      if (from !== "@hosepipe/streams") {
        throw new CodeError(`Cannot import "${from}": only "@hosepipe/streams" is here`, line);
      }
      if (!/^(?:\{[^{}]*\}|\*\s*as\s+[\w$]+)$/.test(names)) {
        throw new CodeError(`Cannot import ${names}: import names, as in { map, pipeline }`, line);
      }
      return declare(names);
    },
  );
  const lines = code.split("\n").length;
  const parameters = "hosepipe,ReadableStream,TransformStream,WritableStream";
  return `"use strict";self.readersCode=async(${parameters})=>{${body}\n};self.readersLines=${lines};`;
}
