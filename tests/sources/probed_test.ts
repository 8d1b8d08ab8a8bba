import process from "node:process";

// Before any helper is loaded, which asks for it: the joins once more, of probed sources.
process.env.HOSEPIPE_PROBED = "1";

for (const name of ["joins", "retry_timeout"]) {
  await import(`./${name}_test.ts`);
}
