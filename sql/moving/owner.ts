import { openPool, sql, type Transaction } from '../database/db.ts';

/** A large table is one statement. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

export type OwnerConnection = {
  /** One transaction; a snapshot sees the database as of its beginning, and writes nothing. */
  steps<Result>(
    mode: 'snapshot' | 'write',
    steps: (tx: Transaction) => Promise<Result>,
  ): Promise<Result>;
  end(): Promise<void>;
};

/**
 * Whole tenants are read and written by the owner of the tables alone, whose login is that of
 * npm run migrate: neither the API nor a worker has a way to bring rows in as they were.
 */
export async function connectAsOwner(url: string): Promise<OwnerConnection> {
  const role = 'servicing_owner';
  const pool = await openPool(url, { role, size: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  return {
    steps: async (mode, steps) => {
      const outcome = await pool.connect(async (connection) => {
        await connection.query(
          mode === 'write'
            ? sql.typeAlias('void')`begin`
            : sql.typeAlias('void')`begin isolation level repeatable read read only`,
        );
        try {
          const result = await steps(connection);
          await connection.query(sql.typeAlias('void')`commit`);
          return { result };
        } catch (error) {
          await connection.query(sql.typeAlias('void')`rollback`);
          return { error };
        }
      });
      if ('result' in outcome) return outcome.result;
      throw outcome.error;
    },
    end: () => pool.end(),
  };
}
