/** A page that was fetched. */
export interface Page {
  readonly url: string;
  readonly title: string;
  readonly links: readonly string[];
}

/** What the program is given. */
export interface CrawlerParts {
  readonly fetchPage: (url: string, signal: AbortSignal) => Promise<Page>;
  /** Keeps a page; it is waited for. */
  readonly keep: (page: Page) => Promise<void>;
  /** Called with what could not be fetched. */
  readonly onBroken: (url: string, reason: unknown) => void;
  /** Called with each address that is found, before it is fetched. */
  readonly onFound: (url: string) => void;
  readonly perSecond: number;
  readonly concurrency: number;
  readonly maxPages: number;
  /** How many addresses may wait; more are taken for a trap. */
  readonly maxPending: number;
  readonly signal?: AbortSignal;
}

/** The program; it gives how many addresses it has found. */
export type Crawler = (start: readonly string[], parts: CrawlerParts) => Promise<number>;

/** The address of a page; what follows `#` is a place in it. */
export function pageOf(url: string): string {
  return url.split("#")[0]!;
}
