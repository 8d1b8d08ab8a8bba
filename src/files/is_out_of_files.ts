/** Whether an error says that the process, or the system, has no file descriptor left: there will be when one is closed. */
export function isOutOfFiles(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: string };
  return code === "EMFILE" || code === "ENFILE";
}
