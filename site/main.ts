/// <reference lib="dom" />
import { startSearch } from "./search.ts";

/// <reference lib="dom" />

/** Scrolls the menu, and nothing around it, to the page that is open. */
function showCurrentPage(): void {
  const menu = document.querySelector<HTMLElement>("#menu")!;
  const scroll = () => {
    const current = menu.querySelector("[aria-current]")?.getBoundingClientRect();
    if (current === undefined || current.height === 0) return;
    menu.scrollTop += current.top - menu.getBoundingClientRect().top - menu.clientHeight / 3;
  };
  scroll();
  menu.addEventListener("toggle", scroll);
}

/// <reference lib="dom" />

/** Lets the keyboard reach what is wider than its place, and only that. */
function makeScrollable(): void {
  const found = document.querySelectorAll<HTMLElement>("pre, .table");
  const update = () => {
    for (const element of found) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
  };
  update();
  addEventListener("resize", update);
}

/// <reference lib="dom" />

/** Opens the table of contents where there is room for it, and marks in it what is being read. */
function followReading(): void {
  const details = document.querySelector<HTMLDetailsElement>(".contents details");
  if (details === null) return;
  const wide = matchMedia("(min-width: 75rem)");
  const open = () => details.open = wide.matches;
  open();
  wide.addEventListener("change", open);

  const links = [...details.querySelectorAll<HTMLAnchorElement>("a")];
  const headings = links.map((link) =>
    document.getElementById(decodeURIComponent(link.hash.slice(1)))
  );
  let marked: HTMLAnchorElement | undefined;
  const mark = () => {
    const index = headings.findLastIndex((heading) =>
      heading !== null && heading.getBoundingClientRect().top < innerHeight / 4
    );
    if (links[index] === marked) return;
    marked?.removeAttribute("aria-current");
    marked = links[index];
    marked?.setAttribute("aria-current", "location");
    if (wide.matches) marked?.scrollIntoView({ block: "nearest" });
  };
  const seen = new IntersectionObserver(mark, { rootMargin: "0px 0px -75% 0px" });
  for (const heading of headings) if (heading !== null) seen.observe(heading);
}

/// <reference lib="dom" />

/** Gives each block of code a button that copies it, where the browser lets a page copy. */
function copyCode(): void {
  if (navigator.clipboard === undefined) return;
  for (const code of document.querySelectorAll(".code:not(.output, .signature) > pre")) {
    const button = Object.assign(document.createElement("button"), {
      ...{ type: "button", className: "copy", textContent: "Copy" },
    });
    button.addEventListener("click", async () => {
      const isCopied = await navigator.clipboard.writeText(code.textContent!)
        .then(() => true, () => false);
      button.textContent = isCopied ? "Copied" : "Not allowed";
      setTimeout(() => button.textContent = "Copy", 2000);
    });
    code.after(button);
  }
}

const { root = "" } = (document.currentScript as HTMLScriptElement).dataset;

startSearch(root);
showCurrentPage();
followReading();
makeScrollable();
copyCode();
