import process from "node:process";

/** Does something as on another system; `onFirst` is called as the system is first asked for. */
export async function asPlatform<T>(
  platform: string,
  act: () => Promise<T>,
  onFirst: () => void = () => {},
): Promise<T> {
  const real = Object.getOwnPropertyDescriptor(process, "platform")!;
  let isFirst = true;
  Object.defineProperty(process, "platform", {
    configurable: true,
    get() {
      if (isFirst) onFirst();
      isFirst = false;
      return platform;
    },
  });
  try {
    return await act();
  } finally {
    Object.defineProperty(process, "platform", real);
  }
}
