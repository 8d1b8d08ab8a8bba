import { playgroundLink, runsInPlayground } from "../playground_link.ts";
import { Html, html } from "../../report/html.ts";
import { highlight } from "./highlight.ts";

/** A block of code, with the way to the playground where it can run there. */
export function codeBlock(page: string, code: string, language: string): Html {
  const isProgram = /^(?:ts|js|typescript|javascript)$/.test(language);
  const link = isProgram && runsInPlayground(code)
    ? html`<a class="run" href="${playgroundLink(page, code)}">Open in playground</a>`
    : undefined;
  return html`
    <div class="code"><pre><code>${new Html(
      highlight(code.trimEnd(), language),
    )}</code></pre>${link}</div>
  `;
}
