type Log = readonly string[];

/** What promises have settled with, and how both ends of a pipe have ended. */
const outcome = /^(?:(?:writer|reader): (?:\w+ \d+|closed) [=!]|pipe [=!])/;

/** The log with one event changed: twice, gone, with another value, another reason, or the other outcome. */
export function* mutantsOf(
  log: Log,
  expected: Log,
): Generator<{ readonly name: string; readonly log: Log }> {
  for (const [index, event] of log.entries()) {
    const change = (name: string, ...events: string[]) => ({
      name: `${name}: ${event}`,
      log: log.toSpliced(index, 1, ...events),
    });
    if (/(?:transform|write) c\d$|: flush$|: close$|: (?:cancel|abort) \D|^pipe /.test(event)) {
      yield change("twice", event, event);
    }
    if (/(?:transform |write |= )c\d$/.test(event)) {
      yield change("value", event.replace(/c\d$/, "c7"));
    }
    if (/^(?:stage \d+|sink|source): (?:cancel|abort) /.test(event) || outcome.test(event)) {
      const lost = event.replace(/( ! |: cancel |: abort ).*/, "$1lost");
      if (lost !== event) yield change("lost", lost);
    }
    if (!outcome.test(event)) continue;
    const name = outcome.exec(event)![0].slice(0, -2);
    if (expected.some((other) => other.startsWith(`${name} `))) yield change("gone");
    if (event.endsWith(" = done")) yield change("failed", event.replace(/ = done$/, " ! lost"));
    if (/: write .* ! /.test(event)) yield change("done", event.replace(/ ! .*/, " = done"));
  }
}
