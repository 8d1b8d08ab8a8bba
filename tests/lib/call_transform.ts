/** Calls `transform` directly, with a controller that only gathers: shows what is answered at once. */
export function callTransform<I, O>(transformer: Transformer<I, O>, chunk: I) {
  const enqueued: O[] = [];
  const controller = {
    desiredSize: 1,
    enqueue: (value: O) => void enqueued.push(value),
  } as unknown as TransformStreamDefaultController<O>;
  transformer.start?.(controller);
  return { result: transformer.transform!(chunk, controller) as unknown, enqueued };
}
