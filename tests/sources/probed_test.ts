import process from "node:process";

// Before any helper is loaded, which asks for it: the joins once more, of probed sources.
process.env.HOSEPIPE_PROBED = "1";

await import("./concat_test.ts");
await import("./merge_test.ts");
await import("./open_sources_test.ts");
await import("./retry_test.ts");
await import("./share_test.ts");
await import("./timeout_test.ts");
await import("./zip_test.ts");
