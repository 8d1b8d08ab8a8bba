export { drawFacts } from "../../scenarios/semantics/draw_facts.ts";
