/** What a script needs besides its own code, the environment's variables and what the system says of itself. */
export interface Needs {
  /** Files and folders. */
  readonly read?: readonly string[];
  /** Files and folders; what is written may be read, too. */
  readonly write?: readonly string[];
  /** As `HOST` or `HOST:PORT`, to listen on or to connect to; `any` where that cannot be known before. */
  readonly net?: readonly string[] | "any";
  /** Programs, by their paths. */
  readonly run?: readonly string[];
}
