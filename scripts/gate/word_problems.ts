import { bannedPhrases } from "./banned_phrases.ts";
import { maySayBanned } from "./may_say_banned.ts";
import { type Prose, proseOf } from "./prose_of.ts";

/** Each banned phrase with any number of spaces for one. */
const spacedPhrases = bannedPhrases.map(([pattern, ...others]) => {
  const source = pattern.source.replaceAll(/(?<!\[)\x20/g, " +");
  return [new RegExp(source, `g${pattern.flags}`), ...others] as const;
});

/** A page as one text, but for its blocks of code. */
function proseOfPage(text: string): Prose[] {
  return [{
    start: 0,
    text: text.replace(/^```.*?^```/gms, (code) => code.replace(/[^\n]/g, " ")),
  }];
}

/**
 * Finds banned phrases in pages, comments and texts of programs, also where a line breaks within one.
 *
 * @param files The text of each file by its path in the project.
 */
export function wordProblems(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const lineAt = (index: number) => text.slice(0, index).split("\n").length;
    const isPage = /\.(?:md|txt)$/.test(path);
    // What stands between tags has no marks of its own.
    if (!isPage && path.endsWith(".ts") && !maySayBanned(text)) return [];
    const all = isPage ? proseOfPage(text) : proseOf(path, text);
    return all.flatMap((prose) => {
      // Of the same length, so that a place in it is one in the file.
      const flat = prose.text.replace(/\n[ \t]*(?:\*|\/\/)?/g, (space) => " ".repeat(space.length));
      return spacedPhrases.flatMap(([spaced, instead, where]) => {
        if (where === "pages" && !/^(?:docs\/|README)/.test(path)) return [];
        return [...flat.matchAll(spaced)].map(({ 0: phrase, index }) =>
          `${path}:${lineAt(prose.start + index)} says "${
            phrase.replaceAll(/ +/g, " ")
          }": say ${instead}`
        );
      });
    });
  });
}
