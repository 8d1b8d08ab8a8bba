/** The numbers from 0 to `count`, one a pull. */
export function numberSource(count: number): UnderlyingDefaultSource<number> {
  let chunk = 0;
  return {
    pull(controller) {
      if (chunk < count) controller.enqueue(chunk++);
      else controller.close();
    },
  };
}
