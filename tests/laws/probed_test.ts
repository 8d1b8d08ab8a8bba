import process from "node:process";

// Before any helper is loaded, which asks for it: every law once more, with every part probed.
process.env.HOSEPIPE_PROBED = "1";

for (const name of ["errors", "identity", "sources"]) await import(`./${name}_test.ts`);
