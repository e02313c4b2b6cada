import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { answersTo, get, post, type Mistake } from '../setup/mistakes.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;
const viewer = await tenant.signedIn('viewer');
const loan = await newLoan(tenant);
const borrower = `/borrowers/${loan.borrower_id}`;
const anonymous = tenant.anonymous();

/** Mistakes that a developer makes in the first hours with an API. */
const MISTAKES: Mistake[] = [
  { what: 'A misspelled filter', request: get('/loans?statuss=active') },
  { what: 'A misspelled field in a JSON filter', request: get('/loans?filter={"borower_id":"x"}') },
  { what: 'A parameter of another API', request: get('/loans?page=2') },
  { what: 'A status that does not exist', request: get('/loans?status=open') },
  { what: 'A misspelled status', request: get(`/loans/${loan.id}/promises-to-pay?status=brokn`) },
  { what: 'A comparison that the type lacks', request: get('/loans?is_frozen__gte=true') },
  { what: 'A loan number instead of an id in a filter', request: get('/loans?borrower_id=LN-7') },
  { what: 'A date in another order', request: get('/loans?maturity_date__lte=01/31/2027') },
  { what: 'A filter that is not JSON', request: get('/loans?filter={status:active}') },
  { what: 'A filter that is a list', request: get('/loans?filter=["active"]') },
  { what: 'A sort that is not JSON', request: get('/loans?sort=created_at') },
  { what: 'A sort without a direction', request: get('/loans?sort=["created_at"]') },
  { what: 'A sort by an unknown field', request: get('/loans?ordering=-principle_balance') },
  { what: 'A range from the end to the start', request: get('/loans?range=[24,0]') },
  { what: 'A negative page size', request: get('/loans?limit=-5') },
  { what: 'A search in a list without one', request: get(`${borrower}/phones?q=555`) },
  {
    what: 'A misspelled parameter of a report',
    request: get(`/loans/${loan.id}/get-balances?as_of=2026-01-10`),
  },
  {
    what: 'A field of the body in the address',
    request: post(`/loans/${loan.id}/payments?amount=250.00`, {}),
  },
  { what: 'A path without its plural', request: get('/loan') },
  { what: 'A loan number instead of an id in the path', request: get('/loans/LN-2026-000001') },
  { what: 'A method that the path lacks', request: ['DELETE', `/loans/${loan.id}/payments`] },
  {
    what: 'A misspelled required field',
    request: post('/borrowers', { firstName: 'Ada', last_name: 'Byron' }),
  },
  {
    what: 'A number instead of a decimal string',
    request: post(`/loans/${loan.id}/payments`, { amount: 250 }),
  },
  {
    what: 'A rate in percent',
    request: ['PUT', `/loans/${loan.id}`, { interest_rate: '8.5' }],
  },
  {
    what: 'Several invalid fields',
    request: post('/borrowers', {
      first_name: '',
      last_name: 'Byron',
      date_of_birth: '1990-02-30',
      borrower_type: 'person',
      ssn_last_four: 1234,
    }),
  },
  { what: 'A body that is a list', request: post('/borrowers', []) },
  {
    what: 'A body that is not JSON',
    request: post('/borrowers', null),
    raw: '{"first_name": Ada}',
  },
  {
    what: 'A form instead of JSON',
    request: ['POST', '/borrowers', null, { 'Content-Type': 'application/x-www-form-urlencoded' }],
    raw: 'first_name=Ada',
  },
  {
    what: 'A payment on a loan that does not exist',
    request: post('/loans/00000000-0000-4000-8000-000000000000/payments', { amount: '250.00' }),
  },
  {
    what: 'A change without the CSRF header',
    request: ['POST', '/borrowers', { first_name: 'Ada' }, { 'X-CSRFToken': '' }],
  },
  { what: 'A request without a session', request: get('/loans'), client: anonymous },
  {
    what: 'A change by a user who may only read',
    request: post('/borrowers', { first_name: 'Ada', last_name: 'Byron' }),
    client: viewer,
  },
  {
    what: 'A second approval of a loan',
    request: post(`/loans/${loan.id}/approve`, {}),
  },
  {
    what: 'A product that does not exist',
    request: post('/loans', {
      borrower_id: loan.borrower_id,
      program_id: '00000000-0000-4000-8000-000000000000',
      product_id: '00000000-0000-4000-8000-000000000000',
      principal_amount: '10000.00',
      interest_rate: '0.085',
      term_months: 36,
    }),
  },
];

test('each of thirty and more mistakes gets an answer that says what is wrong and what to do', async () => {
  const named = { loan: loan.id, borrower: loan.borrower_id };
  const text = await answersTo(MISTAKES, officer, named);

  expect(MISTAKES.length).toBeGreaterThanOrEqual(30);
  console.info(text);
  await expect(text).toMatchFileSnapshot('thirty-mistakes.txt');
});
