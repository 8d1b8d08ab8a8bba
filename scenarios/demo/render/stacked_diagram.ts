import { DiagramRenderer } from "./diagram_renderer.ts";
import { type DetailedEvent, EventPairs } from "./event_pairs.ts";
import type { HoseShape } from "./hose_state.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";

/** The buffers of Web and node one above the other, event by event. */
export function stackedDiagram(target: RenderTarget, shape: HoseShape): Renderer {
  const { write, style, columns } = target;
  const show = (name: string, hasNames: boolean) =>
    new DiagramRenderer(
      {
        ...target,
        columns: columns === undefined ? undefined : columns - 5,
        write: (text) => write(`${style("detail", name)} ${text}`),
      },
      shape,
      hasNames,
    );
  const renderers = { web: show("web ", true), node: show("node", false) };
  const put = (renderer: Renderer, one: DetailedEvent | undefined): void => {
    if (one === undefined) return;
    renderer.onEvent(one.event);
    for (const detail of one.details) renderer.onDetail(detail);
  };
  return new EventPairs((web, node) => {
    put(renderers.web, web);
    put(renderers.node, node);
  });
}
