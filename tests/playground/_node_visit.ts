import type { Page } from "playwright-core";
import { settled, shownIn } from "./_state.ts";

/** Section 6: runs demos to their end, and goes back to a moment in between. */
export async function visitNode(page: Page) {
  const section = page.locator("#node");
  const demo = section.getByLabel("Demo");
  const side = (name: string) => section.locator(`[data-api=${name}]`);
  const count = async (name: string) => Number(await side(name).getAttribute("data-events"));
  const look = async () => ({
    ...{ web: await count("web"), node: await count("node") },
    ...{ webShown: await shownIn(side("web")), nodeShown: await shownIn(side("node")) },
    sentence: await section.locator(".now").innerText(),
  });
  const ends = [];
  for (const number of ["01", "02", "03", "04", "05", "06"]) {
    await demo.selectOption(number);
    await section.locator("[data-do=finish]").click();
    await settled(section);
    ends.push({ number, ...await look() });
  }
  await demo.selectOption("03");
  await section.getByLabel("speed").selectOption("16");
  await section.locator("[data-do=play]").click();
  await section.locator("[data-api=web] [data-count=written]:not(:text-is('0'))").waitFor();
  await section.locator("[data-do=play]").click();
  await settled(section);
  const playing = await look();
  await section.getByLabel("go back").press("Home");
  return { ends, playing, goneBack: await look() };
}
