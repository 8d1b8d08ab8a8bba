/** The rows that are still held by the leases of these receipts. */
function among(parameter = 1): string {
  return `(id, lease) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?${parameter}))`;
}

/** A column in JSON, which has no bytes. */
function json(column: string): string {
  return `iif(typeof(${column}) = 'blob', hex(${column}), ${column})`;
}

/** A column as a count that JavaScript can read. */
function count(column: string): string {
  return `max(0, min(CAST(${column} AS INTEGER), ${Number.MAX_SAFE_INTEGER}))`;
}

/** What a queue in SQLite says to its database. */
export function sqliteStatements(name: string) {
  // Quoted, since a name may be a word of SQL's.
  const table = `"${name}"`;
  // Bodies are apart: a lease changes a few bytes, and must not write a message again.
  const bodies = `"${name}_body"`;
  const dead = `"${name}_dead"`;
  const ids = `"${name}_ids"`;
  const tags = `"${name}_tag"`;
  const earlier = (of: string) =>
    `SELECT 1 FROM ${table} AS earlier WHERE earlier.key = ${of}.key AND earlier.id < ${of}.id`;
  const leaseOf = (chosen: string) => `
    UPDATE ${table}
    SET held_until = ?1, held_ms = ?2, lease = ?3, deliveries = deliveries + 1, is_isolated = 0
    WHERE id IN (${chosen})`;
  // An array in an array is read as text and parsed again: where the rows will do, they are given alone.
  const plainIds = "SELECT value FROM json_each(?1)";
  // The rows that are still held by the leases of these receipts.
  const heldIds = `SELECT id FROM ${table} WHERE ${among()}`;
  return {
    parts: `
      SELECT name FROM sqlite_schema WHERE type = 'table'
        AND name COLLATE NOCASE IN ('${name}', '${name}_body', '${name}_tag')`,
    // Made once messages wait for a time, or behind others of their key: it would make all else slower.
    makeReady: `
      CREATE TRIGGER "${name}_behind" AFTER INSERT ON ${table}
        WHEN new.key IS NOT NULL AND EXISTS (${earlier("new")})
        BEGIN UPDATE ${table} SET is_behind = 1 WHERE id = new.id; END;
      CREATE TRIGGER "${name}_first" AFTER DELETE ON ${table} WHEN old.key IS NOT NULL
        BEGIN UPDATE ${table} SET is_behind = 0
          WHERE id = (SELECT min(id) FROM ${table} WHERE key = old.key); END;
      UPDATE ${table} AS one SET is_behind = 1 WHERE key IS NOT NULL AND EXISTS (${earlier("one")});
      CREATE INDEX "${name}_ready" ON ${table} (held_until) WHERE is_behind = 0;`,
    create: `
      CREATE TABLE IF NOT EXISTS ${table} (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        held_until INTEGER NOT NULL DEFAULT 0,
        held_ms INTEGER NOT NULL DEFAULT 0,
        lease INTEGER,
        deliveries INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        isolations INTEGER NOT NULL DEFAULT 0,
        is_isolated INTEGER NOT NULL DEFAULT 0,
        name TEXT,
        key TEXT,
        due_at INTEGER NOT NULL DEFAULT 0,
        is_behind INTEGER NOT NULL DEFAULT 0
      );
      CREATE INDEX IF NOT EXISTS "${name}_key" ON ${table} (key, id) WHERE key IS NOT NULL;
      CREATE UNIQUE INDEX IF NOT EXISTS "${name}_name" ON ${table} (name) WHERE name IS NOT NULL;
      CREATE TABLE IF NOT EXISTS ${bodies} (
        id INTEGER PRIMARY KEY, body NOT NULL, is_text INTEGER NOT NULL
      );
      CREATE TABLE IF NOT EXISTS ${dead} (
        id INTEGER PRIMARY KEY, message TEXT NOT NULL, body, is_text INTEGER, key TEXT,
        deliveries INTEGER NOT NULL, failures INTEGER NOT NULL, reason TEXT NOT NULL,
        died_at INTEGER NOT NULL
      );
      CREATE TABLE IF NOT EXISTS ${ids} (name TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS "${name}_ids_until" ON ${ids} (until);
      CREATE TABLE IF NOT EXISTS ${tags} (one INTEGER PRIMARY KEY CHECK (one = 1), tag TEXT NOT NULL);
      INSERT INTO ${tags} VALUES (1, lower(hex(randomblob(6)))) ON CONFLICT DO NOTHING;`,
    prepared: {
      tag: `SELECT tag FROM ${tags}`,
      isReady: `SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = '${name}_ready'`,
      // In order of the table. A hold that lies further ahead than it is long was taken before the clock was set back. A
      // second more, since a process may have read the clock, and then waited while another took what it now looks at.
      receive: leaseOf(`
        SELECT id FROM ${table} AS one
        WHERE (held_until <= ?4 OR held_until > ?4 + held_ms + 1000)
          AND (key IS NULL OR NOT EXISTS (${earlier("one")}))
        ORDER BY id LIMIT ?5`),
      // By an index that has of each key the first alone: what waits is not looked at.
      receiveReady: leaseOf(`
        SELECT id FROM (SELECT id FROM ${table} WHERE is_behind = 0 AND held_until = 0 ORDER BY id LIMIT ?5)
        UNION ALL
        SELECT id FROM (
          SELECT id FROM ${table} WHERE is_behind = 0 AND held_until > 0 AND held_until <= ?4
          ORDER BY held_until LIMIT ?5
        )
        ORDER BY id LIMIT ?5`),
      release: `
        UPDATE ${table} SET held_until = 1 WHERE held_until > ?1 + held_ms + 1000 OR held_until < 0`,
      // What was leased just now, and no further than that: bodies are read one by one, beside the rows. Each column
      // costs, so that what is the same for nearly all is left out. A large body is read when its turn comes.
      // Others may have written numbers where text belongs, and anything where a count does.
      read: `
        SELECT ${table}.id AS row,
          CASE WHEN octet_length(body) <= ?2 AND typeof(body) IN ('text', 'blob') THEN body END AS body,
          CASE WHEN deliveries IS NOT 1 OR failures IS NOT 0 OR isolations IS NOT 0 OR is_text IS NOT 0
              OR octet_length(body) > ?2 OR name IS NOT NULL OR typeof(body) IN ('integer', 'real')
            THEN json_array(${json("deliveries")}, ${json("failures")}, ${json("isolations")},
              ${json("is_text")}, octet_length(body), ${json("name")}, typeof(body))
          END AS account
        FROM ${table} LEFT JOIN ${bodies} ON ${bodies}.id = ${table}.id
        WHERE is_behind = 0 AND held_until = ?3 AND lease = ?1 ORDER BY ${table}.id LIMIT changes()`,
      bytes: `SELECT CAST(body AS BLOB) AS body FROM ${bodies} WHERE id = ?1`,
      load: `
        SELECT body, is_text AS isText FROM ${table} LEFT JOIN ${bodies} USING (id)
        WHERE id = ?1 AND lease = ?2`,
      leave: `
        UPDATE ${table} SET held_until = 0, lease = NULL, deliveries = deliveries - 1
        WHERE is_behind = 0 AND held_until = ?3 AND lease = ?1 AND id >= ?2`,
      ack: `DELETE FROM ${table} WHERE id IN (${plainIds})`,
      removeBodies: `DELETE FROM ${bodies} WHERE id IN (${plainIds})`,
      nack: `
        UPDATE ${table} SET held_until = 0, lease = NULL, deliveries = deliveries - 1,
          isolations = isolations - is_isolated WHERE ${among()}`,
      fail: `
        UPDATE ${table} SET held_until = ?1, held_ms = ?2, lease = NULL, failures = failures + 1,
          isolations = 0 WHERE ${among(3)}`,
      // Held for longer, for as long as it is: its worker may die of it, and who comes next is to wait for a while.
      isolate: `
        UPDATE ${table} SET isolations = isolations + 1, is_isolated = 1,
          held_ms = held_ms + ?1, held_until = held_until + ?1
        WHERE is_isolated = 0 AND ${among(2)}`,
      orphans: `
        SELECT count(*) AS count FROM ${table}
        WHERE isolations <= 1 AND deliveries - failures > (lease IS NOT NULL AND held_until > ?1)`,
      extend: `UPDATE ${table} SET held_until = ?1 + held_ms WHERE ${among(2)}`,
      deadLetter: `
        INSERT INTO ${dead} (message, body, is_text, key, deliveries, failures, reason, died_at)
        SELECT ?4, body, is_text, key, ${count("deliveries")}, ${count("failures")}, ?1, ?2
        FROM ${table} LEFT JOIN ${bodies} USING (id) WHERE ${among(3)}`,
      removeDeadBodies: `DELETE FROM ${bodies} WHERE id IN (${heldIds})`,
      removeDead: `DELETE FROM ${table} WHERE ${among()}`,
      send: `INSERT INTO ${table} (due_at) VALUES (?1)`,
      // A message that is still in the queue is not sent again: then no row comes back.
      sendSpecial: `
        INSERT INTO ${table} (due_at, held_until, held_ms, name, key) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT DO NOTHING RETURNING id`,
      forget: `DELETE FROM ${ids} WHERE until <= ?1`,
      remember: `INSERT INTO ${ids} VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING 1`,
      sendBody: `INSERT INTO ${bodies} VALUES (last_insert_rowid(), ?, ?)`,
      depth: `
        SELECT count(*) - count(lease) FILTER (WHERE held_until > ?1) AS waiting,
          count(lease) FILTER (WHERE held_until > ?1) AS leased,
          (SELECT count(*) FROM ${dead}) AS dead
        FROM ${table}`,
      oldest: `SELECT ?1 - min(due_at) AS age FROM ${table} WHERE due_at <= ?1`,
      listDead: `
        SELECT message AS id, iif(typeof(body) IN ('integer', 'real'), CAST(body AS TEXT), body) AS body,
          is_text AS isText, reason, deliveries, failures,
          died_at AS diedAt
        FROM ${dead} AS letter WHERE letter.id > coalesce((SELECT max(id) FROM ${dead} WHERE message = ?1), 0)
        ORDER BY letter.id LIMIT ?2`,
      chooseDead: `
        SELECT min(id) AS id, message, key FROM ${dead}
        WHERE ?1 IS NULL OR message IN (SELECT value FROM json_each(?1))
        GROUP BY message ORDER BY min(id)`,
      replayBody: `
        INSERT INTO ${bodies} SELECT last_insert_rowid(), body, coalesce(is_text, 0) FROM ${dead}
        WHERE id = ?1 AND body IS NOT NULL`,
      removeLetter: `DELETE FROM ${dead} WHERE id = ?1`,
      purgeDead: `
        DELETE FROM ${dead} WHERE ?1 IS NULL OR message IN (SELECT value FROM json_each(?1))
        RETURNING 1`,
    },
  };
}
