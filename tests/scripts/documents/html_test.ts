import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { escapeHtml, html } from "../../../scripts/documents/html.ts";

test("what is put in is escaped, in text and in attributes", () => {
  assertEquals(
    html`<p title="${`"'`}">${"<b>&amp;"}</p>`.text,
    '<p title="&quot;&#39;">&lt;b&gt;&amp;amp;</p>',
  );
  assertEquals(escapeHtml("plain"), "plain");
});

test("markup stays markup, lists are joined, numbers are written, nothing is nothing", () => {
  const items = ["a", "<"].map((item) => html`<li>${item}</li>`);
  assertEquals(
    html`<ul>${items}</ul>${0}${undefined}${[[1], "&"]}`.text,
    "<ul><li>a</li><li>&lt;</li></ul>01&amp;",
  );
});
