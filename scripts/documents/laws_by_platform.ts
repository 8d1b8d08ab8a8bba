import { readFileSync } from "node:fs";
import { bullet } from "./bullet.ts";

interface LeftOut {
  readonly laws: string;
  readonly why: string;
}

/** What of the laws is not kept where, by the file that the tests of the package leave them out by. */
export function lawsByPlatform(): string {
  const path = new URL("../../tests/package/left_out_laws.json", import.meta.url);
  const places: Readonly<Record<string, readonly LeftOut[]>> = JSON.parse(
    readFileSync(path, "utf8"),
  );
  const items = Object.entries(places).flatMap(([name, leftOut]) =>
    leftOut.map(({ laws, why }) => bullet(`${name}, ${laws}: ${why}.`))
  );
  return `All laws hold in Deno, Bun and Node. All hold in ${
    Object.keys(places).join(" and ")
  } too, but for:\n\n${items.join("\n")}`;
}
