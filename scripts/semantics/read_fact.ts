export { factReader } from "../../scenarios/semantics/read_fact.ts";
