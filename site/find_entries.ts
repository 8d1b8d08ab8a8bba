/** What the search knows of a place: its title, the page it is on, where it is, and its words. */
export type SearchEntry = readonly [title: string, page: string, address: string, text: string];

/** How well a word fits a place; 0 if it is not there. */
function fit([title, page, address, text]: SearchEntry, asked: string): number {
  const [name, word] = [title.toLowerCase(), asked.toLowerCase()];
  // Of `batch` and `Batch` the one that is written so.
  if (name === word) return title === asked ? 110 : 100;
  if (name.startsWith(word)) return 40;
  if (name.includes(word)) return 20;
  // A page is known by its file, too.
  if (address === `${word}.html`) return 40;
  if (page.toLowerCase().includes(word) || address.startsWith(`${word}.html`)) return 5;
  const place = text.toLowerCase().indexOf(word);
  if (place < 0) return 0;
  // The beginning of a word says more than its middle.
  return place === 0 || /\W/.test(text[place - 1]!) ? 3 : 1;
}

/** Finds the places that have all words of a question, the best first. */
export function findEntries(entries: readonly SearchEntry[], question: string): SearchEntry[] {
  const words = question.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => {
      const fits = words.map((word) => fit(entry, word));
      return { entry, score: fits.includes(0) ? 0 : fits.reduce((sum, one) => sum + one, 0) };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.entry[0].length - other.entry[0].length)
    .map(({ entry }) => entry);
}
