import { formatSeconds } from "../../words/format.ts";
import { type Contestant, finishedMs, type RaceOptions } from "./race.ts";

/** What is drawn of a contestant. */
export interface TimelineOptions {
  readonly contestant: Contestant;
  readonly options: RaceOptions;
  /** The time that is shown. */
  readonly timeMs: number;
  /** The time at the right edge. */
  readonly untilMs: number;
}

const laneHeight = 10;

/** The bars of one contestant's writes over time, in as many rows as were ever in flight. */
export function Timeline({ contestant, options, timeMs, untilMs }: TimelineOptions) {
  const { name, code, writes } = contestant;
  const begun = writes.filter(({ startMs }) => startMs <= timeMs);
  const done = begun.filter(({ endMs }) => endMs !== undefined && endMs <= timeMs);
  const rows = Math.max(1, ...writes.map(({ lane }) => lane + 1));
  const finished = finishedMs(contestant, options);
  const isFinished = finished !== undefined && finished <= timeMs;
  const x = (ms: number) => 1000 * ms / untilMs;
  const bar = ({ startMs, endMs, lane }: typeof begun[number]) => {
    const end = endMs !== undefined && endMs <= timeMs ? endMs : timeMs;
    const left = x(startMs);
    const width = Math.max(0.5, x(end) - left - 1);
    return `M${left.toFixed(2)} ${lane * laneHeight + 1}h${width.toFixed(2)}v${laneHeight - 2}h-${
      width.toFixed(2)
    }z`;
  };
  const running = begun.filter((write) => !done.includes(write));
  const height = rows * laneHeight;
  const status = isFinished
    ? `done after ${formatSeconds(finished)}`
    : `${done.length} of ${options.messages} done, ${running.length} in flight`;
  return (
    <div
      class="timeline"
      data-contestant={name}
      data-finished={isFinished ? finished : undefined}
      data-done={done.length}
      data-in-flight={running.length}
    >
      <div class="head">
        <h3>{name}</h3> <code>{code}</code> <output>{status}</output>
      </div>
      <svg
        viewBox={`0 0 1000 ${height}`}
        preserveAspectRatio="none"
        style={`height:${Math.max(14, rows * 9)}px`}
        role="img"
        aria-label={`${name}: ${status}`}
      >
        <path class="done" d={done.map(bar).join("")} />
        <path class="running" d={running.map(bar).join("")} />
      </svg>
    </div>
  );
}
