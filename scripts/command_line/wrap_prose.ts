export { wrapProse } from "../../scenarios/command_line/wrap_prose.ts";
