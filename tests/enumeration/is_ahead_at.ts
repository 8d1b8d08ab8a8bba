/** Whether a stage has run ahead of where it is natively: more or fewer chunks, and so its flush or its cancel. */
export function isAheadAt(
  stage: number,
  expected: readonly string[],
  actual: readonly string[],
  hasOneReason = true,
): boolean {
  const seen = (log: readonly string[]) =>
    log.filter((event) => event.startsWith(`stage ${stage}: `));
  const chunksOf = (log: readonly string[]) =>
    seen(log).filter((event) => event.includes(": transform "));
  const endOf = (log: readonly string[]) =>
    seen(log).filter((event) => /: (?:flush|cancel)/.test(event)).join();
  const [theirs, ours] = [chunksOf(expected), chunksOf(actual)];
  const shorter = Math.min(theirs.length, ours.length);
  if (`${theirs.slice(0, shorter)}` !== `${ours.slice(0, shorter)}`) return false;
  const ends = [endOf(expected), endOf(actual)];
  return !hasOneReason || ends[0] === ends[1] ||
    ends.some((end) => end === "" || end.endsWith("flush"));
}
