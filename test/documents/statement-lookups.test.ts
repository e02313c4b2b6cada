import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { activityFigures } from '../../sql/documents/statement-activity.ts';
import { copyLoans } from '../setup/copy-loans.ts';
import { setBusinessDate } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const LOANS = 2_000;

type Node = Record<string, unknown> & { Plans?: Node[] };
const Plan = z.object({ 'QUERY PLAN': z.array(z.object({ Plan: z.custom<Node>() })) });

const nodesIn = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesIn)];

/** The rows of a table that a plan read, including the rows that a filter removed. */
const rowsRead = (nodes: readonly Node[], table: string) =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .map((node) => {
      const [kept, left] = [node['Actual Rows'], node['Rows Removed by Filter'] ?? 0];
      return (Number(kept) + Number(left)) * Number(node['Actual Loops']);
    })
    .reduce((sum, rows) => sum + rows, 0);

test('a statement finds a returned payment by an index, without reading other loans', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const model = await newLoan(tenant);
  await copyLoans(stage.url, LOANS, { tenantId: tenant.id });
  const paid = await tenant.officer.post(`/loans/${model.id}/payments`, { amount: '315.68' });
  await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'clerical_error' });
  await setBusinessDate(tenant, '2026-02-01');

  const [explained] = await tenant.within(({ tx }) =>
    tx.any(sql.type(Plan)`
      explain (analyze, format json)
      select ${activityFigures} as activity
      from loans as loan
      cross join (select '2026-01-01'::date as first) as period
      cross join (select '2026-02-01'::date as day) as today
      cross join (select 0.00 as previous_balance, 0.00 as payments, 0.00 as interest) as moved
      cross join (select null::timestamptz as recorded_at) as boarded
      cross join (select 0.00 as amount) as credits
      where loan.id = ${model.id}
    `),
  );
  const nodes = (explained?.['QUERY PLAN'] ?? []).flatMap(({ Plan: plan }) => nodesIn(plan));

  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  expect(rowsRead(nodes, 'loan_events')).toBeGreaterThan(2);
  expect(rowsRead(nodes, 'loan_events')).toBeLessThan(20);
});
