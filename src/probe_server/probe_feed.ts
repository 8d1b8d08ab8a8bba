import type { ServerResponse } from "node:http";
import type { Shown } from "./shown.ts";

/** How often the pipeline is looked at while a page is open. */
const intervalMs = 100;
/** Where nothing changes, a page hears so once in so many times. */
const restingTimes = 10;

/** A page that is open. */
interface OpenPage {
  /** Whether what was sent last is still on its way. */
  isBehind: boolean;
  /** How many states were not sent because of that, in all. */
  skipped: number;
}

/** Looks at a pipeline while pages are open, and sends each what it sees; a page that does not keep up misses some. */
export class ProbeFeed {
  readonly #shown: Shown;
  readonly #pages = new Map<ServerResponse, OpenPage>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastText = "";
  #rested = 0;
  #isClosed = false;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** A page wants to see: it does, at once and from now on. */
  open(response: ServerResponse): void {
    response.on("error", () => {});
    if (this.#isClosed) {
      response.destroy();
      return;
    }
    const page: OpenPage = { isBehind: false, skipped: 0 };
    this.#pages.set(response, page);
    response.on("close", () => this.#leave(response));
    this.#send(response, page, this.#describe());
    this.#timer ??= setInterval(() => this.#look(), intervalMs);
  }

  /** What is kept of the pipeline, as a recording, if there is one. */
  record(): string | undefined {
    return this.#shown.record?.();
  }

  /** Says goodbye to the pages that keep up; answers when they have heard it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#shown.leave();
    const goodbyes = [...this.#pages].map(([response, { isBehind }]) =>
      isBehind ? undefined : new Promise<void>((resolve) => {
        response.on("close", resolve);
        response.end("event: bye\ndata:\n\n", resolve);
      })
    );
    await Promise.all(goodbyes);
  }

  #leave(response: ServerResponse): void {
    this.#pages.delete(response);
    if (this.#pages.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const text = this.#describe();
    if (text === this.#lastText && ++this.#rested < restingTimes) return;
    this.#lastText = text;
    this.#rested = 0;
    for (const [response, page] of this.#pages) this.#send(response, page, text);
  }

  #describe(): string {
    return JSON.stringify(
      this.#shown.look(),
      (_key, value) => value === Infinity ? "Infinity" : value,
    );
  }

  #send(response: ServerResponse, page: OpenPage, text: string): void {
    if (page.isBehind) {
      page.skipped++;
      return;
    }
    page.isBehind = true;
    const { skipped } = page;
    response.write(`data: {"skipped":${skipped},"state":${text}}\n\n`, () => page.isBehind = false);
  }
}
