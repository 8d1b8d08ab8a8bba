import process from "node:process";

// Before any helper is loaded, which asks for it: the joins once more, of probed sources.
process.env.HOSEPIPE_PROBED = "1";

for (const name of ["concat", "joins", "merge", "retry", "tee", "timeout", "zip"]) {
  await import(`./${name}_test.ts`);
}
