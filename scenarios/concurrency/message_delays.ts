/**
 * How long each write takes, in whole milliseconds: 100 to 1,000 and for one message in ten 1,000 more, divided by
 * `speedup`. Whole, because runtimes cut the rest off a timer's delay, each in its own way.
 */
export function messageDelays(count: number, random: () => number, speedup = 1): number[] {
  return Array.from({ length: count }, () => {
    const usual = 100 + Math.floor(random() * 901);
    const delay = random() < 0.1 ? usual + 1000 : usual;
    return Math.max(1, Math.round(delay / speedup));
  });
}
