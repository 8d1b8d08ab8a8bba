/** Where the native streams of the runtime at hand do other than the standard says; found by trying. */
export interface NativeDeviations {
  /**
   * Cancelling the readable side of a pair that has terminated, while chunks wait in it, fails, since the algorithm it
   * calls is gone by then; in a chain nobody can catch that.
   */
  readonly failsToCancelAfterEnd: boolean;
}

export async function findNativeDeviations(): Promise<NativeDeviations> {
  const { readable, writable } = new TransformStream(
    {
      transform(chunk, controller) {
        controller.enqueue(chunk);
        controller.terminate();
      },
    },
    undefined,
    { highWaterMark: 2 },
  );
  await writable.getWriter().write("chunk");
  try {
    await readable.cancel();
    return { failsToCancelAfterEnd: false };
  } catch {
    return { failsToCancelAfterEnd: true };
  }
}
