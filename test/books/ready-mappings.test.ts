import { expect, test } from 'vitest';
import { readMapping } from '../../jobs/books/format/mapping/read-mapping.ts';
import { bookGuide } from '../../api/books/book-guide.ts';
import { readReadyMapping, readyMappings } from '../../templates/mappings.ts';
import { bookOf, csvOf, findingsOf } from '../setup/books.ts';

const ready = (name: string) => readReadyMapping(name) ?? '';

test.each(readyMappings())('the ready mapping %s has no mistake', (name) => {
  expect(readMapping(ready(name)).name).toMatch(/^\w/);
});

test('the guide to the book format has a mapping without mistakes, and every column', () => {
  const guide = bookGuide();
  const [, mapping = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];

  expect(Object.keys(readMapping(mapping).loans?.columns ?? {})).toHaveLength(13);
  expect(guide).toContain('| `paid_through_date` | date');
  expect(guide).toContain('| `payment_below_interest` | warning |');
});

/** Made-up loans in the columns of LoanStats_2018Q1.csv, with the lines around them. */
const LOAN_STATS = `Notes offered by Prospectus (https://www.lendingclub.com/info/prospectus.action)
"id","member_id","loan_amnt","funded_amnt","funded_amnt_inv","term","int_rate","installment","grade","sub_grade","emp_title","emp_length","home_ownership","annual_inc","verification_status","issue_d","loan_status","pymnt_plan","url","desc","purpose","title","zip_code","addr_state","dti","out_prncp","out_prncp_inv","total_pymnt","total_pymnt_inv","total_rec_prncp","total_rec_int","total_rec_late_fee","recoveries","collection_recovery_fee","last_pymnt_d","last_pymnt_amnt","next_pymnt_d","last_credit_pull_d"
"130954621","","5000","5000","5000"," 36 months"," 20.39%","186.82","D","D4","General Manager","6 years","RENT","50000","Source Verified","Mar-2018","Current","n","","","other","Other","740xx","OK","21.8","4785.22","4785.22","361.86","361.86","214.7754","147.08","0.0","0.0","0.0","May-2018","186.82","Jun-2018","May-2018"
"130964697","","15000","15000","15000"," 60 months"," 9.92%","318.1","B","B2","","n/a","MORTGAGE","196000","Not Verified","Mar-2018","Fully Paid","n","","","debt_consolidation","Debt, all of it","337xx","FL","20.2","0.0","0.0","15201.77","15201.77","15000.0","201.77","0.0","0.0","0.0","May-2018","14891","","May-2018"
"130955326","","12000","12000","12000"," 36 months"," 15.04%","416.3","C","C4","","","OWN","70000","Verified","Jan-2018","Charged Off","n","","","car","Car","331xx","FL","20.2","0.0","0.0","800.5","800.5","530.5","270","0.0","12.5","2.2","Mar-2018","416","","May-2018"
"130955327","","12000","12000","12000"," 36 months"," 15.04%","416.3","C","C4","","","OWN","70000","Verified","Jan-2018","Late (31-120 days)","n","","","car","Car","331xx","FL","20.2","11469.50","0.0","800.5","800.5","530.5","270","15.0","0.0","0.0","Mar-2018","416","Jun-2018","May-2018"

"Total amount funded in policy code 1: 46029615"
"Total amount funded in policy code 2: 0"
`;

test('loan files of Lending Club are read with their own columns', async () => {
  const book = bookOf({ 'LoanStats_2018Q1.csv': LOAN_STATS }, ready('lending-club'));

  const { rows, findings } = await findingsOf(book);

  expect(findings.map(({ line, code }) => [line, code])).toEqual([
    [1, 'lines_skipped'],
    [8, 'totals_line'],
    [9, 'totals_line'],
  ]);
  expect(rows.map(({ values }) => values)).toMatchObject([
    {
      loan_number: '130954621',
      borrower_state: 'OK',
      principal_amount: '5000.00',
      current_principal_balance: '4785.22',
      interest_rate: '0.2039',
      term_months: 36,
      payment_amount: '186.82',
      origination_date: '2018-03-01',
      next_due_date: '2018-06-01',
      status: 'active',
      source_status: 'Current',
      paid_principal: '214.78',
    },
    { status: 'paid_off', current_principal_balance: '0.00', term_months: 60 },
    { status: 'charged_off', charge_off_amount: '11469.50', recovered_amount: '12.50' },
    { status: 'active', paid_through_date: '2018-03-01', paid_late_fees: '15.00' },
  ]);
  expect(rows[3]?.values).not.toHaveProperty('next_due_date');
});

