/** The rows that are still held by the leases of these receipts. */
function among(parameter = 1): string {
  return `(id, lease) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?${parameter}))`;
}

/** What a queue in SQLite says to its database. */
export function sqliteStatements(table: string) {
  return {
    create: `
      CREATE TABLE IF NOT EXISTS ${table} (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        held_until INTEGER NOT NULL DEFAULT 0,
        held_ms INTEGER NOT NULL DEFAULT 0,
        lease TEXT,
        deliveries INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        isolations INTEGER NOT NULL DEFAULT 0,
        is_isolated INTEGER NOT NULL DEFAULT 0,
        body NOT NULL,
        is_text INTEGER NOT NULL DEFAULT 0
      );
      CREATE TABLE IF NOT EXISTS ${table}_dead (
        id INTEGER PRIMARY KEY, body NOT NULL, deliveries INTEGER NOT NULL, failures INTEGER NOT NULL,
        reason TEXT NOT NULL, died_at INTEGER NOT NULL
      );
      CREATE TABLE IF NOT EXISTS ${table}_tag (one INTEGER PRIMARY KEY CHECK (one = 1), tag TEXT NOT NULL);
      INSERT INTO ${table}_tag VALUES (1, lower(hex(randomblob(6)))) ON CONFLICT DO NOTHING;`,
    tag: `SELECT tag FROM ${table}_tag`,
    prepared: {
      // A hold that lies further ahead than it is long was taken before the clock was set back. A second more,
      // since a process may have read the clock, and then waited while another took what it now looks at.
      receive: `
        UPDATE ${table} SET held_until = ?1, held_ms = ?2, lease = ?3, deliveries = deliveries + 1, is_isolated = 0
        WHERE id IN (
          SELECT id FROM ${table} WHERE held_until <= ?4 OR held_until > ?4 + held_ms + 1000 ORDER BY id LIMIT ?5
        ) RETURNING id AS row, body, is_text, deliveries, failures, isolations`,
      ack: `DELETE FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`,
      giveBack: `
        UPDATE ${table} SET held_until = 0, lease = NULL, deliveries = deliveries - 1,
          isolations = isolations - is_isolated WHERE ${among()}`,
      fail: `
        UPDATE ${table} SET held_until = ?1, held_ms = ?2, lease = NULL, failures = failures + 1, isolations = 0
        WHERE ${among(3)}`,
      isolate: `
        UPDATE ${table} SET isolations = isolations + 1, is_isolated = 1
        WHERE is_isolated = 0 AND ${among()}`,
      extend: `UPDATE ${table} SET held_until = ?1, held_ms = ?2 WHERE ${among(3)}`,
      bury: `
        INSERT INTO ${table}_dead SELECT id, body, deliveries, failures, ?1, ?2 FROM ${table}
        WHERE ${among(3)}`,
      remove: `DELETE FROM ${table} WHERE ${among()}`,
      send: `INSERT INTO ${table} (body, is_text) VALUES (?, ?)`,
      depth: `
        SELECT count(*) - count(lease) FILTER (WHERE held_until > ?1) AS waiting,
          count(lease) FILTER (WHERE held_until > ?1) AS leased,
          (SELECT count(*) FROM ${table}_dead) AS dead
        FROM ${table}`,
    },
  };
}
