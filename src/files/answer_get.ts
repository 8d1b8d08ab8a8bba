import type { Answerer, FileAnswer, FileRequest } from "./file_request.ts";
import { plainAnswer } from "./plain_answer.ts";

/** A longer header is read as an empty one: as a list of nothing, which is no condition's match. */
const longestHeader = 8192;

/** Answers what `find` finds for the two methods there are. */
export function answerGet(
  find: (request: FileRequest) => FileAnswer | undefined | Promise<FileAnswer | undefined>,
): Answerer {
  return ({ method, target, host, mountName, header }) => {
    if (method !== "GET" && method !== "HEAD") {
      return { ...plainAnswer(405, false, { allow: "GET, HEAD" }), isAbsent: true };
    }
    const orAbsent = (found: FileAnswer | undefined) =>
      found ?? { ...plainAnswer(404, method === "HEAD"), isAbsent: true };
    const shortHeader = (name: string) => {
      const value = header(name);
      return value !== undefined && value.length > longestHeader ? "" : value;
    };
    const found = find({ method, target, host, mountName, header: shortHeader });
    return found instanceof Promise ? found.then(orAbsent) : orAbsent(found);
  };
}
