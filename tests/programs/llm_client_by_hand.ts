import { fuse, map, parallel, pipeline, type StageContext } from "@hosepipe/streams";
import { parseSse } from "@hosepipe/streams/formats";
import { type Answer, HttpError, isTemporary, type LlmClient, type Prompt } from "./_llm_client.ts";
import { requestOf, url } from "./_llm_client.ts";

/** Waits, unless a signal aborts before or meanwhile. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** A token bucket: it waits until a prompt may go, and then takes what it costs. */
function limitTokens(perSecond: number, burst: number) {
  let available = burst;
  let updatedAt = performance.now();
  return async (cost: number, signal: AbortSignal): Promise<void> => {
    if (cost > burst) throw new RangeError(`a prompt of ${cost} tokens can never go`);
    for (;;) {
      const now = performance.now();
      available = Math.min(burst, available + (now - updatedAt) * perSecond / 1000);
      updatedAt = now;
      const missing = cost - available;
      if (missing <= 1e-6) break;
      await wait(Math.ceil(missing / perSecond * 1000), signal);
    }
    available -= cost;
  };
}

async function readText(response: Response): Promise<string> {
  let text = "";
  for await (const { type, data } of response.body!.pipeThrough(fuse(parseSse()))) {
    if (data === "[DONE]") return text;
    if (type === "error") throw new Error(data);
    text += JSON.parse(data).text;
  }
  throw new Error("the answer was cut off");
}

/** The same with the stages that were there before. */
export const askAll: LlmClient = async (prompts, parts) => {
  const { fetch, tokensPerSecond, burst, concurrency, onAnswer, signal } = parts;
  const takeTokens = limitTokens(tokensPerSecond, burst);
  let retried = 0;
  const ask = async (prompt: Prompt, _: number, { signal }: StageContext): Promise<Answer> => {
    let delayMs = 500;
    for (let attempt = 1;; attempt++) {
      try {
        const response = await fetch(url, requestOf(prompt, signal));
        if (!response.ok) throw new HttpError(response.status);
        return { id: prompt.id, text: await readText(response) };
      } catch (reason) {
        signal.throwIfAborted();
        if (attempt === 4 || !isTemporary(reason)) {
          return { id: prompt.id, failure: String(reason) };
        }
      }
      if (attempt === 1) retried++;
      await wait(delayMs / 2 + Math.random() * delayMs / 2, signal);
      delayMs *= 2;
    }
  };
  const limit = map(async (prompt: Prompt, _, { signal }) => {
    await takeTokens(prompt.tokens, signal);
    return prompt;
  });
  await pipeline(prompts, limit, parallel(ask, { concurrency }), onAnswer, { signal });
  return retried;
};
