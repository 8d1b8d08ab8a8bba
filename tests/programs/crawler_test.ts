import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { virtualTime } from "@hosepipe/streams/testing";
import { errorOf } from "../lib/error_of.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import type { Crawler, CrawlerParts, Page } from "./_crawler.ts";
import { crawl } from "./crawler.ts";
import { crawl as crawlByHand } from "./crawler_by_hand.ts";

const programs: Record<string, Crawler> = { "with stages": crawl, "by hand": crawlByHand };

/** A site of so many pages: each links to two further ones, to some before, and to places in them. */
class Site {
  readonly fetchedAt: number[] = [];
  readonly visited: string[] = [];
  readonly kept: string[] = [];
  readonly broken: string[] = [];
  readonly found: string[] = [];
  open = 0;
  most = 0;
  aborted = 0;
  readonly #count: number;
  readonly #breaks: (n: number) => boolean;

  constructor(count: number, breaks: (n: number) => boolean = () => false) {
    this.#count = count;
    this.#breaks = breaks;
  }

  readonly fetchPage = (url: string, signal: AbortSignal): Promise<Page> => {
    this.fetchedAt.push(performance.now());
    this.visited.push(url);
    const n = Number(url.split("/").at(-1)!.split("#")[0]);
    this.most = Math.max(this.most, ++this.open);
    return new Promise<Page>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        this.aborted++;
        this.open--;
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", stop);
        this.open--;
        if (this.#breaks(n)) return reject(new Error(`404: ${n}`));
        const links = [2 * n + 1, 2 * n + 2, n - 1, 0, 2 * n + 1, (n * 7) % this.#count]
          .filter((link) => link >= 0 && link < this.#count)
          .map((link, at) => `/page/${link}${at % 2 === 0 ? "" : `#part-${n}`}`);
        resolve({ url, title: `page ${n}`, links });
      }, 20 + n % 7 * 10);
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
    });
  };
}

/** Runs a program over a site of its own, in a time of its own. */
async function run(
  program: Crawler,
  site: Site,
  given: Partial<CrawlerParts> & { abortsAtMs?: number; start?: string[] } = {},
) {
  await using time = virtualTime();
  const stop = new AbortController();
  const { abortsAtMs, start = ["/page/0"], ...rest } = given;
  if (abortsAtMs !== undefined) setTimeout(() => stop.abort("enough"), abortsAtMs);
  let count: number | undefined;
  const ending = await time.run(
    errorOf((async () => {
      count = await program(start, {
        fetchPage: site.fetchPage,
        keep: async ({ url }) => {
          await undefined;
          site.kept.push(url);
        },
        onBroken: (url) => void site.broken.push(url),
        onFound: (url) => void site.found.push(url),
        ...{ perSecond: 100, concurrency: 4, maxPages: 1000, maxPending: 1000 },
        signal: stop.signal,
        ...rest,
      });
    })()),
  );
  const endedAtMs = time.now;
  await time.advance(60_000);
  assertEquals([site.open, time.timers], [0, 0], "a call or a timer is left");
  return { count, ending, endedAtMs };
}

const pagesOf = (urls: readonly string[]) => urls.map((url) => url.split("#")[0]!).sort();
const pages = (count: number) => Array.from({ length: count }, (_, n) => `/page/${n}`).sort();

test("a crawler, both programs: each page once, four at a time, no faster than allowed", async () => {
  for (const [name, program] of Object.entries(programs)) {
    const site = new Site(60);
    const { count, ending } = await run(program, site);
    assertEquals([ending, count], ["none", 60], name);
    for (const urls of [site.visited, site.kept, site.found]) {
      assertEquals(pagesOf(urls), pages(60));
    }
    assertEquals([site.broken, site.most], [[], 4]);
    // One address is found ahead of its turn.
    for (const [n, atMs] of site.fetchedAt.entries()) assert(n - 2 <= atMs / 10, `${n} at ${atMs}`);
  }
});

test("a crawler, both programs: one page at a time is the same order", async () => {
  const orders = [];
  for (const program of Object.values(programs)) {
    const site = new Site(40, (n) => n % 5 === 3);
    await run(program, site, { concurrency: 1 });
    orders.push([site.visited, site.kept, site.broken, site.found]);
  }
  assertEquals(orders[1], orders[0]);
});

test("a crawler, both programs: nothing to begin with, and the same page twice", async () => {
  for (const program of Object.values(programs)) {
    const { count } = await run(program, new Site(1), { start: [] });
    assertEquals(count, 0);
    const site = new Site(1);
    await run(program, site, { start: ["/page/0", "/page/0#top"] });
    assertEquals(site.found, ["/page/0"]);
  }
});

test("a crawler, both programs: it ends after so many pages, and stops what is under way", async () => {
  for (const program of Object.values(programs)) {
    const site = new Site(1000);
    const { ending, count } = await run(program, site, { maxPages: 25 });
    assertEquals([ending, count, site.found.length], ["none", 25, 25]);
    assert(site.visited.length <= 26, `${site.visited.length} visits`);
  }
});

test("a crawler, both programs: a signal stops fetches and waits", async () => {
  for (const [name, program] of Object.entries(programs)) {
    let aborted = 0;
    for (const abortsAtMs of [0, 15, 100, 333]) {
      const site = new Site(1000);
      const { ending } = await run(program, site, { abortsAtMs });
      assertEquals(ending, ["enough"], name);
      assertEquals(site.broken, []);
      aborted += site.aborted;
    }
    assert(aborted > 0, name);
  }
});

test("a crawler, both programs: a page that cannot be kept, a sink that fails and a trap end it", async () => {
  const unhandled = await unhandledDuring(async () => {
    for (const [name, program] of Object.entries(programs)) {
      const kept = await run(program, new Site(100), {
        keep: ({ url }) => url.startsWith("/page/9") ? Promise.reject("full") : Promise.resolve(),
      });
      assertEquals(kept.ending, ["full"], name);
      let found = 0;
      const sunk = await run(program, new Site(100), {
        onFound: () => {
          if (++found === 9) throw "no room";
        },
      });
      assertEquals(sunk.ending, ["no room"], name);
      const trapped = await run(program, new Site(1e6), { maxPending: 20 });
      assert((trapped.ending as [unknown])[0] instanceof RangeError, name);
    }
  });
  assertEquals(unhandled, []);
});
