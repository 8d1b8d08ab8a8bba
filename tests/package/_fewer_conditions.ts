// Read by tests/lib/conditions.ts: a page knows no environment.
Object.assign(globalThis, { fewerConditions: true });
