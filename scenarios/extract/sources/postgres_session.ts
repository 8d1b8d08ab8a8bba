import postgres, { type Sql } from "postgres";
import { connectOnce } from "./connect_once.ts";
import type { CopySocket } from "./copy_socket.ts";

/** The same text for the same value, whatever the server is set to. */
const settings = `
  SET client_encoding = 'UTF8'; SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC';
  SET IntervalStyle = 'iso_8601'; SET bytea_output = 'hex'; SET extra_float_digits = 1;
  SET idle_in_transaction_session_timeout = 0; SET synchronize_seqscans = off`;

const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** A session with a server. */
export interface PostgresSession {
  readonly sql: Sql;
  /** Its connection. */
  readonly socket: CopySocket | undefined;
}

/** Opens a session of one connection that sees the database as it is now, or as the session with a snapshot does. */
export type OpenSession = (snapshot?: string) => Promise<PostgresSession>;

/** Makes what opens sessions with a server. */
export function postgresSessions(address: string, timeoutMs: number): OpenSession {
  return async (snapshot) => {
    let socket: CopySocket | undefined;
    const sql = postgres(address, {
      ...{ max: 1, prepare: false, fetch_types: false, onnotice() {} },
      ...{ connect_timeout: Math.max(1, Math.ceil(timeoutMs / 1000)), idle_timeout: 0 },
      max_lifetime: null,
      // Its types do not know it.
      ...{ socket: connectOnce((connected) => void (socket = connected)) } as object,
      connection: { application_name: "hosepipe extract" },
    });
    try {
      await sql.unsafe(settings);
      // A server older than 14 has no such thing: there a killed export ends when it is next written to.
      await sql.unsafe("SET client_connection_check_interval = '1s'").catch(() => {});
      const imported = snapshot === undefined
        ? ""
        : `; SET TRANSACTION SNAPSHOT '${snapshot.replaceAll("'", "''")}'`;
      await sql.unsafe(begin + imported);
      return { sql, socket };
    } catch (error) {
      await sql.end({ timeout: 0 });
      throw error;
    }
  };
}
