/** The rows that are still held by the leases of these receipts. */
function among(parameter = 1): string {
  return `(id, lease) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?${parameter}))`;
}

/** What a queue in SQLite says to its database. */
export function sqliteStatements(table: string) {
  // Bodies are apart: a lease changes a few bytes, and must not write a message again.
  const bodies = `${table}_body`;
  const dead = `${table}_dead`;
  const ids = "SELECT value ->> 0 FROM json_each(?1)";
  // An array in an array is read as text and parsed again: where the rows will do, they are given alone.
  const plainIds = "SELECT value FROM json_each(?1)";
  return {
    create: `
      CREATE TABLE IF NOT EXISTS ${table} (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        held_until INTEGER NOT NULL DEFAULT 0,
        held_ms INTEGER NOT NULL DEFAULT 0,
        lease INTEGER,
        deliveries INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        isolations INTEGER NOT NULL DEFAULT 0,
        is_isolated INTEGER NOT NULL DEFAULT 0
      );
      CREATE TABLE IF NOT EXISTS ${bodies} (
        id INTEGER PRIMARY KEY, body NOT NULL, is_text INTEGER NOT NULL
      );
      CREATE TABLE IF NOT EXISTS ${dead} (
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
        UPDATE ${table}
        SET held_until = ?1, held_ms = ?2, lease = ?3, deliveries = deliveries + 1, is_isolated = 0
        WHERE id IN (
          SELECT id FROM ${table}
          WHERE held_until <= ?4 OR held_until > ?4 + held_ms + 1000 ORDER BY id LIMIT ?5
        )`,
      // What was leased just now, and no further than that: bodies are read one by one, beside the rows. Each column
      // costs, so that what is the same for nearly all is left out.
      read: `
        SELECT ${table}.id AS row, body,
          CASE WHEN deliveries > 1 OR failures > 0 OR isolations > 0 OR is_text = 1
            THEN json_array(deliveries, failures, isolations, is_text) END AS account
        FROM ${table} CROSS JOIN ${bodies} ON ${bodies}.id = ${table}.id
        WHERE lease = ?1 ORDER BY ${table}.id LIMIT changes()`,
      ack: `DELETE FROM ${table} WHERE id IN (${plainIds})`,
      removeBodies: `DELETE FROM ${bodies} WHERE id IN (${plainIds})`,
      ackRange: `DELETE FROM ${table} WHERE id BETWEEN ?1 AND ?2`,
      removeBodyRange: `DELETE FROM ${bodies} WHERE id BETWEEN ?1 AND ?2`,
      giveBack: `
        UPDATE ${table} SET held_until = 0, lease = NULL, deliveries = deliveries - 1,
          isolations = isolations - is_isolated WHERE ${among()}`,
      fail: `
        UPDATE ${table} SET held_until = ?1, held_ms = ?2, lease = NULL, failures = failures + 1,
          isolations = 0 WHERE ${among(3)}`,
      isolate: `
        UPDATE ${table} SET isolations = isolations + 1, is_isolated = 1
        WHERE is_isolated = 0 AND ${among()}`,
      extend: `UPDATE ${table} SET held_until = ?1, held_ms = ?2 WHERE ${among(3)}`,
      bury: `
        INSERT INTO ${dead} SELECT id, body, deliveries, failures, ?1, ?2
        FROM ${table} JOIN ${bodies} USING (id) WHERE ${among(3)}`,
      removeDead: `
        DELETE FROM ${table} WHERE ${among()} AND id IN (SELECT id FROM ${dead})`,
      removeDeadBodies: `
        DELETE FROM ${bodies} WHERE id IN (${ids}) AND id IN (SELECT id FROM ${dead})`,
      send: `INSERT INTO ${table} DEFAULT VALUES`,
      sendBody: `INSERT INTO ${bodies} VALUES (last_insert_rowid(), ?, ?)`,
      depth: `
        SELECT count(*) - count(lease) FILTER (WHERE held_until > ?1) AS waiting,
          count(lease) FILTER (WHERE held_until > ?1) AS leased,
          (SELECT count(*) FROM ${dead}) AS dead
        FROM ${table}`,
    },
  };
}
