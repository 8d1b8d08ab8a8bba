/** A stage that does nothing. */
export type Pass = <Chunk>(chunk: Chunk) => Chunk;

/** Functions that do nothing, each written for itself, as real stages are; 13, to fall on no engine's rhythm. */
export const differentPasses: readonly Pass[] = [
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
];
