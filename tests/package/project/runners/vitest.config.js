export default { test: { include: ["**/first_with_vitest.js", "**/with_vitest.js"] } };
