/** Values that a run can fail with; none of them may get lost for not being true. */
export const reasons: readonly { readonly name: string; readonly reason: unknown }[] = [
  { name: "an error", reason: new Error("a failure on purpose") },
  { name: "undefined", reason: undefined },
];
