/** How many samples a case gets, going by how long its first iteration took. */
export interface Tier {
  /** The tier holds for first iterations longer than this. */
  readonly overMs: number;
  /**
   * Samples taken after the first iteration, at least; where the first counts, fewer, down to one,
   * if they would not fit into the case's share of the run's time.
   */
  readonly samples: number;
  /** Whether the first iteration, which is checked before its time counts, is a sample too. */
  readonly firstRunCounts: boolean;
}

/** How much time a case gets. */
export interface Profile {
  readonly name: string;
  /** A case runs unmeasured at least this long before its samples, its first iteration included; default: 0. */
  readonly warmUpMs?: number;
  /** The same for a case of short iterations, each of which compiles little; default: `warmUpMs`. */
  readonly briefWarmUpMs?: number;
  /** The same for those of them that are slow to warm; default: `briefWarmUpMs`. */
  readonly slowWarmUpMs?: number;
  /** Sampling goes on at least this long, whatever the count. */
  readonly sampleMs: number;
  /** In rising order of `overMs`, the first of them 0. */
  readonly tiers: readonly Tier[];
  /** A case still running after this is a failure. */
  readonly timeoutMs: number;
  /** What a whole run should take; slow cases get fewer samples to keep to it. */
  readonly budgetMs: number;
  /** When the run ends whatever is left of it: the case that runs then is left out too. Default: never. */
  readonly limitMs?: number;
  /** What may be spent, after that, on measuring once more the cases whose samples disagree; default: nothing. */
  readonly remeasureMs?: number | undefined;
}

/** The profiles of the command line: each case is run warm, and sampled three times at least if that ends. */
export const profiles = {
  tour: {
    name: "tour",
    warmUpMs: 60,
    sampleMs: 60,
    tiers: [
      { overMs: 0, samples: 3, firstRunCounts: false },
      { overMs: 5_000, samples: 0, firstRunCounts: true },
    ],
    timeoutMs: 60_000,
    budgetMs: 100_000,
    limitMs: 115_000,
  },
  publish: {
    name: "publish",
    warmUpMs: 150,
    briefWarmUpMs: 600,
    slowWarmUpMs: 1_000,
    sampleMs: 200,
    tiers: [
      { overMs: 0, samples: 7, firstRunCounts: false },
      { overMs: 150, samples: 3, firstRunCounts: false },
      { overMs: 10_000, samples: 0, firstRunCounts: true },
    ],
    timeoutMs: 90_000,
    budgetMs: 8 * 60_000,
  },
  quick: {
    name: "quick",
    warmUpMs: 60,
    sampleMs: 100,
    tiers: [
      { overMs: 0, samples: 3, firstRunCounts: false },
      { overMs: 10_000, samples: 0, firstRunCounts: true },
    ],
    timeoutMs: 240_000,
    budgetMs: 4 * 60_000,
  },
  all: {
    name: "all",
    warmUpMs: 250,
    slowWarmUpMs: 1_200,
    sampleMs: 250,
    tiers: [
      // The fastest of whatever is compared: their first runs are the least warm.
      { overMs: 0, samples: 9, firstRunCounts: false },
      { overMs: 250, samples: 5, firstRunCounts: false },
      { overMs: 1_000, samples: 3, firstRunCounts: false },
      // A chain of hundreds of native streams: another look would take minutes.
      { overMs: 20_000, samples: 0, firstRunCounts: true },
    ],
    timeoutMs: 300_000,
    budgetMs: 13 * 60_000,
    remeasureMs: 5 * 60_000,
  },
  full: {
    name: "full",
    warmUpMs: 500,
    sampleMs: 5_000,
    tiers: [
      { overMs: 0, samples: 12, firstRunCounts: false },
      { overMs: 5_000, samples: 5, firstRunCounts: false },
    ],
    timeoutMs: 900_000,
    budgetMs: 4 * 3_600_000,
    remeasureMs: 3_600_000,
  },
} as const satisfies Record<string, Profile>;

/** How long a case runs unmeasured, going by how long its first iteration took. */
export function warmUpMsOf(profile: Profile, firstRunMs: number, isSlowToWarm = false): number {
  const { warmUpMs = 0, briefWarmUpMs = warmUpMs, slowWarmUpMs = briefWarmUpMs } = profile;
  if (isSlowToWarm) return slowWarmUpMs;
  return firstRunMs > 200 ? warmUpMs : briefWarmUpMs;
}

/** The tier a case falls in. */
export function tierOf(profile: Profile, firstRunMs: number): Tier {
  return profile.tiers.findLast(({ overMs }) => firstRunMs > overMs) ?? profile.tiers[0]!;
}

/**
 * How long a case may take samples after its first iteration: several times its fair share of the
 * time that is left, since most cases need less than theirs.
 */
export function allowanceMs(profile: Profile, elapsedMs: number, casesLeft: number): number {
  return 8 * Math.max(0, profile.budgetMs - elapsedMs) / casesLeft;
}

/** How many samples a case gets after its first iteration, at least. */
export function samplesOf(tier: Tier, firstRunMs: number, allowanceMs: number): number {
  if (!tier.firstRunCounts) return tier.samples;
  return Math.min(tier.samples, Math.max(1, Math.floor(allowanceMs / firstRunMs)));
}
