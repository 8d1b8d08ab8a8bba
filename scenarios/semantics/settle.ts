/** Lets everything happen that does not wait for something: some turns of the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise<void>((resolve) => setTimeout(resolve));
}
