/** `--help` was asked for: its text goes to stdout, and the process exits 0. */
export class HelpRequest extends Error {}
