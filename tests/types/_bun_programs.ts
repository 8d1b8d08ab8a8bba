// Programs with Bun's types, as a newcomer writes them: they compile, nothing runs them.
import { batch, fuse, lines, map, pipeline } from "@hosepipe/streams";

export async function readFile() {
  await pipeline(Bun.file("in.txt").stream(), lines(), (line) => console.log(line.length));
  await pipeline(Bun.file("in.txt"), lines(), (line) => console.log(line.length));
}

export async function writeFile() {
  const output = Bun.file("out.txt").writer();
  await pipeline(
    ["a", "b"],
    map((text) => text + "\n"),
    async (text) => {
      output.write(text);
      await output.flush();
    },
  );
  await output.end();
}

export const server = () =>
  Bun.serve({
    fetch(request) {
      const body = request.body!
        .pipeThrough(fuse(lines(), map((line) => line + "\n"), {
          readableStrategy: { size: (line) => line.length },
        }))
        .pipeThrough(new TextEncoderStream());
      return new Response(body);
    },
  });

export async function standardInput() {
  await pipeline(Bun.stdin.stream(), lines(), batch(10), (found) => console.log(found[0]?.length));
}
