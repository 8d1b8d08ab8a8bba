import type { DemoApi, DemoDetail, DemoEvent } from "../demo_event.ts";
import type { HoseShape } from "./hose_state.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import { WhatHappened } from "./what_happened.ts";
import { wrapWords } from "./wrap_words.ts";

/** Puts a legend before what a renderer shows, and after it what happened. */
export function withStory(
  legend: string,
  target: RenderTarget,
  shape: HoseShape,
  create: () => Renderer,
): Renderer {
  const { write, style, columns = 80 } = target;
  const say = (text: string): void => {
    for (const line of wrapWords(text, columns)) write(`${style("detail", line)}\n`);
  };
  say(`${shape.number} ${shape.title}, highWaterMark ${shape.highWaterMark}`);
  say(legend);
  write("\n");
  const renderer = create();
  const stories = new Map<DemoApi, WhatHappened>();
  return {
    onEvent(event: DemoEvent): void {
      const story = stories.get(event.api) ?? new WhatHappened(shape);
      stories.set(event.api, story);
      story.add(event);
      renderer.onEvent(event);
    },
    onDetail: (detail: DemoDetail) => renderer.onDetail(detail),
    end(): void {
      renderer.end();
      const inOrder = [...stories].sort(([one], [other]) => one < other ? 1 : -1);
      for (const [, story] of inOrder) {
        write("\n");
        const text = `What happened: ${story.sentences().join(" ")}`;
        for (const line of wrapWords(text, columns)) write(`${line}\n`);
      }
    },
  };
}
