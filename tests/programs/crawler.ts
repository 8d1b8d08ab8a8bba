import { expand, limitRate, pipeline, type StageContext, take } from "@hosepipe/streams";
import { type Crawler, pageOf } from "./_crawler.ts";

/** Visits each page that can be reached once, some at a time and no faster than is polite. */
export const crawl: Crawler = async (start, parts) => {
  const { fetchPage, keep, onBroken, onFound, perSecond, maxPages, signal } = parts;
  const { concurrency, maxPending } = parts;
  const visit = async (url: string, _: number, { signal }: StageContext) => {
    let page;
    try {
      page = await fetchPage(url, signal);
    } catch (reason) {
      if (!signal.aborted) onBroken(url, reason);
      return [];
    }
    await keep(page);
    return page.links;
  };
  const { chunksWritten } = await pipeline(
    start,
    expand(visit, { concurrency, maxPending, distinct: { key: pageOf, maxKeys: 1_000_000 } }),
    limitRate({ perSecond, burst: 1 }),
    take(maxPages),
    onFound,
    { signal },
  );
  return chunksWritten;
};
