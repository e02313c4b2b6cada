import * as borrowers from '../../../sql/borrowers/borrowers.ts';
import { findActiveId } from '../../../sql/loans/co-borrowers.ts';
import * as loans from '../../../sql/loans/loans.ts';
import * as products from '../../../sql/loans/products/products.ts';
import * as programs from '../../../sql/loans/products/programs.ts';
import { update } from '../../../sql/write.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { parseMoney, parseRate } from '../../money.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import { emit } from '../../webhooks/emit.ts';
import type { Work } from '../../work.ts';
import { MAX_BALANCE } from '../arithmetic/terms.ts';
import { sumFeesByTreatment, feesByRules, type FeeRule } from '../products/fee-amounts.ts';
import { copyTerms } from '../products/loan-terms.ts';
import { AGREED_DATES, assertAgreedDates } from './agreed-dates.ts';

export type NewLoan = {
  borrower_id: string;
  program_id: string;
  product_id: string;
  principal_amount: string;
  interest_rate: string;
  term_months: number;
  payment_day?: number | null | undefined;
  external_id?: string | null | undefined;
  expected_disbursement_date?: string | null | undefined;
  first_payment_date?: string | null | undefined;
  /** Default: the next number of the current year. */
  loan_number?: string | undefined;
} & Record<string, unknown>;

type Numbered = NewLoan & { id: string; loan_number: string; status: string };

/** Creates a pending loan with a copy of the product's current terms. */
export async function createLoan(work: Work, input: NewLoan): Promise<string> {
  assertAgreedDates(input, input, work.today);
  const { id, loan_number } = await insertLoan(work, await validateNewLoan(work, input));
  await emitLoanCreated(work, { ...input, id, loan_number, status: 'pending' });
  return id;
}

/** The product, program and settings of a new loan. Boarding reads them once for many loans. */
export type LoanParents = {
  product: Awaited<ReturnType<typeof products.readProduct>>;
  has_program: boolean;
  settings: { installment_tolerance: string; accrual_relief: boolean };
  /** Borrowers that the caller has checked and locked. Without it, each is checked with its loan. */
  usable_borrowers?: ReadonlySet<string>;
};

export async function readLoanParents(
  { tx }: Pick<Work, 'tx'>,
  { product_id, program_id }: Pick<NewLoan, 'product_id' | 'program_id'>,
): Promise<LoanParents> {
  const product = await products.readProduct(tx, product_id);
  const has_program = await programs.isUsable(tx, program_id);
  const { delinquency, accounting } = await settingsOf(tx);
  const { satisfied_tolerance: installment_tolerance } = delinquency;
  const { accrual_relief } = accounting;
  return { product, has_program, settings: { installment_tolerance, accrual_relief } };
}

/** Checks a new loan against its product, and returns it with the terms that it copies. */
export async function validateNewLoan(work: Pick<Work, 'tx'>, input: NewLoan, known?: LoanParents) {
  const parents = known ?? (await readLoanParents(work, input));
  await assertUsable(work.tx, input, parents);
  assertWithinLimits(input, parents.product ?? {});
  return { ...input, ...inheritedTerms(parents) };
}

/** Inserts a validated loan. Boarding uses it too. */
export async function insertLoan({ tx, today }: Pick<Work, 'tx' | 'today'>, loan: NewLoan) {
  const loan_number = loan.loan_number ?? (await loans.nextNumber(tx, Number(today.slice(0, 4))));
  const id = await loans.addLoan(tx, { ...loan, loan_number });
  return { id, loan_number };
}

/** The columns that a loan copies from its product and its tenant's settings. */
function inheritedTerms({ product, settings }: LoanParents) {
  const kept: Record<string, unknown> = product ?? {};
  return {
    loan_type: kept['loan_type'],
    payment_frequency: kept['payment_frequency'],
    day_count: kept['day_count'],
    interest_method: kept['interest_method'],
    installment_tolerance: settings.installment_tolerance,
    terms: copyTerms(kept, settings),
  };
}

