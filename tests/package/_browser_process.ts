/** Stands for `node:process` in a page, which says which runtime it is: one like Node's. */
export default { versions: { node: "in a browser" }, env: {} };
