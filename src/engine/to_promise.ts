/** Calls a method of the user's as the standard does: a promise of its own follows what it answers, or has what it throws. */
export function toPromise(call: () => unknown): Promise<unknown> {
  try {
    const result = call();
    return new Promise((resolve) => resolve(result));
  } catch (reason) {
    return Promise.reject(reason);
  }
}
