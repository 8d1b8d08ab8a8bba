import { transform } from "sucrase";

/** Code that cannot be run, with its line. */
export class CodeError extends Error {
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined) {
    super(message);
    this.line = line;
  }
}

/** What code may import, and the parameter that holds it. */
const modules: Readonly<Record<string, string>> = {
  "@hosepipe/streams": "hosepipe",
  "@hosepipe/streams/inspect": "hosepipe",
  "node:assert/strict": "assertions",
};
const statement = /^[ \t]*import\s+([^"';]*?)\s*from\s*(["'])([^"'\n]+)\2[ \t]*;?/gm;

function lineAt(code: string, index: number): number {
  return code.slice(0, index).split("\n").length;
}

/** What takes the place of an import: as many lines, and the same names. */
function declare(names: string, holder: string): string {
  const breaks = "\n".repeat(names.split("\n").length - 1);
  const [, whole] = /^(?:\*\s*as\s+)?([\w$]+)$/.exec(names) ?? [];
  if (whole !== undefined) return `const ${whole} = ${holder};`;
  return `const ${
    names.replace(/\s+/g, " ").replace(/([\w$]+) as ([\w$]+)/g, "$1: $2")
  } = ${holder};${breaks}`;
}

/** TypeScript without its types, line by line as it was; what cannot be read is left to the browser to refuse. */
export function stripTypes(code: string): string {
  try {
    return transform(code, {
      transforms: ["typescript"],
      disableESTransforms: true,
      keepUnusedImports: true,
    }).code;
  } catch {
    return code;
  }
}

/**
 * Makes a function of a module's code, TypeScript too, which keeps its lines, and puts it where the worker looks for it.
 *
 * @throws {CodeError} If it imports what is not here.
 */
export function prepareCode(code: string): string {
  const body = stripTypes(code).replace(
    statement,
    (all, names: string, _quote, from: string, index: number) => {
      const line = lineAt(code, index + all.search(/\S/));
      const holder = Object.hasOwn(modules, from) ? modules[from] : undefined;
      if (holder === undefined) {
        const here = Object.keys(modules).map((name) => `"${name}"`).join(", ");
        throw new CodeError(`Cannot import "${from}": only ${here} are here`, line);
      }
      if (!/^(?:\{[^{}]*\}|(?:\*\s*as\s+)?[\w$]+)$/.test(names)) {
        throw new CodeError(`Cannot import ${names}: import names, as in { map, pipeline }`, line);
      }
      return declare(names, holder);
    },
  );
  const lines = code.split("\n").length;
  const parameters = "hosepipe,assertions,ReadableStream,TransformStream,WritableStream";
  return `"use strict";self.readersCode=async(${parameters})=>{${body}\n};self.readersLines=${lines};`;
}
