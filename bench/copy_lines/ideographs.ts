/** First and last code points: blocks assigned for this long that every runtime's Unicode knows them alike. */
const ranges: readonly (readonly [first: number, last: number])[] = [
  [0x3400, 0x4db5], // extension A, Unicode 3.0
  [0x4e00, 0x9fa5], // the unified ideographs of Unicode 1.1
  [0xf900, 0xfa2d], // compatibility ideographs, whose decompositions are frozen
  [0x20000, 0x2a6d6], // extension B, Unicode 3.1
  [0x2a700, 0x2b734], // extension C, Unicode 5.2
  [0x2b740, 0x2b81d], // extension D, Unicode 6.0
  [0x2b820, 0x2cea1], // extension E, Unicode 8.0
  [0x2f800, 0x2fa1d], // compatibility supplement, whose decompositions are frozen
];

const encoder = new TextEncoder();

function hexadecimal(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, "0");
}

function describe(codePoint: number): string {
  const ideograph = String.fromCodePoint(codePoint);
  const bytes = Array.from(encoder.encode(ideograph), (byte) => hexadecimal(byte, 2)).join(" ");
  const decomposition = ideograph.normalize("NFD");
  return [
    `U+${hexadecimal(codePoint, 4)}`,
    ideograph,
    bytes,
    decomposition === ideograph ? "" : decomposition,
  ].join("\t");
}

/**
 * The lines of the default input of copy_lines, without line feeds: each ideograph with its bytes and
 * its decomposition, sprinkled with what the job must drop, trim or fill in.
 */
export function* ideographs(): Generator<string> {
  let index = 0;
  for (const [first, last] of ranges) {
    for (let codePoint = first; codePoint <= last; codePoint++, index++) {
      const line = describe(codePoint);
      if (index % 1000 === 0) yield `# from ${index}: U+${hexadecimal(codePoint, 4)}`;
      if (index % 250 === 125) yield "";
      if (index % 350 === 175) yield `U+${hexadecimal(codePoint, 4)}`;
      yield index % 97 === 48 ? ` \u3000${line} \t` : line;
    }
  }
}
