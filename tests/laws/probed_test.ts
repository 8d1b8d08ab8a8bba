import process from "node:process";

// Before any helper is loaded, which asks for it: every law once more, with every part probed.
process.env.HOSEPIPE_PROBED = "1";

await import("./cancel_test.ts");
await import("./early_return_test.ts");
await import("./empty_source_test.ts");
await import("./errors_test.ts");
await import("./identity_test.ts");
await import("./laziness_test.ts");
await import("./reuse_test.ts");
await import("./sources_test.ts");
