export { summarize } from "../../scenarios/semantics/summarize.ts";
