import { readFileSync } from "node:fs";
import process from "node:process";

/** How npm is started. */
export const npmCommand: readonly string[] = process.platform === "win32"
  ? ["cmd.exe", "/d", "/c", "npm"]
  : ["npm"];

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

const { name, exports }: Manifest = JSON.parse(
  readFileSync(new URL("../../deno.json", import.meta.url), "utf8"),
);

/** The modules that the package exports, by the names under which they are imported. */
export const packageFaces: ReadonlyMap<string, string> = new Map(
  Object.entries(exports).map(([path, file]) => [name + path.slice(1), file.slice(2)]),
);
