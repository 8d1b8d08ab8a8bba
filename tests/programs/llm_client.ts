import {
  attempt,
  limitRate,
  parallel,
  pipeline,
  type StageContext,
  toText,
} from "@hosepipe/streams";
import { parseSse, type SseEvent } from "@hosepipe/streams/formats";
import { type Answer, HttpError, isTemporary, type LlmClient, type Prompt } from "./_llm_client.ts";
import { requestOf, url } from "./_llm_client.ts";

/** The text in the events, until the service says that it is done. */
async function* texts(events: AsyncIterable<SseEvent>) {
  for await (const { type, data } of events) {
    if (data === "[DONE]") return;
    if (type === "error") throw new Error(data);
    yield JSON.parse(data).text as string;
  }
  throw new Error("the answer was cut off");
}

/** Asks all questions, some at a time and no faster than allowed, and answers in their order. */
export const askAll: LlmClient = async (prompts, parts) => {
  const { fetch, tokensPerSecond, burst, concurrency, onAnswer, signal } = parts;
  const ask = async (prompt: Prompt, _: number, { signal }: StageContext): Promise<Answer> => {
    const response = await fetch(url, requestOf(prompt, signal));
    if (!response.ok) throw new HttpError(response.status);
    return { id: prompt.id, text: await toText(response, parseSse(), texts, { signal }) };
  };
  const { chunksRetried } = await pipeline(
    prompts,
    limitRate({ perSecond: tokensPerSecond, burst, cost: ({ tokens }: Prompt) => tokens }),
    attempt(parallel(ask, { concurrency }), {
      attempts: 4,
      delayMs: 500,
      shouldRetry: isTemporary,
      onError: (reason, { id }) => ({ chunk: { id, failure: String(reason) } }),
    }),
    onAnswer,
    { signal },
  );
  return chunksRetried!;
};
