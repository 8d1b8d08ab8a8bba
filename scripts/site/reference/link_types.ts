/**
 * Makes links of the names of types in highlighted code.
 *
 * @param addresses Where each name is described, by the name.
 */
export function linkTypes(markup: string, addresses: ReadonlyMap<string, string>): string {
  return markup.replace(/(<[^>]*>)|\b[A-Za-z]\w*\b/g, (found, tag) => {
    const address = tag === undefined ? addresses.get(found) : undefined;
    return address === undefined ? found : `<a href="${address}">${found}</a>`;
  });
}
