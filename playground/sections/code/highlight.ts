/// <reference lib="dom" />
import Prism from "prismjs/components/prism-core.js";
import "prismjs/components/prism-clike.js";
import "prismjs/components/prism-javascript.js";

// It would look through the whole page by itself.
Prism.manual = true;

/** Colours the code in an element. */
export function highlight(element: HTMLElement): void {
  const { languages, highlight } = Prism;
  element.innerHTML = highlight(element.textContent ?? "", languages.javascript!, "javascript");
}
