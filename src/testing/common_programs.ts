/** What ends fail with: `undefined` is a reason, too. */
export const reasons = [new Error("on purpose"), undefined];

/** The programs in which all is well, with few chunks and with all. */
export const wholes = ({ count }: { readonly count: number }) =>
  [...new Set([0, 1, 2, 3, count])].filter((give) => give <= count)
    .map((give) => ({ give, then: "end" as const }));
