/** A function that returns promises, and the handles to settle them with, in the order of the calls. */
export function held<O, Arguments extends unknown[] = unknown[]>() {
  const calls: { args: Arguments; resolve(value: O): void; reject(error: unknown): void }[] = [];
  const fn = (...args: Arguments): Promise<O> =>
    new Promise<O>((resolve, reject) => calls.push({ args, resolve, reject }));
  return { fn, calls };
}
