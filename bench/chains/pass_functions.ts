import { differentPasses, type Pass } from "./different_passes.ts";

/** Stages that do nothing: thirteen different functions in turn, as real stages differ. */
export function passFunctions(count: number): Pass[] {
  return Array.from(
    { length: count },
    (_, index) => differentPasses[index % differentPasses.length]!,
  );
}
