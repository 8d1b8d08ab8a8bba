/** A stage that does nothing. */
type Pass = <Chunk>(chunk: Chunk) => Chunk;

/** Functions that do nothing, each written for itself, as real stages are; 13, to fall on no engine's rhythm. */
const differentPasses: readonly Pass[] = [
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

/** Stages that do nothing: thirteen different functions in turn, as real stages differ. */
export function passFunctions(count: number): Pass[] {
  return Array.from(
    { length: count },
    (_, index) => differentPasses[index % differentPasses.length]!,
  );
}
