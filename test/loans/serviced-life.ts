import * as fc from 'fast-check';
import { addDays } from '../../jobs/dates.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import { fold, type FoldInput } from '../../jobs/loans/engine/fold.ts';
import type { LoanState } from '../../jobs/loans/engine/state.ts';
import { parseMoney } from '../../jobs/money.ts';
import { START } from './agreed/any-agreement.ts';
import { anyContract, fundedLoan } from './any-contract.ts';
import { anyPlanning, plansOf, type Planning } from './serviced-plans.ts';

/** The life of a loan as a lender services it: each day's events depend on the loan's state. */

const amount = fc.integer({ min: 1, max: 300_000 }).map((cents) => (cents / 100).toFixed(2));
const rate = fc.constantFrom('0', '0.0399', '0.085', '0.2999');
const days = fc.integer({ min: 1, max: 70 });

const anyDeed = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('pays the bill' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('pays' as const),
      amount,
      payment_type: fc.constantFrom('regular', 'regular', 'extra_principal', 'fee_only'),
      found: fc.option(days),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('bounces' as const), which: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('fee' as const), amount: fc.constant('25.00') }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('waives' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('credits' as const),
      amount,
      apply_to: fc.constantFrom('fees', 'interest', 'principal', 'waterfall'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('promotes' as const), interest_rate: rate, days }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('is capped' as const), days: fc.option(days) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('rests' as const),
      reason: fc.constantFrom('freeze', 'non_accrual', 'forbearance'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('accrues' as const), catch_up: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('applies suspense' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('pays back' as const), amount }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('accelerates' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('takes acceleration back' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('charges off a part' as const), amount }) },
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constant('agrees' as const), planning: anyPlanning }),
  },
);
type Deed = {
  after: number | 'due';
  deed: typeof anyDeed extends fc.Arbitrary<infer It> ? It : never;
};

const RESTS = ['freeze', 'non_accrual', 'forbearance'];

/** Payments that were not reversed, latest first. */
const paymentsOf = (events: readonly LoanEvent[]) =>
  events.filter(
    ({ kind, id }) =>
      kind === 'payment' &&
      !events.some((event) => event.kind === 'reversal' && event.reverses === id),
  );

type Drafted = Record<string, unknown>;

function draftsOf(
  deed: Deed['deed'],
  { state, events, today }: { state: LoanState; events: readonly LoanEvent[]; today: string },
  plan: (planning: Planning) => Drafted[],
): Drafted[] {
  switch (deed.does) {
    case 'pays the bill': {
      const isDue = state.next_payment_date === today;
      const now = isDue ? parseMoney(state.next_payment_amount) : parseMoney('0.00');
      const bill = now.plus(state.past_due_amount);
      return bill.gt(0) ? [{ kind: 'payment', amount: bill.toFixed(2) }] : [];
    }
    case 'pays': {
      const then = deed.found === null ? today : addDays(today, -deed.found);
      const { amount: paid, payment_type } = deed;
      const effective_date = then < START ? START : then;
      return [{ kind: 'payment', amount: paid, payment_type, effective_date }];
    }
    case 'bounces': {
      const paid = paymentsOf(events).at(-1 - deed.which);
      return paid ? [{ kind: 'reversal', reverses: paid.id }] : [];
    }
    case 'fee':
      return [{ kind: 'fee', amount: deed.amount }];
    case 'waives': {
      const fee = events.findLast(({ kind, id }) => kind === 'fee' && id !== 'f000');
      return fee ? [{ kind: 'fee_waiver', fee_id: fee.id }] : [];
    }
    case 'credits':
      return [{ kind: 'service_credit', amount: deed.amount, apply_to: deed.apply_to }];
    case 'promotes':
      return [{ kind: 'promo', interest_rate: deed.interest_rate, to: addDays(today, deed.days) }];
    case 'is capped': {
      const to = deed.days === null ? null : addDays(today, deed.days);
      return [{ kind: 'rate_cap', interest_rate: '0.06', to }];
    }
    case 'rests':
      return [{ kind: 'accrual_stop', reason: deed.reason }];
    case 'accrues':
      return RESTS.map((reason) => ({ kind: 'accrual_start', reason, catch_up: deed.catch_up }));
    case 'applies suspense':
      return [{ kind: 'suspense_application', amount: 'all' }];
    case 'pays back':
      return [{ kind: 'reimbursement', amount: deed.amount }];
    case 'accelerates':
      return [{ kind: 'acceleration' }];
    case 'takes acceleration back':
      return events
        .filter(({ kind }) => kind === 'acceleration')
        .map(({ id }) => ({ kind: 'reversal', reverses: id }));
    case 'charges off a part':
      return [{ kind: 'charge_off', principal_amount: deed.amount }];
    case 'agrees':
      return plan(deed.planning);
  }
}

export type Life = FoldInput & { events: LoanEvent[] };

/** A loan with its life so far, on some day after its last event. */
export const anyServicedLife = (longest: number): fc.Arbitrary<Life> =>
  fc
    .record({
      contract: anyContract(longest),
      deeds: fc.array(
        fc.record({
          after: fc.oneof(fc.constant('due' as const), fc.integer({ min: 0, max: 50 })),
          deed: anyDeed,
        }),
        { maxLength: 10 },
      ),
      look: fc.oneof(fc.constant('due' as const), fc.integer({ min: 0, max: 40 })),
    })
    .map(({ contract, deeds, look }) => {
      const loan = fundedLoan(contract);
      const { terms, schedule } = loan;
      const events = [...loan.events];
      let today = START;
      const travel = (after: number | 'due') => {
        if (after !== 'due') return void (today = addDays(today, after));
        const { next_payment_date } = fold({ terms, schedule, events, as_of: today });
        if (next_payment_date !== null && next_payment_date > today) today = next_payment_date;
      };
      for (const { after, deed } of deeds) {
        travel(after);
        const state = fold({ terms, schedule, events, as_of: today });
        if (state.is_charged_off || state.total_balance === '0.00') break;
        const plan = (planning: Planning) => plansOf(planning, { state, terms, today });
        for (const draft of draftsOf(deed, { state, events, today }, plan)) {
          const id = `e${String(events.length).padStart(3, '0')}`;
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each draft names its kind.
          events.push({ effective_date: today, ...draft, id } as LoanEvent);
        }
      }
      travel(look);
      // A partial charge-off takes effect after the payments of its day.
      const isWrittenDown = events.some(
        ({ kind, effective_date }) => kind === 'charge_off' && effective_date === today,
      );
      if (isWrittenDown) today = addDays(today, 1);
      return { terms, schedule, events, as_of: today };
    });
