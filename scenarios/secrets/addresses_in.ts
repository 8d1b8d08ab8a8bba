import process from "node:process";

/** Where addresses of servers may stand in the environment. */
const variables = ["POSTGRES_URI", "MONGODB_URI", "NATS_URL", "REDIS_URI"];

/** The addresses that a command was given: by its arguments, some of them after a flag's name, and by the environment. */
export function addressesIn(args: readonly string[] = process.argv.slice(2)): string[] {
  const given = variables.map((name) => process.env[name] ?? "").filter(Boolean);
  const found = args.flatMap((arg, index) => {
    const [, flag, value = ""] = /^(?:--?([\w-]+)=)?(.*)$/s.exec(arg)!;
    const isMeantSo = /^(?:--)?(?:source|broker|target)$/.test(flag ?? args[index - 1] ?? "");
    // One whose scheme was forgotten, too, and a list of names and values.
    return isMeantSo || /:\/\/|^[^\s"'{(]*:.*@.|pass(?:word)?=/is.test(value) ? [value] : [];
  });
  return [...found, ...given];
}
