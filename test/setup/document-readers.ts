import Big from 'big.js';
import fc from 'fast-check';
import { newLoan } from './loans.ts';
import { expectedFormats, type Language } from './pdf-printer.ts';
import type { Stage } from './world.ts';

/** Amounts are in cents, the rate in hundredths of a percent. */
export const arbitraryLoan = fc.record({
  cents: fc.oneof(
    fc.integer({ min: 200_000, max: 5_000_000 }),
    fc.integer({ min: 100_000_000, max: 900_000_000 }),
  ),
  basis_points: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_599 })),
  term_months: fc.integer({ min: 6, max: 60 }),
  paid_percent: fc.integer({ min: 0, max: 220 }),
  fee_cents: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9_999 })),
});
export type LoanWish = typeof arbitraryLoan extends fc.Arbitrary<infer Value> ? Value : never;

/** Name and address of the maximum length: seven lines on a letter. */
export const LONG_NAME = {
  first_name: 'María de los Ángeles',
  last_name: 'Fernández-Güemes Ocaña von Württemberg-Hohenzollern',
};
export const LONG_ADDRESS = {
  street_line_1: '12750 Bulevar Noroeste de la República, Edificio C, Torre Norte',
  street_line_2: 'Apartamento 1204, al cuidado de Ximena Núñez y Echegaray de la Torre',
  city: 'Ponce',
  state: 'PR',
  postal_code: '00730',
};

export const formatCents = (amount: number) => new Big(amount).div(100).toFixed(2);

/** A loan with these terms, approved on January 15, whose borrower reads that language. */
export async function newDocumentReader(stage: Stage, language: Language, wish: LoanWish) {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const person = { ...LONG_NAME, language_preference: language, ssn_last_four: '6789' };
  const borrower_id = (await officer.post('/borrowers', person)).body.id as string;
  await officer.post(`/borrowers/${borrower_id}/addresses`, LONG_ADDRESS);
  const terms = {
    borrower_id,
    principal_amount: formatCents(wish.cents),
    interest_rate: new Big(wish.basis_points).div(10_000).toFixed(4),
    term_months: wish.term_months,
  };
  const { id } = await newLoan(tenant, { ...terms, status: 'approved' });
  const ask = async (path: string) => (await officer.get(path)).body;
  const done = async (path: string, body: object = {}) => {
    const reply = await officer.post(path, body);
    if (reply.status > 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const path = `/loans/${id}`;
  const number = (await ask(path)).loan_number as string;
  const loan = { terms, id, path, number, borrower_id };
  return { tenant, language, wish, ...loan, ask, done, ...expectedFormats(language) };
}
export type DocumentReader = Awaited<ReturnType<typeof newDocumentReader>>;
