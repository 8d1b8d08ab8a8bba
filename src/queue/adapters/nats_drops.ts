/** What the settings of a stream say of its limits; none is set where it is missing, or below 1. */
export interface NatsLimits {
  readonly discard?: string;
  readonly max_msgs?: number;
  readonly max_bytes?: number;
  readonly max_msgs_per_subject?: number;
  readonly discard_new_per_subject?: boolean;
  readonly max_msg_size?: number;
}

/** Why a stream with these settings would drop messages that are not done silently; `undefined` if it would not. */
export function findDrops(limits: NatsLimits, isOnePerSubject = false): string | undefined {
  const isSet = (name: keyof NatsLimits) => (limits[name] as number | undefined ?? -1) > 0;
  const full = (["max_msgs", "max_bytes"] as const).find(isSet);
  if (full !== undefined && limits.discard !== "new") {
    return `with ${full} set discard must be "new", or messages are dropped where it is full`;
  }
  if (!isOnePerSubject && isSet("max_msgs_per_subject") && !limits.discard_new_per_subject) {
    return "with max_msgs_per_subject set discard_new_per_subject must be, or messages are dropped";
  }
  return undefined;
}
