import { defineStages } from "../../../src/workers/mod.ts";

export default defineStages((options: { readonly table?: string }) => {
  if (options?.table === undefined) throw new TypeError("options.table must be a string");
  return [];
});
