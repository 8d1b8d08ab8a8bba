/** What a promise is rejected with, in an array, since `undefined` is an error too. */
export async function errorOf(promise: PromiseLike<unknown>): Promise<[reason: unknown] | "none"> {
  try {
    await promise;
  } catch (reason) {
    return [reason];
  }
  return "none";
}
