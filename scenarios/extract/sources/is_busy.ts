/** Whether SQLite has refused for a lock that another connection holds now. */
export function isBusy(error: unknown): boolean {
  const { errcode, message } = (error ?? {}) as { errcode?: number; message?: string };
  if (errcode !== undefined) return (errcode & 0xff) === 5 || (errcode & 0xff) === 6;
  return /database (?:table |schema )?is locked/.test(message ?? "");
}
