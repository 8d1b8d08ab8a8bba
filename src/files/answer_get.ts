import type { FileAnswer, FileRequest } from "./file_request.ts";
import { plainAnswer } from "./plain_answer.ts";

/** A longer header is read as an empty one: as a list of nothing, which is no condition's match. */
const longestHeader = 8192;

/** Answers what `find` finds for the two methods there are. */
export async function answerGet(
  request: FileRequest,
  find: (request: FileRequest) => Promise<FileAnswer | undefined>,
): Promise<FileAnswer> {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") {
    return { ...plainAnswer(405, false, { allow: "GET, HEAD" }), isAbsent: true };
  }
  const header = (name: string) => {
    const value = request.header(name);
    return value !== undefined && value.length > longestHeader ? "" : value;
  };
  return await find({ ...request, header }) ??
    { ...plainAnswer(404, method === "HEAD"), isAbsent: true };
}
