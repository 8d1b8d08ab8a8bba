/** An element of a page, as far as tests look at it; the library's own types know no browser. */
export interface PageElement {
  readonly id: string;
  readonly tagName: string;
  readonly textContent: string | null;
  readonly dataset: Readonly<Record<string, string>>;
  /** Of `details`. */
  open: boolean;
  readonly clientWidth: number;
  readonly scrollWidth: number;
  getAttribute(name: string): string | null;
  getClientRects(): { readonly length: number };
  getBoundingClientRect(): {
    readonly width: number;
    readonly height: number;
    readonly right: number;
  };
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** What functions that run in a page find there. */
export interface PageGlobals {
  readonly document: PageElement & {
    readonly documentElement: PageElement;
    readonly body: PageElement;
  };
  getComputedStyle(element: PageElement): { readonly backgroundColor: string };
}
