/** Reads pages of the folder that names lead to. */
type ReadPages = (
  names: readonly string[],
  numbers: readonly number[],
) => Promise<ReadonlyMap<number, string>>;

/** A huge folder takes memory for each reading of it. */
const mostAtOnce = 2;

/** More pages than that of one reading would be held until the last is there. */
const mostPages = 16;

/** Pages of one folder that wait to be read. */
interface Job {
  readonly key: string;
  readonly names: readonly string[];
  readonly pages: Map<number, PromiseWithResolvers<string | undefined>>;
}

/** Lists of a handler's folders: requests for one that waits to be read share one reading. */
export class FolderLists {
  readonly #read: ReadPages;
  readonly #jobs = new Set<Job>();
  /** The last job of each folder that waits. */
  readonly #last = new Map<string, Job>();
  #reading = 0;

  constructor(read: ReadPages) {
    this.#read = read;
  }

  /** A page of the folder as it is from now on; `undefined` if there is none. */
  read(names: readonly string[], number: number): Promise<string | undefined> {
    const key = names.join("/");
    let job = this.#last.get(key);
    if (job === undefined || job.pages.size === mostPages && !job.pages.has(number)) {
      job = { key, names, pages: new Map() };
      this.#jobs.add(job);
      this.#last.set(key, job);
    }
    let page = job.pages.get(number);
    if (page === undefined) job.pages.set(number, page = Promise.withResolvers());
    void this.#work();
    return page.promise;
  }

  async #work(): Promise<void> {
    if (this.#reading === mostAtOnce) return;
    this.#reading++;
    for (let [job] = this.#jobs; job !== undefined; [job] = this.#jobs) {
      const { key, names, pages } = job;
      this.#jobs.delete(job);
      if (this.#last.get(key) === job) this.#last.delete(key);
      try {
        const texts = await this.#read(names, [...pages.keys()]);
        for (const [number, { resolve }] of pages) resolve(texts.get(number));
      } catch (error) {
        for (const { reject } of pages.values()) reject(error);
      }
    }
    this.#reading--;
  }
}
