import { expect, test } from 'vitest';
import type { Reply } from '../../setup/client.ts';
import { newLoan } from '../../setup/loans.ts';
import { saveSettings } from '../../setup/settings.ts';
import { waitForAssertion } from '../../setup/slow-clients.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

/** ROUNDS asks for more. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 10);

const stage = await newStage();

async function standingOf({ officer }: Tenant, id: string) {
  const { body: loan } = await officer.get(`/loans/${id}`);
  const { body: history } = await officer.get(`/loans/${id}/history`);
  const { body: paid } = await officer.get(`/loans/${id}/disbursements`);
  const changes = (history as { changes: Record<string, { new: unknown }> | null }[])
    .flatMap(({ changes: changed }) => (changed?.['status'] ? [changed['status'].new] : []))
    .toReversed();
  return {
    loan,
    changes: changes.filter((status) => status !== 'pending'),
    paid: paid as unknown[],
  };
}

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const waitUntilQueued = (count: number) =>
  waitForAssertion(async () => expect((await stage.owner.query(WAITING)).rowCount).toBe(count));

/**
 * Sends two requests about a loan simultaneously. Every second pair of rounds, the loan is locked until both
 * wait for it, the first one in front. Odd rounds send them in the opposite order.
 */
async function sendBoth(
  round: number,
  id: string,
  one: Send,
  other: Send,
): Promise<[Reply, Reply]> {
  const [first, second] = round % 2 === 0 ? [one, other] : [other, one];
  const isQueued = round % 4 >= 2;
  const held = isQueued ? await stage.owner.connect() : null;
  try {
    await held?.query('begin');
    await held?.query('select from loans where id = $1 for update', [id]);
    const earlier = first();
    if (isQueued) await waitUntilQueued(1);
    const later = second();
    if (isQueued) await waitUntilQueued(2);
    await held?.query('commit');
    const replies = await Promise.all([earlier, later]);
    return round % 2 === 0 ? [replies[0], replies[1]] : [replies[1], replies[0]];
  } finally {
    held?.release(true);
  }
}
type Send = () => Promise<Reply>;

const assertAnswered = (replies: readonly Reply[]) => {
  for (const { status, body } of replies)
    expect([200, 409], JSON.stringify(body)).toContain(status);
};

test('a loan that is canceled during its approval ends canceled, and its history shows the order', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const orders = new Map<string, number>();

  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await newLoan(tenant, { status: 'pending' });
    const approve = () => tenant.officer.post(`/loans/${id}/approve`, {});
    const cancel = () => admin.post(`/loans/${id}/cancel`, { reason: 'borrower_withdrew' });
    const [approved, canceled] = await sendBoth(round, id, approve, cancel);
    const { loan, changes, paid } = await standingOf(tenant, id);

    assertAnswered([approved, canceled]);
    expect(canceled.status).toBe(200);
    expect(loan.status).toBe('canceled');
    expect(changes).toEqual(approved.status === 200 ? ['approved', 'canceled'] : ['canceled']);
    expect(paid).toEqual([]);
    orders.set(changes.join(), (orders.get(changes.join()) ?? 0) + 1);
  }

  if (process.env['ROUNDS']) console.log(Object.fromEntries(orders));
  expect(await violationsIn(stage)).toEqual([]);
}, 120_000);

test.each(['disburse', 'disbursements'])(
  'a loan that is canceled while a second person approves its disbursement (%s) is either canceled or funded',
  async (endpoint) => {
    const tenant = await stage.tenant('2026-01-15');
    const admin = await tenant.signedIn('admin');
    const second = await tenant.signedIn('superadmin');
    await saveSettings(tenant, { approvals: { four_eyes: ['disbursements'] } });
    const ends = new Map<string, number>();

    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await newLoan(tenant, { status: 'approved' });
      const body = endpoint === 'disburse' ? {} : { amount: '10000.00' };
      const asked = await tenant.officer.post(`/loans/${id}/${endpoint}`, body);
      expect(asked.status).toBe(202);
      const agree = () => admin.post(`/approvals/${asked.body.approval_id}/approve`, {});
      const cancel = () => second.post(`/loans/${id}/cancel`, { reason: 'borrower_withdrew' });
      const [agreed, canceled] = await sendBoth(round, id, agree, cancel);
      const { loan, paid } = await standingOf(tenant, id);
      const { body: request } = await admin.get(`/approvals/${asked.body.approval_id}`);

      assertAnswered([agreed, canceled]);
      const isFunded = agreed.status === 200;
      expect(canceled.status).toBe(isFunded ? 409 : 200);
      expect(loan.status).toBe(isFunded ? 'active' : 'canceled');
      expect(paid).toHaveLength(isFunded ? 1 : 0);
      expect(request.status === 'approved').toBe(isFunded);
      const end = `${loan.status} ${request.status}`;
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }

    if (process.env['ROUNDS']) console.log(endpoint, Object.fromEntries(ends));
    expect(await violationsIn(stage)).toEqual([]);
  },
  120_000,
);
