import { addDays, addMonths } from '../../jobs/dates.ts';
import { boardLoan } from '../../jobs/loans/boarding/board-loan.ts';
import type { Boarding } from '../../jobs/loans/boarding/boarding-input.ts';
import { createLoan } from '../../jobs/loans/origination/create.ts';
import type { Work } from '../../jobs/work.ts';
import * as tape from '../../sql/loans/boarding/tape.ts';
import { insert } from '../../sql/write.ts';

const PEOPLE = [
  ['Nora', 'Whitfield', 'CA'],
  ['Owen', 'Castellan', 'TX'],
  ['Priya', 'Renner', 'NY'],
  ['Quentin', 'Holm', 'FL'],
  ['Rosa', 'Pereira', 'IL'],
  ['Stefan', 'Kowal', 'OH'],
] as const;

type LoanAge = {
  months: number;
  /** The number of unpaid installments at boarding. */
  behind: number;
  principal_amount: string;
  current_principal_balance: string;
  interest_rate: string;
  term_months: number;
};

/** Loans of several ages: new, in mid-life, one installment behind and three installments behind. */
const LOAN_AGES: readonly LoanAge[] = [
  {
    months: 0,
    behind: 0,
    principal_amount: '8000.00',
    current_principal_balance: '8000.00',
    interest_rate: '0.0899',
    term_months: 36,
  },
  {
    months: 9,
    behind: 0,
    principal_amount: '12000.00',
    current_principal_balance: '9374.15',
    interest_rate: '0.1149',
    term_months: 36,
  },
  {
    months: 14,
    behind: 1,
    principal_amount: '20000.00',
    current_principal_balance: '16402.77',
    interest_rate: '0.0725',
    term_months: 60,
  },
  {
    months: 20,
    behind: 3,
    principal_amount: '5000.00',
    current_principal_balance: '1684.30',
    interest_rate: '0.1599',
    term_months: 24,
  },
];

/** Adds borrowers with an address and an email. Returns their ids. */
export async function addBorrowers({ tx }: Work, slug: string): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, [first_name, last_name, state]] of PEOPLE.entries()) {
    const external_id = `seed-${index + 1}`;
    const borrower_id = await insert(tx, 'borrowers', { external_id, first_name, last_name });
    const contact = { borrower_id, is_primary: true };
    const street_line_1 = `${index + 1} Example Street`;
    const address = { street_line_1, city: 'Springfield', state, postal_code: '62701' };
    await insert(tx, 'addresses', { ...contact, ...address });
    const email = `${first_name}.${last_name}@${slug}.test`.toLowerCase();
    await insert(tx, 'emails', { ...contact, email });
    ids.push(borrower_id);
  }
  return ids;
}

/** Gives the first borrower a loan of every age and an application, and every other borrower one loan. */
export async function addLoans(work: Work, borrowers: readonly string[]) {
  const [product] = await tape.listBoardableProducts(work.tx);
  const program_id = await tape.firstProgram(work.tx);
  if (!product || !program_id) throw new Error('The tenant has no product to lend under.');
  const parents = { product_id: product.id, program_id };
  const [first = '', ...others] = borrowers;
  for (const age of LOAN_AGES)
    await boardLoan(work, boardingOf(work, age, { ...parents, borrower_id: first }));
  for (const [index, borrower_id] of others.entries()) {
    const age = LOAN_AGES[index % LOAN_AGES.length] as LoanAge;
    await boardLoan(work, boardingOf(work, age, { ...parents, borrower_id }));
  }
  await createLoan(work, {
    ...parents,
    borrower_id: first,
    principal_amount: '15000.00',
    interest_rate: '0.0949',
    term_months: 48,
  });
}

type Parents = Pick<Boarding, 'borrower_id' | 'program_id' | 'product_id'>;

function boardingOf({ today }: Work, age: LoanAge, parents: Parents): Boarding {
  const { months, behind, ...terms } = age;
  const origination_date = addDays(addMonths(today, -months), months === 0 ? 0 : -10);
  const first_payment_date = addMonths(origination_date, 1);
  const paid_through_date = months === 0 ? null : addMonths(origination_date, months - behind);
  return {
    ...parents,
    ...terms,
    origination_date,
    first_payment_date,
    paid_through_date,
    status: 'active',
  };
}
