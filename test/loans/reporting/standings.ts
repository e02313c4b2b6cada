import { sql } from '../../../sql/database/db.ts';
import type { Client } from '../../setup/client.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import type { Tenant } from '../../setup/world.ts';

type Wish = Record<string, unknown>;
/** Steps that take a new loan to the requested state. */
type Then = readonly [action: string, body?: object][];

/** The states of a loan: its statuses, its flags, and the figures that matter to actions. */
export function standingsIn(
  tenant: Tenant,
  superadmin: Client,
  usual: { program_id: string; product_id: string },
): Record<string, () => Promise<string>> {
  async function loanOf(wish: Wish, then: Then = []) {
    const { id } = await newLoan(tenant, { ...usual, ...wish }, superadmin);
    for (const [action, body] of then) {
      const { status, body: reply } = await superadmin.post(`/loans/${id}/${action}`, body ?? {});
      if (status >= 300) throw new Error(`${action}: ${JSON.stringify(reply)}`);
    }
    return id;
  }

  const product = async (terms: object) => ({
    product_id: await newProduct(tenant, { ...terms }, superadmin),
  });
  const board = async (more: object) => {
    const { body: borrower } = await superadmin.post('/borrowers', {
      first_name: 'A',
      last_name: 'B',
    });
    const { body } = await superadmin.post('/loans/board', {
      borrower_id: borrower.id,
      principal_amount: '1000.00',
      interest_rate: '0.1',
      ...usual,
      term_months: 12,
      origination_date: '2025-06-15',
      ...more,
    });
    return body.id as string;
  };
  const sold = async (status: string) => {
    const id = await loanOf({});
    await tenant.within(({ tx }) =>
      tx.query(sql.typeAlias('void')`update loans set status = ${status} where id = ${id}`),
    );
    return id;
  };
  const line = () => product({ loan_type: 'line_of_credit' });
  const early = { status: 'pending' };
  const agreed = { status: 'approved' };

  return {
    pending: () => loanOf(early),
    'pending and frozen': () => loanOf(early, [['freeze']]),
    'pending and accelerated': () => loanOf(early, [['accelerate']]),
    approved: () => loanOf(agreed),
    'approved and frozen': () => loanOf(agreed, [['freeze']]),
    'approved and accelerated': () => loanOf(agreed, [['accelerate']]),
    'approved and archived': async () => {
      const id = await loanOf(agreed);
      await superadmin.send('DELETE', `/loans/${id}`);
      return id;
    },
    'approved, where the borrower may rescind': async () =>
      loanOf({ ...agreed, ...(await product({ rescission_days: 3 })) }),
    'boarded as approved, where the borrower may rescind': async () =>
      board({
        ...(await product({ rescission_days: 3 })),
        status: 'approved',
        origination_date: '2026-01-15',
      }),
    denied: () => loanOf(early, [['deny', { reasons: ['other'] }]]),
    canceled: () => loanOf(early, [['cancel']]),
    active: () => loanOf({}),
    'active and frozen': () => loanOf({}, [['freeze']]),
    'active and accelerated': () => loanOf({}, [['accelerate']]),
    'active and off accrual': () => loanOf({}, [['non-accrual']]),
    'active, frozen, accelerated and off accrual': () =>
      loanOf({}, [['freeze'], ['accelerate'], ['non-accrual']]),
    'active and archived': async () => {
      const id = await loanOf({});
      await superadmin.send('DELETE', `/loans/${id}`);
      return id;
    },
    'funded in part': () => loanOf(agreed, [['disburse', { amount: '4000.00' }]]),
    'funded in part and frozen': () =>
      loanOf(agreed, [['disburse', { amount: '4000.00' }], ['freeze']]),
    'funded in part and accelerated': () =>
      loanOf(agreed, [['disburse', { amount: '4000.00' }], ['accelerate']]),
    'funded in part and off accrual': () =>
      loanOf(agreed, [['disburse', { amount: '4000.00' }], ['non-accrual']]),
    'a line with credit left': async () =>
      loanOf({ ...agreed, ...(await line()) }, [['disburse', { amount: '4000.00' }]]),
    'a line with credit left, and frozen': async () =>
      loanOf({ ...agreed, ...(await line()) }, [['disburse', { amount: '4000.00' }], ['freeze']]),
    'a line that is drawn': async () => loanOf({ ...agreed, ...(await line()) }, [['disburse']]),
    'a line that owes nothing': async () =>
      loanOf({ ...agreed, ...(await line()) }, [
        ['disburse', { amount: '4000.00' }],
        ['payments', { amount: '4000.00' }],
      ]),
    'approved again after its disbursement was undone': async () => {
      const id = await loanOf({});
      const [{ id: out }] = (await superadmin.get(`/loans/${id}/disbursements`)).body;
      await superadmin.post(`/disbursements/${out}/reverse`);
      return id;
    },
    'accelerated no more': () => loanOf({}, [['accelerate'], ['reverse-acceleration']]),
    'in forbearance': () =>
      loanOf({}, [
        [
          'forbearances',
          {
            start_date: '2026-01-15',
            end_date: '2026-06-15',
            reason: 'Out of work',
          },
        ],
      ]),
    'paid every other week': async () => loanOf(await product({ payment_frequency: 'biweekly' })),
    'paid every quarter': async () => loanOf(await product({ payment_frequency: 'quarterly' })),
    'paid at once at the end': async () => loanOf(await product({ payment_frequency: 'single' })),
    ...Object.fromEntries(
      ['simple_daily', 'scheduled', 'flat', 'interest_only'].map((interest_method) => [
        `of interest ${interest_method}`,
        async () => loanOf(await product({ interest_method })),
      ]),
    ),
    'past its maturity': () =>
      board({
        term_months: 6,
        paid_through_date: '2025-12-01',
        current_principal_balance: '100.00',
      }),
    'paid off': () => loanOf({}, [['pay-off']]),
    'frozen, and paid off': () => loanOf({}, [['freeze'], ['pay-off']]),
    'accelerated, and paid off': () => loanOf({}, [['accelerate'], ['pay-off']]),
    'charged off': () => loanOf({}, [['charge-off']]),
    'charged off, frozen and accelerated': () =>
      loanOf({}, [['freeze'], ['accelerate'], ['charge-off']]),
    'charged off and recovered in part': () =>
      loanOf({}, [['charge-off'], ['payments', { amount: '100.00' }]]),
    'charged off and recovered': () =>
      loanOf({}, [['charge-off'], ['payments', { amount: '10000.00' }]]),
    'charged off and restored': () => loanOf({}, [['charge-off'], ['reverse-charge-off']]),
    'charged off by its previous servicer': () =>
      board({ status: 'charged_off', charge_off_date: '2025-12-01' }),
    settled: () => sold('settled'),
    transferred: () => sold('transferred'),
  };
}
