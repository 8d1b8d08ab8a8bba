export { readExpected } from "../../scenarios/semantics/expected_table.ts";
