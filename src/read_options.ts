import { checkDelay, longestDelayMs } from "./check_delay.ts";
import { checkSignal } from "./check_signal.ts";
import {
  checkBoolean,
  checkFunction,
  checkInteger,
  checkOneOf,
  checkOptions,
  throwTypeError,
} from "./errors.ts";

/** Reads one option: gives its default where there is no value, and throws if it cannot be that one. */
export type OptionReader<T = unknown> = (action: string, name: string, value: unknown) => T;

/** What is read of an option: of a function, or what the reader leaves as it is, the type is the option's own. */
type ReadOption<Given, Read> = [Read] extends [undefined] ? Given
  // deno-lint-ignore no-explicit-any -- of any arguments
  : [Read] extends [(...args: any[]) => unknown] ? Exclude<Given, undefined>
  : Read;

type ReadOptions<Options, Readers> = {
  [Name in keyof Readers & keyof Options]: ReadOption<
    Options[Name],
    Readers[Name] extends OptionReader<infer Read> ? Read : never
  >;
};

/** Reads each option by its reader, in their order; throws if one is unknown. */
export function readOptions<
  Options extends object,
  const Readers extends { readonly [Name in keyof Options]-?: OptionReader },
>(
  action: string,
  options: Options | undefined,
  readers: Readers,
): ReadOptions<Options, Readers> {
  const names = Object.keys(readers) as (keyof Options & string)[];
  checkOptions(action, options, names);
  const read: Record<string, unknown> = {};
  for (const name of names) read[name] = readers[name](action, name, options?.[name]);
  return read as ReadOptions<Options, Readers>;
}

/** A reader by what checks a value. */
function readBy<T>(
  check: (action: string, name: string, value: unknown) => void,
  fallback: unknown,
): OptionReader<T> {
  return (action, name, value = fallback) => {
    if (value !== undefined) check(action, name, value);
    return value as T;
  };
}

/** An integer of at least `minimum`, or `Infinity` where `unbounded`. */
export const integer = <Fallback extends number | undefined>(
  fallback: Fallback,
  minimum: 0 | 1 = 1,
  unbounded = false,
): OptionReader<number | NoInfer<Fallback>> =>
  readBy((action, name, value) => checkInteger(action, name, value, minimum, unbounded), fallback);

/** `true` or `false`. */
export const boolean = (fallback: boolean): OptionReader<boolean> => readBy(checkBoolean, fallback);

/** One of those. */
export const oneOf = <const Known extends string>(
  known: readonly Known[],
  fallback: NoInfer<Known>,
): OptionReader<Known> =>
  readBy((action, name, value) => checkOneOf(action, name, value, known), fallback);

/** A function. */
export const callback = <Fallback = undefined>(
  fallback?: Fallback,
): OptionReader<NoInfer<Fallback>> =>
  readBy((action, name, value) => checkFunction(action, name, value), fallback);

/** A time in milliseconds that a timer knows. */
export const delay = <Fallback extends number | undefined = undefined>(
  fallback?: Fallback,
): OptionReader<number | NoInfer<Fallback>> => readBy(checkDelay, fallback);

/** Whole milliseconds that a timer knows. */
export const wholeMs =
  (fallback: number, minimum: 0 | 1): OptionReader<number> => (action, name, value) => {
    const ms = integer(fallback, minimum)(action, name, value);
    if (ms <= longestDelayMs) return ms;
    throw new RangeError(`Cannot ${action}: ${name} must be at most ${longestDelayMs}, got ${ms}`);
  };

/** A text. */
export const text = (fallback: string): OptionReader<string> =>
  readBy((action, name, value) => {
    if (typeof value !== "string") throwTypeError(action, name, "a string", value);
  }, fallback);

/** A text of some form, which `need` says in words. */
export const textLike =
  (need: string, form: RegExp, fallback?: string): OptionReader<string> =>
  (action, name, value = fallback) => {
    if (typeof value === "string" && form.test(value)) return value;
    return throwTypeError(action, name, need, value);
  };

/** An `AbortSignal`, or none. */
export const signal: OptionReader<AbortSignal | undefined> = (action, name, value) => {
  if (value !== undefined) checkSignal(action, name, value);
  return value as AbortSignal | undefined;
};

/** Whatever it is: who reads it checks it. */
export const anything =
  <Fallback = undefined>(fallback?: Fallback): OptionReader<NoInfer<Fallback>> =>
  (_action, _name, value = fallback) => value as Fallback;
