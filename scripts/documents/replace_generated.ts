const block = /^(<!-- generated:([a-z0-9-]+) -->\n)(.*?)(^<!-- \/generated:\2 -->$)/gms;

/**
 * Replaces what stands between `<!-- generated:NAME -->` and `<!-- /generated:NAME -->`, each on a
 * line of its own, by what `generate` makes of the name.
 *
 * @throws {Error} If a block is opened and not closed.
 */
export function replaceGenerated(text: string, generate: (name: string) => string): string {
  let replaced = 0;
  const fresh = text.replaceAll(block, (_all, opening: string, name: string, _old, closing) => {
    replaced++;
    return `${opening}\n${generate(name).trim()}\n\n${closing}`;
  });
  const opened = text.match(/^<!-- generated:.*$/gm)?.length ?? 0;
  if (opened !== replaced) {
    throw new Error(`Cannot replace generated blocks: ${opened} opened, ${replaced} whole`);
  }
  return fresh;
}
