/**
 * Looks again and again until something is so, of which no event tells; a test that waits in vain is ended by the
 * limit of its file.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!await isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
