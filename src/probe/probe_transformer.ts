import { problemOf } from "../engine/plan_stages.ts";
import type { GeneratorFunction } from "../kernels/generator.ts";
import { generatorTransformer } from "../kernels/generator_transformer.ts";
import { meaningOf, setMeaning } from "../kernels/registry.ts";
import { isPair, isPairMaker } from "../pair.ts";
import type { Transformer } from "../web_types.ts";
import { eventsOfParts } from "./part_events.ts";
import { probePart } from "./probe_part.ts";
import { probeDictionary } from "./probed_dictionary.ts";
import type { StageEvents } from "./stage_events.ts";

/**
 * Wraps the dictionary that `new TransformStream()` takes. To the engine it stands for what the dictionary stands for,
 * each part looked at: so each is run as it would be.
 */
export function probeTransformer(
  transformer: object,
  events: StageEvents,
): Transformer<unknown, unknown> {
  if (typeof transformer === "function") {
    return probeTransformer(generatorTransformer(transformer as GeneratorFunction), events);
  }
  const { stages = [transformer] } = meaningOf(transformer) ?? {};
  const ofParts = eventsOfParts(events, stages.length);
  const probed = probeDictionary(transformer, events, true);
  setMeaning(probed, {
    stages: stages.map((stage, index) => probePart(stage as object, ofParts[index]!)),
  });
  return Object.freeze(probed) as Transformer<unknown, unknown>;
}

/** Throws if `stage` is no transformer. */
export function checkTransformer(stage: unknown): void {
  const problem = problemOf(stage);
  if (problem !== undefined) {
    throw new TypeError(`Cannot probe transformer: the stage is ${problem}`);
  }
  const { stages = [] } = typeof stage === "object" ? meaningOf(stage!) ?? {} : {};
  if (stages.some((part) => isPair(part) || isPairMaker(part))) {
    throw new TypeError(
      "Cannot probe transformer: the stage has a pair of streams; probe the stages around it",
    );
  }
}
