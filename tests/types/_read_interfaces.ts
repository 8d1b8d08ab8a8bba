import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** An interface of options, as it is written. */
export interface Written {
  readonly place: string;
  readonly parents: readonly string[];
  /** The type of each option that may be missing. */
  readonly optional: ReadonlyMap<string, ts.TypeNode>;
}

/** Those that we hand to a client of the user's, which never asks for more. */
const handedOut = ["InstrumentOptions"];

/** Finds the interfaces of options in the library, by their names; a second of one name has its file before it. */
export function readInterfaces(): Map<string, Written> {
  const found = new Map<string, Written>();
  for (const folder of ["src", "node_compat"]) {
    for (const name of (readdirSync(root + folder, { recursive: true }) as string[]).sort()) {
      if (!name.endsWith(".ts")) continue;
      const path = `${folder}/${name.replaceAll("\\", "/")}`;
      const text = readFileSync(root + path, "utf8");
      const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
      for (const one of source.statements) {
        if (!ts.isInterfaceDeclaration(one) || !one.getText(source).startsWith("export")) continue;
        const { text: title } = one.name;
        if (!/(Options|Strategy|Strategies)$/.test(title) || handedOut.includes(title)) continue;
        const optional = new Map<string, ts.TypeNode>();
        for (const member of one.members) {
          if (!ts.isPropertySignature(member) || member.questionToken === undefined) continue;
          optional.set((member.name as ts.Identifier).text, member.type!);
        }
        const parents = (one.heritageClauses ?? []).flatMap(({ types }) =>
          types.map(({ expression }) => (expression as ts.Identifier).text)
        );
        found.set(found.has(title) ? `${path} ${title}` : title, {
          place: path,
          parents,
          optional,
        });
      }
    }
  }
  return found;
}
