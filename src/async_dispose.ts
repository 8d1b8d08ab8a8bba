/** `Symbol.asyncDispose`, or a symbol of ours in browsers that do not have `await using` yet. */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ??
  Symbol.for("Symbol.asyncDispose");
