import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { demoChart } from "../../../scripts/report/charts/demo_chart.ts";

const { variants, apis } = await demoChart();
const panels = variants.flatMap(({ groups }) => groups.flatMap(({ panels }) => panels));
const [last, any] = apis as [string, string];

test("both demos run on both APIs, never with more than ten writes in flight", () => {
  assertEquals(panels.map(({ api }) => api), ["web", "node"]);
  for (const { points } of panels) {
    assertEquals([...new Set(points.map(({ api }) => api))], [last, any]);
    assertEquals(Math.max(...points.map(({ value }) => value)), 10);
    for (const api of apis) {
      const own = points.filter((point) => point.api === api);
      assertEquals(own.at(-1)!.value, 0, "all written in the end");
      const times = own.map(({ at }) => Number(at));
      assertEquals(times, [...times].sort((one, other) => one - other));
      assertEquals(new Set(times).size, times.length, "one value for each instant");
    }
  }
});

test("concurrency stays up where any finished write lets the next in, and pulses elsewhere", () => {
  for (const { points } of panels) {
    const busy = (api: string) => {
      const own = points.filter((point) => point.api === api);
      return own.slice(0, Math.floor(own.length / 2)).map(({ value }) => value);
    };
    assert(Math.min(...busy(any)) >= 9);
    assert(Math.min(...busy(last)) <= 5);
  }
});

test("the delays are seeded: the chart is the same every time", async () => {
  const again = (await demoChart()).variants[0]!.groups[0]!.panels;
  assertEquals(again.map(({ points }) => points), panels.map(({ points }) => points));
});
