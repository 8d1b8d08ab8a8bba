import { type EntityTag, parseEntityTags } from "./entity_tag.ts";
import { parseHttpDate } from "./parse_http_date.ts";

/** What conditions are compared with. */
export interface Validators {
  readonly tag: EntityTag;
  /** In seconds: HTTP knows no fraction of one. `undefined` if the time says nothing, so that no date is a condition. */
  readonly lastModified: number | undefined;
}

/** Reads a header by its lower-case name. */
export type HeaderReader = (name: string) => string | undefined;

function isDateOf(header: string | undefined, test: (seconds: number) => boolean): boolean {
  const seconds = header === undefined ? undefined : parseHttpDate(header);
  return seconds !== undefined && test(seconds);
}

/**
 * Evaluates the conditions of a GET or HEAD in the standard's order.
 *
 * @returns The status that ends the matter, or `undefined` if the request goes on.
 */
export function preconditions(
  header: HeaderReader,
  { tag, lastModified }: Validators,
): 304 | 412 | undefined {
  const ifMatch = header("if-match");
  if (ifMatch !== undefined) {
    const matches = ifMatch.trim() === "*" ||
      parseEntityTags(ifMatch).some((one) => !one.weak && !tag.weak && one.opaque === tag.opaque);
    if (!matches) return 412;
  } else if (
    lastModified !== undefined &&
    isDateOf(header("if-unmodified-since"), (seconds) => lastModified > seconds)
  ) {
    return 412;
  }
  const ifNoneMatch = header("if-none-match");
  if (ifNoneMatch !== undefined) {
    const matches = ifNoneMatch.trim() === "*" ||
      parseEntityTags(ifNoneMatch).some(({ opaque }) => opaque === tag.opaque);
    return matches ? 304 : undefined;
  }
  if (lastModified === undefined) return undefined;
  if (isDateOf(header("if-modified-since"), (seconds) => lastModified <= seconds)) return 304;
}

/** Tells whether a `Range` may be honoured: `If-Range` is absent, or names these very bytes. */
export function rangeApplies(header: HeaderReader, { tag, lastModified }: Validators): boolean {
  const ifRange = header("if-range")?.trim();
  if (ifRange === undefined) return true;
  // Neither a weak tag nor the date of a file that may change within the second promises equal bytes.
  if (tag.weak) return false;
  const named = parseEntityTags(ifRange);
  if (named.length === 1) return !named[0]!.weak && named[0]!.opaque === tag.opaque;
  return isDateOf(ifRange, (seconds) => seconds === lastModified);
}
