/// <reference lib="dom" />
import { findEntries, type SearchEntry } from "./find_entries.ts";

declare global {
  /** Set by the script with the index. */
  var siteSearchEntries: readonly SearchEntry[] | undefined;
}

const mostResults = 20;

/** Loads the index once; a page on a disk may load a script, but no data. */
function loadEntries(root: string): Promise<readonly SearchEntry[]> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}search.js`;
    script.onload = () => resolve(siteSearchEntries ?? []);
    script.onerror = () => reject(new Error("The index of the search cannot be loaded."));
    document.head.append(script);
  });
}

/** The words around the first word that was looked for. */
function excerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 40);
  const from = places.length === 0 || start === 0 ? 0 : text.indexOf(" ", start) + 1;
  return `${from > 0 ? "… " : ""}${text.slice(from, from + 140)}`;
}

function item([title, page, address, text]: SearchEntry, root: string, words: readonly string[]) {
  const link = document.createElement("a");
  link.href = root + address;
  for (const [tag, content] of [["b", title], ["small", page], ["span", excerpt(text, words)]]) {
    link.append(Object.assign(document.createElement(tag!), { textContent: content }));
  }
  const listed = document.createElement("li");
  listed.append(link);
  return listed;
}

function makeDialog(): HTMLDialogElement {
  const dialog = document.createElement("dialog");
  dialog.className = "search";
  dialog.setAttribute("aria-label", "Search");
  dialog.innerHTML =
    `<form method="dialog"><input type="search" aria-label="Search the site" placeholder="A name, an option, a word" autocomplete="off" spellcheck="false"><button>Close</button></form><p role="status"></p><ul></ul>`;
  document.body.append(dialog);
  return dialog;
}

/**
 * Starts the search: its button and the keys `/` and Ctrl+K open it.
 *
 * @param root The way from this page to the site's first folder.
 */
export function startSearch(root: string): void {
  let dialog: HTMLDialogElement | undefined;
  let entries: Promise<readonly SearchEntry[]> | undefined;
  const show = async (input: HTMLInputElement) => {
    const status = dialog!.querySelector("p")!;
    const list = dialog!.querySelector("ul")!;
    try {
      const found = findEntries(await (entries ??= loadEntries(root)), input.value);
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      list.replaceChildren(...found.slice(0, mostResults).map((entry) => item(entry, root, words)));
      const count = found.length === 1 ? "1 place" : `${found.length} places`;
      status.textContent = words.length === 0
        ? ""
        : found.length > mostResults
        ? `${count}, the first ${mostResults}:`
        : `${count}${found.length > 0 ? ":" : ""}`;
    } catch (error) {
      entries = undefined;
      status.textContent = (error as Error).message;
    }
  };
  const open = () => {
    if (dialog === undefined) {
      dialog = makeDialog();
      const input = dialog.querySelector("input")!;
      input.addEventListener("input", () => void show(input));
      dialog.querySelector("form")!.addEventListener("submit", (event) => {
        if (event.submitter !== null && document.activeElement !== input) return;
        event.preventDefault();
        dialog!.querySelector<HTMLAnchorElement>("ul a")?.click();
      });
      dialog.addEventListener("click", (event) => {
        if (event.target === dialog || (event.target as Element).closest("a") !== null) {
          dialog!.close();
        }
      });
      dialog.addEventListener("keydown", (event) => {
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        event.preventDefault();
        const places = [input, ...dialog!.querySelectorAll<HTMLElement>("ul a")];
        const current = places.indexOf(document.activeElement as HTMLElement);
        places[current + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
      });
    }
    dialog.showModal();
    dialog.querySelector("input")!.select();
    entries ??= loadEntries(root);
    entries.catch(() => entries = undefined);
  };
  document.querySelector("[data-do=search]")?.addEventListener("click", open);
  addEventListener("keydown", (event) => {
    const isTyping = (event.target as HTMLElement).closest("input, textarea, [contenteditable]");
    const isAsked = event.key === "/" && isTyping === null && !event.ctrlKey && !event.metaKey ||
      event.key === "k" && (event.ctrlKey || event.metaKey);
    if (!isAsked || dialog?.open) return;
    event.preventDefault();
    open();
  });
}
