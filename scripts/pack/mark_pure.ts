const opening = /^var (\w+) = (?:class( \w+)?( extends [^{]+)?|(\[|\{))(?: \{)?$/;
const call = /^(var \w+ = )((?:new )?[\w$.]+\(|"[^"]*"\.)/;
/** What the making of a class or a list calls. */
const computedOrStatic =
  /^ {2}(?:(?:async|get|set|static) |\*)*\[(?!Symbol\.)|^ {2}static [#\w]+ = /;
const spreadOrComputed = /^ {2}(?:\.\.\.|\[(?!Symbol\.))/;
/** A call among the arguments of another. */
const innerCall = /([(,] ?)((?:new )?[\w$]+(?:\.[\w$]+)*\()/g;

/** The line that ends what `start` begins: what esbuild writes is indented. */
function endOf(lines: readonly string[], start: number, closing: string): number {
  return lines.indexOf(`${closing};`, start + 1);
}

/**
 * Marks what a bundler may leave out of a module that esbuild has made of several. Of a module that no one uses
 * `sideEffects` in package.json says so; within one, a bundler keeps each class that extends another or has a computed
 * name, with all that it needs.
 *
 * @param text The module; nothing that it declares at its top may do anything but make a value.
 */
export function markPure(text: string): string {
  const lines = text.split("\n");
  lines.forEach((line, start) => {
    const found = opening.exec(line);
    if (found === null) {
      const marked = line.replace(call, "$1/* @__PURE__ */ $2");
      const mayMarkInner = marked !== line && !/["'`]/.test(line);
      lines[start] = mayMarkInner ? marked.replace(innerCall, "$1/* @__PURE__ */ $2") : marked;
      return;
    }
    const [, name, inner = ` ${name}`, parent = "", bracket] = found;
    const closing = bracket === "[" ? "]" : "}";
    const end = endOf(lines, start, closing);
    if (end === -1) return;
    const isClass = bracket === undefined;
    const mayAct = isClass ? computedOrStatic : spreadOrComputed;
    if (parent === "" && !lines.slice(start, end).some((part) => mayAct.test(part))) return;
    const isObject = bracket === "{";
    const value = isClass ? `class${inner}${parent} {` : isObject ? "({" : "[";
    lines[start] = `var ${name} = /* @__PURE__ */ (() => ${value}`;
    lines[end] = `${closing}${isObject ? ")" : ""})();`;
  });
  return lines.join("\n");
}
