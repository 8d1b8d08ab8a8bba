import { problemOf } from "../engine/plan_stages.ts";
import type { GeneratorFunction } from "../kernels/generator.ts";
import { generatorTransformer } from "../kernels/generator_transformer.ts";
import { type Meaning, meaningOf, setMeaning } from "../kernels/registry.ts";
import { isPair, isPairMaker } from "../pair.ts";
import type { Transformer } from "../web_types.ts";
import { eventsOfParts } from "./part_events.ts";
import { probeDictionary } from "./probed_dictionary.ts";
import type { StageEvents } from "./stage_events.ts";
import type { Open } from "../kernels/operation.ts";
import { codeOf } from "./event_codes.ts";
import { ProbedTransformController } from "./probed_controller.ts";
import { type KernelOutput, probeKernel } from "./probe_kernel.ts";

type Controller = TransformStreamDefaultController<unknown>;
type MakeKernel = NonNullable<Meaning["makeKernel"]>;

/** The part of an operator of ours that has a kernel: that kernel, looked at. */
function probeKernelPart(
  makeKernel: MakeKernel,
  events: StageEvents,
  named: Pick<Meaning, "name" | "fn">,
): object {
  const output: { -readonly [Key in keyof KernelOutput]: KernelOutput[Key] } = {
    controller: undefined,
  };
  const transform = (): void => {};
  setMeaning(transform, {
    ...named,
    makeKernel: (host) => probeKernel(makeKernel(host), events, output),
  });
  return {
    start(controller: Controller): void {
      events.open(controller);
      output.controller = controller;
    },
    transform,
    flush: (): void => events.end("final"),
  };
}

/** Looks at what an operator of ours does in one stream. */
function probeOpen(open: Open<unknown, unknown>, events: StageEvents): Open<unknown, unknown> {
  return (real, context) => {
    events.open(real);
    const controller = new ProbedTransformController(real, events);
    const operation = events.work(() => open(controller, context)) as ReturnType<typeof open>;
    events.openOperation(operation);
    const { transform } = operation as { transform: (...args: unknown[]) => unknown };
    return {
      transform(chunk) {
        if (events.record.isPaused) events.drain();
        return events.call(codeOf.transform, transform, operation, [chunk]) as void;
      },
      flush: () => events.work(() => operation.flush?.(), () => events.end("final")) as void,
      cancel(reason) {
        events.fail("cancel", reason);
        return operation.cancel?.(reason);
      },
      drain: (reason) => operation.drain?.(reason),
      get failedIndex() {
        return operation.failedIndex;
      },
      get doneCount() {
        return operation.doneCount;
      },
      waiting: () => operation.waiting?.(),
      flushNow: () => operation.flushNow?.(),
      addCounts: (counts) => operation.addCounts?.(counts),
    };
  };
}

/** What the engine runs in place of a stage that is no composition: the same, looked at. */
function probePart(stage: object, events: StageEvents): object {
  const { makeKernel, open, name, fn } = meaningOf(stage) ?? {};
  if (makeKernel !== undefined) return probeKernelPart(makeKernel, events, { name, fn });
  if (open === undefined) return probeDictionary(stage, events, false);
  const part = {};
  setMeaning(part, { open: probeOpen(open, events), name, fn });
  return part;
}

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
