/** How many samples a case gets, going by how long its first iteration took. */
export interface Tier {
  /** The tier holds for first iterations longer than this. */
  readonly overMs: number;
  /** Samples taken after the first iteration, at least. */
  readonly samples: number;
  /** Whether the first iteration, which is checked before its time counts, is a sample too. */
  readonly firstRunCounts: boolean;
}

/** How much time a case gets. */
export interface Profile {
  readonly name: string;
  /** Sampling goes on at least this long, whatever the count. */
  readonly sampleMs: number;
  /** In rising order of `overMs`, the first of them 0. */
  readonly tiers: readonly Tier[];
  /** A case still running after this is a failure. */
  readonly timeoutMs: number;
}

const quickly: Tier = { overMs: 0, samples: 3, firstRunCounts: false };

/**
 * The profiles of the command line. A long iteration is warm after its first tenth, so counting a
 * checked first iteration costs little truth and saves the minutes that keep a whole run short.
 */
export const profiles = {
  quick: {
    name: "quick",
    sampleMs: 150,
    tiers: [quickly, { overMs: 1_000, samples: 1, firstRunCounts: true }],
    timeoutMs: 120_000,
  },
  default: {
    name: "default",
    sampleMs: 500,
    tiers: [
      { overMs: 0, samples: 5, firstRunCounts: false },
      { overMs: 1_000, samples: 2, firstRunCounts: true },
    ],
    timeoutMs: 300_000,
  },
  full: {
    name: "full",
    sampleMs: 5_000,
    tiers: [
      { overMs: 0, samples: 12, firstRunCounts: false },
      { overMs: 5_000, samples: 5, firstRunCounts: false },
    ],
    timeoutMs: 900_000,
  },
} as const satisfies Record<string, Profile>;

/** The tier a case falls in. */
export function tierOf(profile: Profile, firstRunMs: number): Tier {
  return profile.tiers.findLast(({ overMs }) => firstRunMs > overMs) ?? profile.tiers[0]!;
}
