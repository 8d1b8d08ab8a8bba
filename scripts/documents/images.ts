import { drawOperator } from "./operators/draw_operator.ts";
import { operatorPrograms } from "./operators/operator_programs.ts";

/** The images that documents show and that are drawn again, by file name; each time the same to the byte. */
export const images: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.entries(operatorPrograms).map(([name, program]) => [
    `operator-${name}.svg`,
    () => drawOperator(name, program),
  ]),
);
