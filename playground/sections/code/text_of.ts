/// <reference lib="dom" />

/** The text of a field whose lines may be elements, as a browser makes them of what is put in at once. */
export function textOf(field: Node): string {
  let text = "";
  const take = (node: Node): void => {
    for (const child of node.childNodes) {
      if (child.nodeName === "BR") {
        // At the end of a line's element it only keeps the line open.
        if (node === field || child.nextSibling !== null) text += "\n";
        continue;
      }
      if (child.nodeName === "DIV" && (text !== "" || child.previousSibling !== null)) text += "\n";
      if (child.nodeType === Node.TEXT_NODE) text += child.nodeValue;
      else take(child);
    }
  };
  take(field);
  return text;
}
