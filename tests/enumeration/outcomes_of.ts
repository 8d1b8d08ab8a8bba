/** The name of an operation, such as `writer: write 2`, and what came of it. */
export function outcomesOf(log: readonly string[], party: string): Map<string, string> {
  return new Map(
    log.filter((event) => event.startsWith(`${party}: `)).map((event) => {
      const [, name, outcome] = /^(.*?) ([=!#] .*)$/s.exec(event) ?? [event, event, ""];
      return [name!, outcome!];
    }),
  );
}
