/** Reads from a quote on: the text up to the one that closes it, and where that is. */
function readQuoted(
  value: string,
  open: number,
): readonly [text: string, close: number] | undefined {
  let text = "";
  let start = open + 1;
  for (let at = value.indexOf('"', start); at !== -1; at = value.indexOf('"', at + 1)) {
    let next = at + 1;
    while (value[next] === " " || value[next] === "\t") next++;
    if (next >= value.length || value[next] === ";") return [text + value.slice(start, at), at];
    // Browsers write %22 and leave a backslash as it is; where no parameter can end, it stands before a quote.
    if (value[at - 1] !== "\\" || at - 1 < start) return undefined;
    text += `${value.slice(start, at - 1)}"`;
    start = at + 1;
  }
  return undefined;
}

/** The first part of a header and its parameters, by their names in small letters; `undefined` if it has no such form. */
export function headerParameters(
  value: string,
): { readonly first: string; readonly parameters: ReadonlyMap<string, string> } | undefined {
  const parameters = new Map<string, string>();
  let at = value.indexOf(";");
  const first = (at === -1 ? value : value.slice(0, at)).trim().toLowerCase();
  while (at !== -1 && at < value.length) {
    const equals = value.indexOf("=", ++at);
    if (equals === -1) return value.slice(at).trim() === "" ? { first, parameters } : undefined;
    const name = value.slice(at, equals).trim().toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || parameters.has(name)) return undefined;
    let start = equals + 1;
    while (value[start] === " " || value[start] === "\t") start++;
    if (value[start] === '"') {
      const quoted = readQuoted(value, start);
      if (quoted === undefined) return undefined;
      parameters.set(name, quoted[0]);
      at = value.indexOf(";", quoted[1]);
    } else {
      at = value.indexOf(";", start);
      parameters.set(name, value.slice(start, at === -1 ? value.length : at).trim());
    }
  }
  return { first, parameters };
}
