import { randomBytes } from "node:crypto";
import { pageScript } from "./page_script.ts";
import { pageStyle } from "./page_style.ts";

/** A page and what it may do. */
export interface Page {
  readonly html: string;
  /** Its content security policy: its own style, its own script, its own server, and no frame around it. */
  readonly policy: string;
}

/** Makes the page. Nothing of the pipeline is in it; that comes as events. */
export function createPage(): Page {
  const nonce = randomBytes(16).toString("base64");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hosepipe</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${pageStyle}</style>
</head>
<body>
<main>
<h1 id="name">hosepipe</h1>
<p id="link" role="status">Connecting …</p>
<p id="summary" aria-live="polite"></p>
<ol id="hose" aria-label="The pipeline, from its source to its sink"></ol>
<p class="legend">
<span class="slot full"></span> a chunk
<span class="slot held"></span> its place, while it is being processed
<span class="slot"></span> room up to the highWaterMark
<span class="slot over"></span> a chunk beyond it
<span class="valve open"></span> gives
<span class="valve shut"></span> asked to pause
</p>
<p id="skipped"></p>
<h2 id="runs-title">Runs that have not ended</h2>
<pre id="runs" aria-labelledby="runs-title" tabindex="0"></pre>
<p id="recording"><a href="recording.jsonl" download>Save a recording</a>, which the playground opens.</p>
</main>
<script nonce="${nonce}">${pageScript}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { html, policy };
}
