import leftOutLaws from "./left_out_laws.json" with { type: "json" };

/** The laws that are not asked of a browser or runtime, since they fail on its own streams. */
export function leftOut(where: keyof typeof leftOutLaws): RegExp[] {
  return leftOutLaws[where].map(({ pattern }) => new RegExp(pattern));
}
