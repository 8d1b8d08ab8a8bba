import { DiagramRenderer } from "./diagram_renderer.ts";
import { EventPairs } from "./event_pairs.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";

/** The hoses of Web and Node one above the other, event by event. */
export function stackedDiagram(target: RenderTarget): Renderer {
  const { write, style, columns } = target;
  const show = (name: string) =>
    new DiagramRenderer({
      ...target,
      columns: columns === undefined ? undefined : columns - 5,
      write: (text) =>
        write(
          text.trimEnd().split("\n").map((line, index) =>
            `${index === 0 ? style("detail", name) : "    "} ${line}\n`
          ).join(""),
        ),
    });
  const renderers = { web: show("web "), node: show("node") };
  return new EventPairs((web, node) => {
    if (web !== undefined) renderers.web.onEvent(web.event);
    if (node !== undefined) renderers.node.onEvent(node.event);
  });
}
