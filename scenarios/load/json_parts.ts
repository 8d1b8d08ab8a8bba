/** More than any document has that was not made to do harm; the parser's memory is a hundred times what nests. */
const deepest = 1_000;

/** Ends of what stands in a text of JSON between two values. */
const quote = 34, comma = 44, backslash = 92, opening = 91, brace = 123;

/** Where a text ends that begins at `at`. */
function endOfText(json: string, at: number): number {
  let end = at;
  do {
    end = json.indexOf('"', end + 1);
    if (end < 0) return json.length;
  } while (isEscaped(json, end));
  return end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json.charCodeAt(before - 1) === backslash) before--;
  return (at - before) % 2 === 1;
}

/**
 * The values in an array of JSON, or names and values in an object in turn, each as it stands there.
 *
 * @throws {SyntaxError} If it is neither, or nests too deep.
 */
export function jsonParts(json: string): string[] {
  const start = json.search(/[^ \t\r\n]/);
  const first = json.charCodeAt(start);
  if (first !== opening && first !== brace) throw new SyntaxError("it is no array and no object");
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  const add = (to: number) => {
    const part = json.slice(from, to).trim();
    if (part !== "") parts.push(part);
    from = to + 1;
  };
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at) - 1;
    // Brackets and braces differ in one bit, and from those that close them by two.
    else if ((code | 32) === brace) {
      if (++depth > deepest) throw new SyntaxError(`it nests deeper than ${deepest}`);
    } else if ((code | 32) === brace + 2) {
      if (--depth === 0) add(at);
    } else if (depth === 1 && (code === comma || code === 58)) add(at);
  }
  // What is no JSON is found by the parser, which has no more to do than that.
  JSON.parse(json);
  return parts;
}
