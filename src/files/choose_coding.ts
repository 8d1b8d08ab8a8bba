import { trimBlanks } from "./trim_blanks.ts";

/** A content coding, and the end of the name of a file that is in it. */
export interface Coding {
  readonly name: string;
  readonly ending: string;
}

/** In the order in which we prefer them: smallest first. */
const codings: readonly Coding[] = [
  { name: "br", ending: ".br" },
  { name: "zstd", ending: ".zst" },
  { name: "gzip", ending: ".gz" },
];

/** The weight that an `Accept-Encoding` gives a coding; 0 is a refusal. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.split(",")) {
    const [name, weight = "q=1", ...more] = part.split(";").map(trimBlanks) as [string, string?];
    const [, quality] = weight.length > 7
      ? []
      : /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(weight) ?? [];
    if (name === "" || quality === undefined || more.length > 0) continue;
    const coding = name.toLowerCase();
    weights.set(coding === "x-gzip" ? "gzip" : coding, Number(quality));
  }
  return weights;
}

/** The codings that a client accepts no less gladly than the plain bytes, the best first. */
export function chooseCodings(header: string | undefined): Coding[] {
  if (header === undefined) return [];
  const weights = readWeights(header);
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const plain = weights.get("identity") ?? 0;
  return codings.filter(({ name }) => weightOf(name) > 0 && weightOf(name) >= plain)
    .sort((one, other) => weightOf(other.name) - weightOf(one.name));
}
