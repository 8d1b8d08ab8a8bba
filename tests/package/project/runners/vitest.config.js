export default { test: { include: ["**/with_vitest.js"] } };
