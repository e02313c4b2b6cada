import { openPool, sql, type Transaction } from '../database/db.ts';

/** Copying a large table is one statement. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

export type MoveConnection = {
  /** Runs the steps in one transaction. A snapshot sees the database as of its start and is read-only. */
  steps<Result>(
    mode: 'snapshot' | 'write',
    steps: (tx: Transaction) => Promise<Result>,
  ): Promise<Result>;
  end(): Promise<void>;
};

/**
 * Connects as the owner of the tables, with the login of `npm run migrate`. Only the owner can copy whole
 * tenants; the API and the workers cannot import rows as they were.
 */
export async function connectAsOwner(url: string): Promise<MoveConnection> {
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
