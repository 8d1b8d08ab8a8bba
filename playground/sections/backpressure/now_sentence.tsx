import type { Bottleneck } from "@hosepipe/streams";

/** What is said of the present. */
export interface NowSentenceOptions {
  readonly bottleneck: Bottleneck;
  /** Whether the past is looked at. */
  readonly isPast: boolean;
}

/** The sentence of `bottleneck()`. It is read out when the bottleneck is another one, not with each percentage. */
export function NowSentence({ bottleneck, isPast }: NowSentenceOptions) {
  const { kind, summary } = bottleneck;
  return (
    <>
      <p class={`now ${kind}`} data-kind={kind}>
        <span class="label">{isPast ? "now, not then" : "now"}</span> {summary}
      </p>
      <p class="hidden" aria-live="polite">
        {kind === "none" ? "There is no bottleneck." : `The ${kind} is the bottleneck.`}
      </p>
    </>
  );
}
