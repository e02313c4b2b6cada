import { expect, test } from 'vitest';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { runImports, uploadBook } from '../setup/imports.ts';
import { newLoan } from '../setup/loans.ts';
import { answersTo, form, get, post, type Mistake } from '../setup/mistakes.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant('2026-01-15');
const { officer } = tenant;
const admin = await tenant.signedIn('admin');
const superadmin = await tenant.signedIn('superadmin');
const loan = await newLoan(tenant);
const stranger = await newLoan(tenant);

const BOOK = tapeText(tapeLine());
const checked = (await uploadBook(admin, BOOK)).body.id as string;
await runImports(stage);
const csv = (content: string, name = 'figures.csv') => ({ name, type: 'text/csv', content });
const FIGURES = csv('loan_number,as_of_date,principal\nT-1,2026-01-15,1.00');
const comparison = (await postForm(admin, '/reconciliations', multipartForm({}, [FIGURES]))).body
  .id as string;
const about = { borrower_id: loan.borrower_id, subject: 'A question', description: 'In words.' };
const asked = (await officer.post('/cases', { ...about, case_type: 'general' })).body.id as string;
const closed = (await officer.post('/cases', { ...about, case_type: 'general' })).body.id as string;
await officer.put(`/cases/${closed}`, { status: 'closed', resolution: 'Answered.' });
const bankruptcy = {
  case_type: 'bankruptcy',
  facts: { chapter: '13', petition_date: '2026-01-05' },
};
await officer.post('/cases', { ...about, ...bankruptcy });

const transfer = {
  direction: 'out',
  effective_date: '2026-03-01',
  servicer_name: 'Harbor Loan Services',
  servicer_address_line_1: '400 Harbor Street',
  servicer_address_line_2: 'Portland, ME 04101',
  servicer_phone: '+18005550142',
  loan_ids: [loan.id],
};

/** Mistakes of somebody who moves a portfolio in or out, or records cases, for the first time. */
const MISTAKES: Mistake[] = [
  { what: 'A book as JSON instead of a form', request: post('/imports', { file: 'loans.csv' }) },
  { what: 'A form without a file', ...form('/imports', { product_code: 'PL' }) },
  {
    what: 'A misspelled ready mapping',
    ...form('/imports', { mapping: 'lending club' }, csv(BOOK)),
  },
  {
    what: 'A warning that does not exist',
    ...form('/imports', { warnings_as_errors: 'odd_rate' }, csv(BOOK)),
  },
  {
    what: 'Totals that are numbers',
    request: post(`/imports/${checked}/confirm`, { loan_count: '1', principal_total: 9513.06 }),
  },
  {
    what: 'Totals of another file',
    request: post(`/imports/${checked}/confirm`, { loan_count: 2, principal_total: '100.00' }),
  },
  { what: 'Resuming an import that did not fail', request: post(`/imports/${checked}/resume`, {}) },
  {
    what: 'Findings by an unknown severity',
    request: get(`/imports/${checked}/findings?severity=fatal`),
  },
  { what: 'A tolerance in percent', ...form('/reconciliations', { tolerance: '1%' }, FIGURES) },
  {
    what: 'An accepted difference of an unknown kind',
    ...form('/reconciliations', { accepted_kinds: 'day_count,roundings' }, FIGURES),
  },
  {
    what: 'A sign-off before the comparison is done',
    request: post(`/reconciliations/${comparison}/sign-off`, { fingerprint: '0'.repeat(64) }),
    client: superadmin,
  },
  {
    what: 'A sign-off without the fingerprint',
    request: post(`/reconciliations/${comparison}/sign-off`, {}),
  },
  {
    what: 'A bankruptcy without facts',
    request: post('/cases', { ...about, case_type: 'bankruptcy' }),
  },
  {
    what: 'A second bankruptcy of the same borrower',
    request: post('/cases', { ...about, ...bankruptcy }),
  },
  {
    what: 'A case about the loan of somebody else',
    request: post('/cases', { ...about, case_type: 'complaint', loan_id: stranger.id }),
  },
  {
    what: 'Closing a case without a resolution',
    request: ['PUT', `/cases/${asked}`, { status: 'closed' }],
  },
  {
    what: 'A message to a closed case',
    request: post(`/cases/${closed}/messages`, { message: 'Hello.' }),
  },
  {
    what: 'An export of a portfolio and of a transfer at once',
    request: post('/book-exports', { portfolio_id: loan.id, servicing_transfer_id: loan.id }),
    client: superadmin,
  },
  {
    what: 'An export of a portfolio that does not exist',
    request: post('/book-exports', { portfolio_id: loan.id }),
    client: superadmin,
  },
  { what: 'An export by an admin', request: post('/book-exports', {}) },
  {
    what: 'A transfer too soon for the letters',
    request: post('/servicing-transfers', { ...transfer, effective_date: '2026-01-20' }),
  },
  {
    what: 'A transfer of no loans',
    request: post('/servicing-transfers', { ...transfer, loan_ids: undefined }),
  },
  {
    what: 'A transfer in of a loan that never had another servicer',
    request: post('/servicing-transfers', {
      ...transfer,
      direction: 'in',
      effective_date: '2026-01-10',
    }),
  },
  {
    what: 'A misspelled direction',
    request: post('/servicing-transfers', { ...transfer, direction: 'outgoing' }),
  },
];

test('each mistake when a portfolio moves gets an answer that says what is wrong and what to do', async () => {
  const named = {
    loan: loan.id,
    borrower: loan.borrower_id,
    'loan of somebody else': stranger.id,
    import: checked,
    reconciliation: comparison,
    case: asked,
    'closed case': closed,
  };
  const text = await answersTo(MISTAKES, admin, named);

  console.info(text);
  await expect(text).toMatchFileSnapshot('moving-mistakes.txt');
});
