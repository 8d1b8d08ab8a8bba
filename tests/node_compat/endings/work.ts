/** What the writes of one program do, and how they are settled. */
export const kinds = ["now", "later", "fails later", "throws", "rejects"] as const;
export type Kind = typeof kinds[number];

/** The work behind a stream: the same for the one by hand and for ours. */
export class Work {
  readonly log: string[] = [];
  readonly #kind: Kind;
  readonly #gates: (() => void)[] = [];

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Works on a chunk; `done` is called when that has succeeded. */
  on(chunk: unknown, done: () => void = () => {}): void | Promise<void> {
    this.log.push(`work ${chunk}`);
    const error = new Error(`failure ${chunk}`);
    switch (this.#kind) {
      case "now":
        return done();
      case "throws":
        throw error;
      case "rejects":
        return Promise.reject(error);
      default:
        return new Promise<void>((resolve, reject) =>
          this.#gates.push(() => {
            if (this.#kind === "fails later") return reject(error);
            resolve();
          })
        ).then(done);
    }
  }

  /** Settles what is under way; tells whether anything was. */
  settle(): boolean {
    const gates = this.#gates.splice(0);
    for (const open of gates) open();
    return gates.length > 0;
  }
}
