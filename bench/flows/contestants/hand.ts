import {
  branches,
  concurrency,
  type FlowJob,
  generatorCount,
  perSecond,
  type RunFlow,
} from "../job.ts";

async function readInner({ open, openInner, take }: FlowJob): Promise<void> {
  const numbers = open()[Symbol.asyncIterator]();
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (let next = await numbers.next(); !next.done; next = await numbers.next()) {
      for await (const value of openInner(next.value)) take(value);
    }
  }));
}

async function giveToAll({ open, take }: FlowJob): Promise<void> {
  for await (const value of open()) {
    for (let branch = 0; branch < branches; branch++) take(value);
  }
}

async function limit({ open, take }: FlowJob): Promise<void> {
  let tokens = perSecond;
  let countedAtMs = performance.now();
  for await (const value of open()) {
    const nowMs = performance.now();
    tokens = Math.min(perSecond, tokens + (nowMs - countedAtMs) * perSecond / 1000);
    countedAtMs = nowMs;
    if (tokens < 1) await new Promise((resolve) => setTimeout(resolve, 1));
    tokens--;
    take(value);
  }
}

async function passOn({ open, passOn, take }: FlowJob): Promise<void> {
  let numbers = open();
  for (let count = 0; count < generatorCount; count++) numbers = passOn(numbers);
  for await (const value of numbers) take(value);
}

const loops = {
  inner: readInner,
  hub: giveToAll,
  rate: limit,
  generators: passOn,
  waiting: passOn,
};

export const hand: RunFlow = (job) => loops[job.kind](job);
