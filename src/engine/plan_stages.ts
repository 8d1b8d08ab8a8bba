import { describeValue } from "../errors.ts";
import { generatorTag } from "../generator_tag.ts";
import { type GeneratorFunction, generatorMeaning } from "../kernels/generator.ts";
import { type Meaning, meaningOf } from "../kernels/registry.ts";
import { checkPair, isPair, isPairPart, type Pair, refuseUsed } from "../pair.ts";

/** Any method of a dictionary. */
export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** What the engine takes from a stage's dictionary, read once. */
export interface StagePlan {
  readonly transformer: object;
  readonly start?: Method;
  readonly transform?: Method;
  readonly flush?: Method;
  readonly cancel?: Method;
  /** What it stands for, if it is an operator of ours. */
  readonly makeKernel?: Meaning["makeKernel"];
  readonly isGenerator?: Meaning["isGenerator"];
  readonly open?: Meaning["open"];
  readonly operationOf?: Meaning["operationOf"];
  /** Of a pair of streams, or a function that makes one, and no stage: what a message of it begins with. */
  readonly pairName?: string;
}

const members = ["start", "transform", "flush", "cancel", "readableType", "writableType"];

/**
 * Reads the stages' dictionaries, compositions flattened, and throws unless each is a transformer:
 * "Cannot fuse: stage 1 is a function; wrap it, as in map(fn)". With `takesPairs` also pairs of streams are stages.
 */
export function planStages(
  action: string,
  stages: readonly unknown[],
  takesPairs = false,
): StagePlan[] {
  const plans: StagePlan[] = [];
  for (let index = 0; index < stages.length; index++) {
    planStage(plans, stages[index], `Cannot ${action}: stage ${index + 1}`, takesPairs);
  }
  return plans;
}

function planStage(
  plans: StagePlan[],
  stage: unknown,
  name: string,
  takesPairs: boolean,
): void {
  const meaning = typeof stage === "object" && stage !== null ? meaningOf(stage) : undefined;
  if (meaning === undefined) plans.push(planForeign(plans, stage, name, takesPairs));
  else if (meaning.stages === undefined) {
    const { makeKernel, isGenerator } = meaning;
    const open = makeKernel === undefined ? meaning.open : undefined;
    plans.push({ transformer: stage as object, makeKernel, isGenerator, open });
  } else for (const part of meaning.stages) planStage(plans, part, name, takesPairs);
}

/** Plans what is no operator of ours. */
function planForeign(
  plans: readonly StagePlan[],
  stage: unknown,
  name: string,
  takesPairs: boolean,
): StagePlan {
  if (generatorTag(stage) === "AsyncGeneratorFunction") {
    return { transformer: stage as object, ...generatorMeaning(stage as GeneratorFunction) };
  }
  if (takesPairs && isPairPart(stage)) {
    if (isPair(stage)) {
      checkPair(name, stage);
      const { writable } = stage;
      if (plans.some(({ transformer }) => (transformer as Pair).writable === writable)) {
        refuseUsed(name);
      }
    }
    return { transformer: stage, pairName: name };
  }
  const problem = problemOf(stage);
  if (problem !== undefined) throw new TypeError(`${name} is ${problem}`);
  return readDictionary(stage as object, name);
}

/** Reads a dictionary as `new TransformStream()` does: the same members, once, in the same order. */
function readDictionary(transformer: object, name: string): StagePlan {
  const readMethod = (member: string): Method | undefined => {
    const method = (transformer as Record<string, unknown>)[member];
    if (method === undefined || typeof method === "function") return method as Method | undefined;
    throw new TypeError(`${name}: ${member} must be a function, got ${describeValue(method)}`);
  };
  const refuseType = (member: string): void => {
    const type = (transformer as Record<string, unknown>)[member];
    if (type === undefined) return;
    throw new RangeError(`${name}: ${member} must be undefined, got ${describeValue(type)}`);
  };
  const cancel = readMethod("cancel");
  const flush = readMethod("flush");
  refuseType("readableType");
  const start = readMethod("start");
  const transform = readMethod("transform");
  refuseType("writableType");
  const own = transform && meaningOf(transform);
  const { makeKernel, operationOf } = own ?? {};
  return { transformer, start, transform, flush, cancel, makeKernel, operationOf };
}

/** What is wrong with a value as a stage, and what to do about it; nothing if it is a transformer. */
export function problemOf(stage: unknown): string | undefined {
  const tag = generatorTag(stage);
  if (tag === "AsyncGeneratorFunction") return undefined;
  if (tag !== undefined) {
    return "a generator function; make it an async function*, or use flatMap(fn)";
  }
  if (typeof stage === "function") return "a function; wrap it, as in map(fn)";
  if (stage === null || typeof stage !== "object") return `${describeValue(stage)}, not a stage`;
  if (Array.isArray(stage)) return "an array; group its stages by compose(stages)";
  const candidate = stage as Record<string, unknown>;
  // Before its members are looked at: a file stream has a `start`, a zlib stream a `flush`.
  if (typeof candidate.on === "function" && typeof candidate.pipe === "function") {
    return 'a Node stream; use fromNode(stream, { as: "pair" }) from @hosepipe/streams/node';
  }
  if ("readable" in stage && "writable" in stage) {
    return "a pair of streams, which pipeline, fuse and compose take; use pipeThrough(pair)";
  }
  if (typeof candidate.getReader === "function") {
    return "a ReadableStream; a pair of streams has a readable and a writable";
  }
  if (typeof candidate.getWriter === "function") {
    return "a WritableStream; only the last argument is a sink";
  }
  if (members.some((name) => name in stage)) return undefined;
  if (typeof candidate.then === "function") return "a promise; await it";
  const keys = Object.keys(stage);
  const prototype = Object.getPrototypeOf(stage);
  if (keys.length === 0 && (prototype === Object.prototype || prototype === null)) return undefined;
  const found = keys.length === 0 ? "" : ` with ${keys.slice(0, 3).join(", ")}`;
  return `${describeValue(stage)}${found}; a transformer has start, transform, flush or cancel`;
}
