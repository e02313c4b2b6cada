import { expect, test } from 'vitest';
import { z } from 'zod';
import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { sql } from '../../sql/database/db.ts';
import { loans } from '../../sql/loans/loans.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant('2026-01-15');
await newLoan(tenant);
await newLoan(tenant, { status: 'pending' });

test.each([borrowers, loans])(
  'what lists of $name look for in the bare table is what they show',
  async ({ name, rows, own = [], filters = {} }) => {
    const columns = own.filter((field) => field !== 'q' && !(field in filters));
    const differs = columns.map((field) => {
      const [shown, kept] = [sql.identifier(['row', field]), sql.identifier(['bare', field])];
      return sql.fragment`count(*) filter (where ${shown} is distinct from ${kept})`;
    });

    const counts = await tenant.within(({ tx }) =>
      tx.one(sql.type(z.object({ joined: z.string(), bare: z.string(), differing: z.string() }))`
        select (select count(*) from (${rows}) as row) as joined,
               (select count(*) from ${sql.identifier([name])}) as bare,
               ${sql.join(differs, sql.fragment` + `)} as differing
        from (${rows}) as row join ${sql.identifier([name])} as bare on bare.id = row.id
      `),
    );

    expect(columns.length).toBeGreaterThan(5);
    expect(counts).toEqual({ joined: counts.bare, bare: counts.bare, differing: '0' });
  },
);

test('loans of one tape, all made at one moment, are paged without one twice or missing', async () => {
  const made = await tenant.first('/loans');
  await stage.owner.query(
    'update loans set created_at = (select created_at from loans where id = $1)',
    [made],
  );

  const pages = await Promise.all(
    [0, 1].map((offset) => tenant.officer.get(`/loans?limit=1&offset=${offset}`)),
  );

  expect(new Set(pages.map(({ body }) => body[0].id)).size).toBe(2);
});
