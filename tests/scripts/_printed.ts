/** What a run prints, line by line; `onLine` hears of each as it comes. */
export async function printed(
  run: () => Promise<unknown>,
  onLine: (line: string) => void = () => {},
): Promise<string[]> {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  try {
    await run();
  } finally {
    console.log = log;
  }
  return lines;
}
