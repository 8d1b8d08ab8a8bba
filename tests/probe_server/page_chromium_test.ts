import { assert, assertEquals } from "@std/assert";
import process from "node:process";
import { test } from "node:test";
import { probe } from "@hosepipe/streams/inspect";
import { serveProbe } from "@hosepipe/streams/node";
import { chromium } from "playwright-core";
import { findChromium } from "../package/_find_chromium.ts";

const executablePath = findChromium();
const isRequired = process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1";
const skip = executablePath === undefined && !isRequired;

const hostile = "<img src=x onerror=alert(1)>";

test(
  "in Chromium: the page draws what the probe says, as text, and says when it is over",
  { skip },
  async () => {
    const look = probe({ name: hostile });
    const { url, close } = await serveProbe(look, { show: () => hostile });
    const strategy = { highWaterMark: 2 };
    let finish: (() => void) | undefined;
    const done = new ReadableStream<number>(
      look.reader<number>({
        // Three at a time: more than there is room for.
        pull(controller) {
          for (let count = 0; count < 3; count++) controller.enqueue(count);
        },
      }, { strategy }),
      strategy,
    ).pipeTo(
      new WritableStream(
        look.writer({
          write: () => new Promise<void>((resolve) => finish = resolve),
        }, { name: hostile, strategy }),
        strategy,
      ),
    ).catch(() => {});
    while (finish === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    const complaints: string[] = [];
    try {
      for (const [width, colorScheme] of [[390, "light"], [1440, "dark"]] as const) {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        page.on("dialog", (dialog) => complaints.push(dialog.message()));
        page.on("pageerror", (error) => complaints.push(String(error)));
        page.on("console", (message) => complaints.push(message.text()));
        await page.goto(url);
        await page.waitForSelector("[data-buffer]");
        assertEquals(await page.locator("h1").textContent(), hostile);
        const [buffer] = look.buffers();
        const drawn = page.locator('[data-buffer="readerOut"]');
        assertEquals(await drawn.locator(".slot.full").count(), 2);
        assertEquals(await drawn.locator(".slot.over").count(), buffer!.count! - 2);
        assertEquals(
          await drawn.locator(".figures").textContent(),
          `${buffer!.count} chunks, highWaterMark 2, desiredSize ${buffer!.desiredSize}`,
        );
        assertEquals(await page.locator('[data-buffer="writerIn"] .slot.held').count(), 1);
        assertEquals(await page.locator('[data-stage="reader"] .valve.shut').count(), 1);
        assertEquals(await page.locator(".chunk").first().textContent(), hostile);
        assertEquals(await page.locator("#hose img").count(), 0);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert(overflow as number <= 0, `${width}: ${overflow}`);
        const shots = process.env.HOSEPIPE_SCREENSHOTS;
        if (shots) await page.screenshot({ path: `${shots}/live-${width}.png`, fullPage: true });
      }
      const [page] = browser.contexts()[0]!.pages();
      const closing = close();
      await page!.getByText("The program has closed this view").waitFor();
      await closing;
      assertEquals(complaints, []);
    } finally {
      await browser.close();
      await close();
      finish();
    }
    void done;
  },
);
