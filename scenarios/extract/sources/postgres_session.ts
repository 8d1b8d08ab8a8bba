import postgres, { type Sql } from "postgres";
import { connectOnce } from "./connect_once.ts";
import type { CopySocket } from "./copy_socket.ts";
import { quoteName } from "./sql_shape.ts";

/**
 * Connects to a server, once.
 *
 * @param onConnect Called with the connection.
 */
export function connectPostgres(
  address: string,
  { timeoutMs, name, onConnect }: {
    readonly timeoutMs: number;
    /** What the server calls this client. */
    readonly name: string;
    onConnect?(socket: CopySocket): void;
  },
): Sql {
  return postgres(address, {
    ...{ max: 1, prepare: false, fetch_types: false, onnotice() {} },
    ...{ connect_timeout: Math.max(1, Math.ceil(timeoutMs / 1000)), idle_timeout: 0 },
    max_lifetime: null,
    // Its types do not know it.
    ...{ socket: connectOnce((socket) => onConnect?.(socket)) } as object,
    connection: { application_name: name },
  });
}

/**
 * Has the same text stand for the same value, whatever a server or a pooler's other clients have set; for this
 * transaction alone.
 */
export const textSettings: string = [
  ...["client_encoding = 'UTF8'", "DateStyle = 'ISO, YMD'", "TimeZone = 'UTC'"],
  ...["IntervalStyle = 'iso_8601'", "bytea_output = 'hex'", "extra_float_digits = 1"],
].map((setting) => `SET LOCAL ${setting}`).join("; ");

/** What a table may be called in SQL by its name, or by that of its schema and its own with a point between. */
export function tableNames(name: string): readonly string[] {
  const point = name.indexOf(".");
  const [schema, own] = [name.slice(0, point), name.slice(point + 1)].map(quoteName);
  return [quoteName(name), ...(point > 0 ? [`${schema}.${own}`] : [])];
}

/** A server older than 14 has no such thing: there a killed export ends when it is next written to. */
const checkConnection = `
  SELECT set_config(name, '1s', true) FROM pg_settings WHERE name = 'client_connection_check_interval'`;

const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** A session with a server. */
export interface PostgresSession {
  readonly sql: Sql;
  /** Its connection. */
  readonly socket: CopySocket | undefined;
}

/** Opens a session of one connection that sees the database as it is now, or as the session with a snapshot does. */
export type OpenSession = (snapshot?: string) => Promise<PostgresSession>;

/**
 * Makes what opens sessions with a server.
 *
 * @param isPartial Whether the rows that row-level security hides may lack; otherwise such a table is refused.
 */
export function postgresSessions(
  address: string,
  { timeoutMs, isPartial }: { readonly timeoutMs: number; readonly isPartial: boolean },
): OpenSession {
  const security = `SET LOCAL row_security = ${isPartial ? "on" : "off"}`;
  return async (snapshot) => {
    let socket: CopySocket | undefined;
    const sql = connectPostgres(address, {
      ...{ timeoutMs, name: "hosepipe extract" },
      onConnect: (connected) => void (socket = connected),
    });
    try {
      const imported = snapshot === undefined
        ? ""
        : `; SET TRANSACTION SNAPSHOT '${snapshot.replaceAll("'", "''")}'`;
      await sql.unsafe(
        `${begin}${imported}; ${textSettings}; SET LOCAL idle_in_transaction_session_timeout = 0; ` +
          `SET LOCAL synchronize_seqscans = off; ${security}; ${checkConnection}`,
      );
      return { sql, socket };
    } catch (error) {
      await sql.end({ timeout: 0 });
      throw error;
    }
  };
}
