export type { Measured } from "../../scenarios/semantics/measured.ts";
