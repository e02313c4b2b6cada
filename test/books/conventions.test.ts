import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { prepareLoan, type BookLoan } from '../../jobs/books/conventions/book-loan.ts';
import { NOTHING_PAID } from '../../jobs/books/conventions/paid-before.ts';
import { conventionsOf, type Conventions } from '../../jobs/books/conventions/conventions.ts';
import { computeFigures, type Figures } from '../../jobs/books/conventions/figures.ts';
import {
  findConventions,
  type StudiedLoan,
} from '../../jobs/books/conventions/find-conventions.ts';
import {
  learnFrom,
  newExperience,
  nameDifference,
  type NamedDifference,
} from '../../jobs/books/conventions/name-difference.ts';
import { agrees, differencesOf } from '../../jobs/books/conventions/differences.ts';
import { productOfConventions } from '../../jobs/books/conventions/product-of-conventions.ts';
import { addDays } from '../../jobs/dates.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import { fold } from '../../jobs/loans/engine/fold.ts';
import { copyTerms, readTerms, type LoanTerms } from '../../jobs/loans/products/loan-terms.ts';
import { anyLife } from '../loans/arbitraries.ts';
import { START } from '../loans/agreed/any-agreement.ts';
import { toBookLoan, USUAL } from './legacy-loans.ts';
import { LEGACY, runLegacyBook, runLegacyLoan, type LegacyConventions } from './legacy-system.ts';

/**
 * LEGACY_LOANS=10000 checks a whole book: the finder over all loans, and each wrong convention over LEGACY_NAMED loans
 * (default 2,000).
 */
const COUNT = Number(process.env['LEGACY_LOANS'] ?? 200);
const NAMED = Math.min(COUNT, Number(process.env['LEGACY_NAMED'] ?? 2_000));
vi.setConfig({ testTimeout: COUNT > 1_000 ? 7_200_000 : 240_000 });

