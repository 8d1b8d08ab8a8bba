const blanks = /[\t\n\r ]*/y;
const plain =
  /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])|[[\]{}:,]/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Where what matches from `at` on ends; -1 if nothing does. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Where the string that begins at `at` ends; -1 if it is none. Not by one pattern, which a long one is too much for. */
function endOfString(text: string, at: number): number {
  for (at++; at < text.length;) {
    const letter = text[at]!;
    if (letter === '"') return at + 1;
    if (letter < " ") return -1;
    at = letter === "\\" ? endOf(escaped, text, at) : at + 1;
    if (at < 0) return -1;
  }
  return -1;
}

/** Where a text stops being JSON, in UTF-16 code units: a parser's own error says so in some runtimes alone. */
export function findJsonFault(text: string): number {
  const open: string[] = [];
  // What may come: a value, a key, a comma or a colon; or the end of what has just begun.
  let need: "value" | "key" | "colon" | "comma" = "value";
  let isNew = false;
  let at = 0;
  while (true) {
    at = endOf(blanks, text, at);
    const mark = text[at]!;
    const isString = mark === '"';
    const end = isString ? endOfString(text, at) : endOf(plain, text, at);
    if (end < 0) return at;
    const isIn = open.at(-1);
    if (mark === "]" || mark === "}") {
      const mayEnd = isNew || need === "comma";
      if (isIn !== mark || !mayEnd) break;
      open.pop();
      need = "comma";
    } else if (need === "comma") {
      if (mark !== "," || isIn === undefined) break;
      need = isIn === "}" ? "key" : "value";
    } else if (need === "colon") {
      if (mark !== ":") break;
      need = "value";
    } else if (need === "key") {
      if (!isString) break;
      need = "colon";
    } else if (mark === "[" || mark === "{") {
      open.push(mark === "[" ? "]" : "}");
      need = mark === "[" ? "value" : "key";
    } else if ("]},:".includes(mark)) break;
    else need = "comma";
    isNew = mark === "[" || mark === "{";
    at = end;
  }
  return at;
}
