/** The laws under fewer conditions, run in the page of a browser. */

// Read by tests/lib/conditions.ts: a page knows no environment.
Object.assign(globalThis, { fewerConditions: true });

export { runLaws } from "./_laws_page.ts";
