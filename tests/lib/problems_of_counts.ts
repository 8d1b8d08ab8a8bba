import type { Probe } from "@hosepipe/streams/inspect";

/**
 * What is wrong with the counts of a pipeline that has ended: nothing may be left, and nothing ever below 0. Without a
 * probed writer its last queue does not say when it is empty.
 */
export function problemsOfCounts(look: Probe, writtenCount?: number): string[] {
  const hasWriter = look.buffers().some(({ kind }) => kind === "writerIn");
  const problems: string[] = [];
  let writtenEvents = 0;
  for (const { event, stage, seq, occupancy } of look.events()) {
    if (event === "written") writtenEvents++;
    for (const [place, count] of Object.entries(occupancy)) {
      if (Number.isInteger(count) && count >= 0) continue;
      problems.push(`counts: ${place} is ${count} at event ${seq}, ${event} of ${stage}`);
    }
    if (look.dropped() === 0 && occupancy.written !== writtenEvents) {
      problems.push(`counts: ${occupancy.written} written at event ${seq}, ${writtenEvents} seen`);
    }
  }
  const { written, ...left } = look.occupancy();
  for (const [place, count] of Object.entries(left)) {
    const isLast = !hasWriter && place === "transformerOut";
    if (count !== 0 && !isLast) problems.push(`counts: ${place} is ${count} at the end`);
  }
  if (writtenCount !== undefined && written !== writtenCount) {
    problems.push(`counts: ${written} written at the end, not ${writtenCount}`);
  }
  return problems.slice(0, 5);
}
