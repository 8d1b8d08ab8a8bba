/** The same numbers as `countUp` gives, from a native stream that makes each when it is asked. */
export function pullUp(count: number): ReadableStream<number> {
  let number = 0;
  return new ReadableStream({
    pull(controller) {
      if (number < count) controller.enqueue(number++);
      else controller.close();
    },
  });
}
