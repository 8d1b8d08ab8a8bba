const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

const forms = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  // Sunday, 06-Nov-94 08:49:37 GMT
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  // Sun Nov  6 08:49:37 1994
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>\d\d| \d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/** "Wednesday, 06-Nov-94 08:49:37 GMT" has 33 characters. */
const longestDate = 33;

/** A year of two digits that would lie over 50 years ahead is of the century before. */
function fullYear(text: string, now: number): number {
  const year = Number(text);
  if (text.length === 4) return year;
  const thisYear = new Date(now).getUTCFullYear();
  const candidate = thisYear - thisYear % 100 + year;
  return candidate > thisYear + 50 ? candidate - 100 : candidate;
}

/**
 * Reads one of the three forms of an HTTP date, as seconds since 1970; `undefined` if it is none.
 * `Date.parse` would accept much more, and in each runtime something else.
 */
export function parseHttpDate(text: string, now: number = Date.now()): number | undefined {
  if (text.length > longestDate) return undefined;
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const [hour, minute, second] = parts.time!.split(":").map(Number) as [number, number, number];
    const month = months.indexOf(parts.month!);
    const day = Number(parts.day);
    const year = fullYear(parts.year!, now);
    // A leap second is the next minute's first.
    if (month === -1 || hour > 23 || minute > 59 || second > 60) return undefined;
    const date = new Date(0);
    date.setUTCFullYear(year, month, day);
    // A day that its month does not have would be one of another month.
    if (date.getUTCDate() !== day) return undefined;
    return date.setUTCHours(hour, minute, second) / 1000;
  }
  return undefined;
}