const LATE_FEE = {
  grace_days: 10,
  rule: { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' },
} as const;

/** The conventions of the legacy system in the product's terms. */
const RIGHT: Conventions = {
  ...USUAL,
  day_count: '30_360',
  interest_rounding: 'down',
  payment_lag_days: 1,
  late_fees: LATE_FEE,
};

const study = (count: number, conventions: LegacyConventions = LEGACY): StudiedLoan[] =>
  runLegacyBook(count, { conventions }).map((loan) => ({
    loan: toBookLoan(loan),
    theirs: loan.figures,
  }));

const FIGURES_OF_STATE = [
  ...(['principal', 'interest', 'fees', 'days_past_due', 'next_due_date'] as const),
  ...(['next_payment_amount', 'paid_principal', 'paid_interest', 'paid_fees'] as const),
  ...(['last_payment_date', 'past_due_amount', 'upcoming_due_date'] as const),
] as const;

test('figures of many days in one run equal the fold of each day', () => {
  const names = new Set(FIGURES_OF_STATE);
  fc.assert(
    fc.property(
      anyLife,
      fc.uniqueArray(fc.nat({ max: 400 }), { minLength: 1 }),
      (life, offsets) => {
        // A figure of a day does not know of later reversals and waivers.
        fc.pre(life.events.every(({ kind }) => kind !== 'reversal' && kind !== 'fee_waiver'));
        const days = offsets
          .toSorted((one, other) => one - other)
          .map((days) => addDays(START, days));

        const figures = [
          ...computeFigures(
            { ...life, includes_day: false, paid_before: NOTHING_PAID },
            days,
            names,
          ),
        ];

        const expected = days.map((as_of): Figures => {
          const state = fold({ ...life, as_of });
          return {
            as_of_date: as_of,
            principal: state.principal_balance,
            interest: state.accrued_interest,
            fees: state.outstanding_fees,
            days_past_due: state.days_past_due,
            next_due_date: state.oldest_unpaid_due_date ?? state.next_payment_date,
            next_payment_amount: state.next_payment_amount,
            paid_principal: state.total_paid_principal,
            paid_interest: state.total_paid_interest,
            paid_fees: state.total_paid_fees,
            last_payment_date: state.last_payment_date,
            past_due_amount: state.past_due_amount,
            upcoming_due_date: state.next_payment_date,
          };
        });
        expect(figures.map(({ paid_total: _, ...rest }) => rest)).toEqual(expected);
      },
    ),
    { numRuns: 150 },
  );
});

test('a figure does not know of a payment’s return that comes later', () => {
  const loan = toBookLoan(runLegacyLoan(5));
  const payment = loan.events.find(({ kind }) => kind === 'payment');
  const returned = addDays(payment?.effective_date ?? '', 40);
  const reversal: LoanEvent = {
    id: 'returned',
    kind: 'reversal',
    effective_date: returned,
    reverses: payment?.id ?? '',
  };
  const days = [addDays(returned, -1), returned];
  const principal = (events: readonly LoanEvent[]) =>
    [
      ...computeFigures(
        prepareLoan({ ...loan, events }, USUAL, returned),
        days,
        new Set(['principal'] as const),
      ),
    ].map((figures) => figures.principal);

  const [before, after] = principal([...loan.events, reversal]);
  const kept = principal(loan.events);
  const never = principal(loan.events.filter((event) => event !== payment));

  expect(before).toBe(kept[0]);
  expect(after).toBe(never[1]);
  expect(after).not.toBe(kept[1]);
});

describe('a legacy system with other conventions', () => {
  const book = study(COUNT);

  test('the finder names all five conventions, and all loans then agree to the cent', async () => {
    const found = await findConventions(() => book, { start: USUAL });

    expect(found.ranking[0]).toMatchObject({
      conventions: RIGHT,
      loans_agreeing: COUNT,
      counterexamples: [],
    });
    expect(found.late_fee).toEqual(LATE_FEE);
    expect(found.undecided).toEqual([]);
    expect(found.installment).toMatchObject({
      installment_rounding: 'half_up',
      installment_calculation: 'periodic_rate',
      loans_agreeing: Math.min(COUNT, 2_000),
    });
    const others = found.ranking.slice(1);
    expect(others.length).toBeGreaterThan(2);
    for (const { loans_agreeing, counterexamples } of others) {
      expect(loans_agreeing).toBeLessThan(COUNT);
      expect(counterexamples[0]).toMatchObject({ loan_number: expect.stringMatching(/^L-/) });
    }
  });

  test('all loans agree to the cent with the product that the finder creates', async () => {
    const found = await findConventions(() => book.slice(0, 100), { start: USUAL });
    const product = { ...productOfConventions(found) };
    const lag = found.ranking[0]?.conventions.payment_lag_days ?? 0;
    const settings = { installment_tolerance: '0.00', accrual_relief: true };
    // As the database keeps it: without what the product leaves open.
    const terms = JSON.parse(JSON.stringify(copyTerms(product, settings))) as LoanTerms;

    const agreeing = book.filter(({ loan, theirs }) => {
      const { interest_rate, term_months, payment_day } = loan.terms;
      const own = { loan_type: 'installment', interest_rate, term_months, payment_day };
      const ofProduct = { ...loan, terms: readTerms({ ...own, terms }) };
      const conventions = { ...conventionsOf(ofProduct.terms), payment_lag_days: lag };
      const through = theirs.at(-1)?.as_of_date ?? '';
      return agrees(prepareLoan(ofProduct, conventions, through), { theirs, tolerance: 0n });
    });

    console.info(`${agreeing.length} of ${COUNT} loans agree with the product`);
    expect(agreeing.length).toBe(COUNT);
  });

  test.each([
    ['day_count', { day_count: 'actual_365' }],
    ['day_count', { day_count: 'actual_360' }],
    ['rounding', { interest_rounding: 'half_up' }],
    ['application_order', { application_order: 'interest_first' }],
    ['application_order', { application_order: 'delinquency_first' }],
    ['effective_date', { payment_lag_days: 0 }],
    ['fee_rule', { late_fees: { ...LATE_FEE, grace_days: 15 } }],
    ['fee_rule', { late_fees: { ...LATE_FEE, rule: { ...LATE_FEE.rule, amount: '30.00' } } }],
  ] as const)(
    'with a wrong %s (%j), the report names it for 95 of 100 loans that differ',
    (kind, wrong) => {
      const naming = {
        conventions: { ...RIGHT, ...wrong },
        tolerance: 0n,
        experience: newExperience(),
      };
      for (const { loan, theirs } of book.slice(0, 60)) learnFrom(loan, theirs, naming);

      const named = book
        .slice(0, NAMED)
        .flatMap(({ loan, theirs }) => nameDifference(loan, theirs, naming) ?? []);

      const right = named.filter((difference) => difference.kind === kind).length;
      console.info(
        `${kind} ${JSON.stringify(wrong)}: ${right} of ${named.length} loans that differ`,
      );
      expect(named.length).toBeGreaterThan(NAMED / 10);
      expect(right / named.length).toBeGreaterThanOrEqual(0.95);
    },
  );
});

test('the finder reads a late fee that is a share of the installment', async () => {
  const conventions = { ...LEGACY, late_fee: { grace_days: 5, percent: 500n } };
  const book = study(80, conventions);

  const found = await findConventions(() => book, { start: USUAL });

  expect(found.late_fee).toMatchObject({
    grace_days: 5,
    rule: { calculation: 'percent_of_payment', percentage: '0.050' },
  });
  expect(found.ranking[0]?.loans_agreeing).toBe(80);
});

test('the finder says what the loans do not tell apart', async () => {
  // Nobody pays late or more than the installment, so nothing shows the order of application.
  const book = study(60).filter(
    ({ loan, theirs }) =>
      theirs.every(({ fees, days_past_due }) => fees === '0.00' && days_past_due === 0) &&
      loan.events.every((event) => event.kind === 'payment'),
  );
  expect(book.length).toBeGreaterThan(5);

  const found = await findConventions(() => book, { start: USUAL });

  expect(found.ranking[0]?.loans_agreeing).toBe(book.length);
  expect(found.undecided.map(({ convention }) => convention)).toContain('application_order');
});

describe('a single event that differs', () => {
  const legacy = runLegacyLoan(2);
  const loan = toBookLoan(legacy);
  const right: Conventions = { ...RIGHT, late_fees: 'as_recorded' };
  const naming = () => ({ conventions: right, tolerance: 0n, experience: newExperience() });
  const name = (changed: BookLoan, theirs: readonly Figures[] = legacy.figures) =>
    nameDifference(changed, theirs, naming()) as NamedDifference;
  const payments = loan.events.filter(({ kind }) => kind === 'payment');
  const middle = payments[Math.floor(payments.length / 2)] as LoanEvent;

  test('agrees without a change', () => {
    expect(nameDifference(loan, legacy.figures, naming())).toBeNull();
  });

  test('names a payment that is missing here', () => {
    const named = name({ ...loan, events: loan.events.filter((event) => event !== middle) });

    expect(named.kind).toBe('missing_event');
    expect(named.event_change).toMatchObject({
      change: 'missing_here',
      event: { kind: 'payment' },
    });
    expect(named.reasons[0]).toContain('Only there: payment of');
  });

  test('names a payment that is missing there', () => {
    const extra: LoanEvent = {
      ...middle,
      id: 'zz',
      effective_date: addDays(middle.effective_date, 3),
    };
    const named = name({ ...loan, events: [...loan.events, extra] });

    expect(named.kind).toBe('missing_event');
    expect(named.event_change).toMatchObject({
      change: 'missing_there',
      event: { kind: 'payment', amount: 'amount' in middle ? middle.amount : '' },
    });
  });

  test('names a payment with another date', () => {
    const moved = { ...middle, effective_date: addDays(middle.effective_date, 4) };
    const events = loan.events.map((event) => (event === middle ? moved : event));
    const named = name({ ...loan, events });

    expect(named.kind).toBe('effective_date');
    expect(named.event_change).toMatchObject({
      change: 'moved',
      date_there: middle.effective_date,
    });
  });

  test('names a late fee that only one system charged', () => {
    const fee: LoanEvent = {
      id: 'fee',
      kind: 'fee',
      fee_type: 'late',
      effective_date: middle.effective_date,
      amount: '25.00',
    };
    const named = name({ ...loan, events: [...loan.events, fee] });

    expect(named.kind).toBe('fee_rule');
  });

  test('shows both computations of the day on which the systems part', () => {
    const wrong = { conventions: { ...right, day_count: 'actual_365' as const } };
    const named = nameDifference(loan, legacy.figures, { ...naming(), ...wrong });

    expect(named?.reasons).toEqual(['day count: actual/365 here, 30/360 there']);
    const { date, ours, theirs } = named?.parting ?? {};
    expect(date).toBe(legacy.figures[0]?.as_of_date);
    expect(ours?.steps[0]?.text).toContain('365');
    expect(ours?.interest).toBe(named?.differences[0]?.ours);
    expect(theirs?.interest).toBe(named?.differences[0]?.theirs);
  });

  test('leaves a difference unknown that nothing explains, with what remains', () => {
    const theirs = legacy.figures.map((figures, at) =>
      at === 3 ? { ...figures, principal: '1.23' } : figures,
    );
    const named = name(loan, theirs);

    expect(named.kind).toBe('unknown');
    expect(named.remaining).toHaveLength(1);
  });

  test('ignores what is within the tolerance', () => {
    const theirs = legacy.figures.map((figures) => ({
      ...figures,
      interest: (Number(figures.interest) + 0.01).toFixed(2),
    }));

    expect(nameDifference(loan, theirs, { ...naming(), tolerance: 1n })).toBeNull();
  });
});

test('two wrong conventions are named together', () => {
  const wrong: Conventions = {
    ...RIGHT,
    late_fees: 'as_recorded',
    day_count: 'actual_365',
    payment_lag_days: 0,
  };
  const naming = { conventions: wrong, tolerance: 0n, experience: newExperience() };
  const named = study(12).flatMap(({ loan, theirs }) => nameDifference(loan, theirs, naming) ?? []);

  expect(named.length).toBeGreaterThan(0);
  const several = named.filter(({ kind }) => kind === 'several');
  expect(several.length).toBe(named.length);
  expect(several[0]?.changes.map(({ convention }) => convention).toSorted()).toEqual([
    'day_count',
    'payment_lag_days',
  ]);
});

test('figures and differences stop at the first that a caller needs', () => {
  const legacy = runLegacyLoan(5);
  const prepared = prepareLoan(toBookLoan(legacy), USUAL, legacy.figures.at(-1)?.as_of_date ?? '');
  const [first] = differencesOf(prepared, { theirs: legacy.figures, tolerance: 0n });

  expect(first?.as_of_date).toBe(legacy.figures[0]?.as_of_date);
});
