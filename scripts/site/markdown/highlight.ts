import Prism from "prismjs/components/prism-core.js";
import "prismjs/components/prism-clike.js";
import "prismjs/components/prism-javascript.js";
import "prismjs/components/prism-typescript.js";
import "prismjs/components/prism-json.js";
import { escapeHtml } from "../../documents/html.ts";

const names: Readonly<Record<string, string>> = {
  ...{ ts: "typescript", typescript: "typescript" },
  ...{ js: "javascript", javascript: "javascript", json: "json" },
};

/** Code as markup, coloured where its language is known. */
export function highlight(code: string, language: string): string {
  const name = names[language];
  if (name === undefined) return escapeHtml(code);
  return Prism.highlight(code, Prism.languages[name]!, name);
}
