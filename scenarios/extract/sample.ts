import type { SeedOptions } from "./seed/seed_contacts.ts";

/** The generated data that is read where no source is named. */
export const sample: SeedOptions = { contacts: 2_000, days: 30, seed: 1 };