async function assertUsable(tx: Work['tx'], input: NewLoan, parents: LoanParents) {
  const errors = parentErrors(input, parents);
  const isUsable =
    parents.usable_borrowers?.has(input.borrower_id) ??
    (await borrowers.lockIfUsable(tx, input.borrower_id));
  if (!isUsable) errors['borrower_id'] = 'Does not exist.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

function parentErrors(input: Pick<NewLoan, 'program_id'>, { product, has_program }: LoanParents) {
  const errors: Record<string, string> = {};
  if (!has_program) errors['program_id'] = 'Does not exist.';
  const isUsable = product !== null && product.is_active && !product.is_archived;
  if (!isUsable) errors['product_id'] = 'Does not exist.';
  const own = product?.['program_id'];
  if (isUsable && own && own !== input.program_id)
    errors['product_id'] = 'Belongs to another program.';
  return errors;
}

/**
 * Checks a loan against its product without reading anything, for a person who may not exist yet. Returns it with the
 * terms that it copies.
 */
export function validateTerms(input: NewLoan, parents: LoanParents) {
  const errors = parentErrors(input, parents);
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  assertWithinLimits(input, parents.product ?? {});
  return { ...input, ...inheritedTerms(parents) };
}

function assertWithinLimits(input: NewLoan, product: Record<string, unknown>) {
  const errors: Record<string, string> = {};
  const check = (
    field: string,
    value: string,
    least: unknown,
    most: unknown,
    parse: (text: string) => { lt(x: string): boolean; gt(x: string): boolean },
  ) => {
    if (least !== null && least !== undefined && parse(value).lt(String(least)))
      errors[field] = `Must be at least ${String(least)} for this product.`;
    if (most !== null && most !== undefined && parse(value).gt(String(most)))
      errors[field] = `Must be at most ${String(most)} for this product.`;
  };
  check(
    'principal_amount',
    input.principal_amount,
    product['min_amount'],
    product['max_amount'],
    parseMoney,
  );
  check('interest_rate', input.interest_rate, product['min_rate'], product['max_rate'], parseRate);
  check(
    'term_months',
    String(input.term_months),
    product['min_term_months'],
    product['max_term_months'],
    parseRate,
  );
  if (parseMoney(input.principal_amount).plus(feesOf(input, product)).gt(MAX_BALANCE))
    errors['principal_amount'] =
      `Must be at most ${MAX_BALANCE}, with the fees of its disbursement.`;
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/** The fees that disbursing the whole amount would add to the debt. */
function feesOf({ principal_amount: amount }: NewLoan, { fee_rules }: Record<string, unknown>) {
  const rules = Array.isArray(fee_rules) ? (fee_rules as FeeRule[]) : [];
  const fees = feesByRules(rules, amount, { amount, isFirst: true });
  return sumFeesByTreatment(fees, 'upfront', 'capitalized', 'amortized');
}

export const emitLoanCreated = (work: Work, loan: Numbered) =>
  emit(work, 'loan.created', {
    loan_id: loan.id,
    loan_number: loan.loan_number,
    borrower_id: loan.borrower_id,
    program_id: loan.program_id,
    product_id: loan.product_id,
    principal_amount: loan.principal_amount,
    status: loan.status,
    external_id: loan.external_id ?? null,
  });

/** Fields that must fit the product. */
const OFFERED = [
  'borrower_id',
  'program_id',
  'product_id',
  'principal_amount',
  'interest_rate',
  'term_months',
];
const ECONOMIC: readonly string[] = [...OFFERED, ...AGREED_DATES];

/**
 * Changes a loan. Throws `Conflict` if an economic term changes after the loan has left pending.
 * Descriptive fields can change at any time.
 */
export async function changeLoan(
  work: Work,
  id: string,
  changes: Record<string, unknown>,
  row: Record<string, unknown>,
) {
  const given = Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(row[name]),
    ),
  );
  const touched = Object.keys(given).filter(
    (name) => ECONOMIC.includes(name) || (name === 'payment_day' && row['status'] !== 'pending'),
  );
  if (touched.length > 0 && row['status'] !== 'pending')
    throw termsLocked(touched, String(row['status']));
  const whole = { ...row, ...given } as NewLoan;
  if ((await findActiveId(work.tx, id, whole.borrower_id)) !== null)
    throw new Invalid({
      borrower_id: 'Already owes this loan as a co-borrower. Release that person first.',
    });
  if (AGREED_DATES.some((name) => touched.includes(name)))
    assertAgreedDates(given, whole, work.today);
  if (touched.some((name) => OFFERED.includes(name))) {
    const parents = await readLoanParents(work, whole);
    await assertUsable(work.tx, whole, parents);
    assertWithinLimits(whole, parents.product ?? {});
    if (given['product_id'] !== undefined) Object.assign(given, inheritedTerms(parents));
  }
  await update(work.tx, 'loans', id, given);
}

export const termsLocked = (fields: readonly string[], current_status: string) =>
  new Conflict('The terms of a loan are fixed once it is no longer pending.', 'terms_locked', {
    fields,
    current_status,
  });
