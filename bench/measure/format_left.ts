/** Writes how long something will take, in whole seconds or minutes. */
export function formatLeft(milliseconds: number): string {
  return milliseconds < 90_000
    ? `${Math.ceil(milliseconds / 1000)} s`
    : `${Math.ceil(milliseconds / 60_000)} min`;
}
