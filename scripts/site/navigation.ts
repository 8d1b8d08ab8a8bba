import { type Html, html } from "../report/html.ts";
import { relativePath } from "./relative_path.ts";
import { pageGroups } from "./site_pages.ts";

/** Where the reference and the playground stand among the other groups. */
const referenceGroup = {
  name: "Look up",
  pages: [
    { path: "reference/index.html", name: "API reference" },
    { path: "playground.html", name: "Playground" },
  ],
};
const groups = [...pageGroups.slice(0, 1), referenceGroup, ...pageGroups.slice(1)];

/**
 * The list of all pages, with the one that it stands on marked.
 *
 * @param page The path of that page.
 * @param inside What is listed below the reference, on its pages.
 */
export function navigation(page: string, inside?: Html): Html {
  return html`${
    groups.map(({ name, pages }) =>
      html`
        <h2>${name}</h2>
        <ul>
        ${pages.map(({ path, name }) =>
          html`
            <li><a href="${relativePath(page, path)}"${path === page
              ? html`
                aria-current="page"
              `
              : undefined}>${name}</a>${path === "reference/index.html" ? inside : undefined}</li>
          `
        )}</ul>
      `
    )
  }`;
}
