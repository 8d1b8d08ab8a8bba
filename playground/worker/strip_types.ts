import { transform } from "sucrase";

/** TypeScript without its types, line by line as it was; what cannot be read is left to the browser to refuse. */
export function stripTypes(code: string): string {
  try {
    return transform(code, {
      transforms: ["typescript"],
      disableESTransforms: true,
      keepUnusedImports: true,
    }).code;
  } catch {
    return code;
  }
}