test('the data set of OpenIntro is read with its own columns', async () => {
  const record = {
    emp_title: 'global config engineer ',
    emp_length: '3',
    state: 'NJ',
    homeownership: 'MORTGAGE',
    annual_income: '90000',
    verified_income: 'Verified',
    months_since_last_delinq: 'NA',
    loan_purpose: 'moving',
    application_type: 'individual',
    loan_amount: '28000',
    term: '60',
    interest_rate: '14.07',
    installment: '652.53',
    grade: 'C',
    sub_grade: 'C3',
    issue_month: 'Mar-2018',
    loan_status: 'Current',
    balance: '27015.86',
    paid_total: '1999.33',
    paid_principal: '984.14',
    paid_interest: '1015.19',
    paid_late_fees: '0',
  };
  const late = { ...record, loan_status: 'Late (16-30 days)', balance: '2000.126' };
  const lost = { ...record, loan_status: 'Charged Off', balance: '0' };
  const csv = csvOf(record, late, lost);

  const { rows, places } = await findingsOf(
    bookOf({ 'loans_full_schema.csv': csv }, ready('lending-club-openintro')),
  );

  expect(places).toEqual([]);
  expect(rows.map(({ values }) => values)).toMatchObject([
    {
      loan_number: 'LC-00002',
      borrower_external_id: 'LC-B-00002',
      interest_rate: '0.1407',
      origination_date: '2018-03-01',
      current_principal_balance: '27015.86',
      purpose: 'moving',
      paid_principal: '984.14',
      paid_late_fees: '0.00',
      days_past_due_range: '0',
    },
    {
      loan_number: 'LC-00003',
      status: 'active',
      current_principal_balance: '2000.13',
      days_past_due_range: '16-30',
    },
    { loan_number: 'LC-00004', status: 'charged_off', charge_off_amount: '27015.86' },
  ]);
});

test('the loan data of Prosper is read with its own columns', async () => {
  const record = {
    ListingKey: '1021339766868145413AB3B',
    ListingNumber: '193129',
    ListingCreationDate: '2007-08-26 19:09:29.263000000',
    CreditGrade: 'C',
    Term: '36',
    LoanStatus: 'Current',
    ClosedDate: '',
    BorrowerAPR: '0.16516',
    BorrowerRate: '0.158',
    'ListingCategory (numeric)': '0',
    BorrowerState: 'CO',
    LoanKey: 'E33A3400205839220442E84',
    LoanOriginalAmount: '9425',
    LoanNumber: '19141',
    LoanOriginationDate: '2007-09-12 00:00:00',
    MemberKey: '1F3E3376408759268057EDA',
    MonthlyLoanPayment: '330.43',
    LP_CustomerPayments: '1000.56',
    LP_CustomerPrincipalPayments: '500.25',
    LP_InterestandFees: '500.31',
    LP_NetPrincipalLoss: '0',
    LP_NonPrincipalRecoverypayments: '0',
  };
  const csv = csvOf(
    record,
    { ...record, LoanNumber: '2', LoanStatus: 'Completed', MonthlyLoanPayment: '0.0' },
    { ...record, LoanNumber: '3', LoanStatus: 'Cancelled' },
    { ...record, LoanNumber: '4', LoanStatus: 'Defaulted', LP_NetPrincipalLoss: '8924.75' },
  );

  const { rows, places } = await findingsOf(
    bookOf({ 'prosperLoanData.csv': csv }, ready('prosper')),
  );

  expect(places).toEqual([]);
  expect(rows.map(({ values }) => values)).toMatchObject([
    {
      loan_number: '19141',
      interest_rate: '0.158',
      origination_date: '2007-09-12',
      current_principal_balance: '8924.75',
      payment_amount: '330.43',
    },
    { status: 'paid_off', current_principal_balance: '0.00' },
    { status: 'charged_off', current_principal_balance: '0.00', charge_off_amount: '8924.75' },
  ]);
});
