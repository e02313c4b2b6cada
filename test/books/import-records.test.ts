import { expect, test } from 'vitest';
import { boardNextChunk } from '../../jobs/books/imports/board-chunk.ts';
import { stageBook } from '../../jobs/books/imports/stage-book.ts';
import { bookOf } from '../setup/books.ts';
import { dumpAllRows } from '../setup/dump-rows.ts';
import { importBookByHttp, lentTo, runImports, uploadBook, zipOf } from '../setup/imports.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const csv = (header: string, ...lines: string[]) => [header, ...lines].join('\n');

const LOANS = csv(
  'loan_number,borrower_external_id,principal_amount,current_principal_balance,interest_rate,term_months,payment_amount,origination_date,first_payment_date,paid_through_date,status,labels,officer_email,times_delinquent_30,payment_history_profile,external_id,source_status,charge_off_date,charge_off_amount,charge_off_reason,first_delinquency_date,last_payment_date',
  'L-1,P-1,10000.00,9000.00,0.085,36,315.68,2025-10-10,2025-11-10,2026-01-10,active,VIP|from old system,loan_officer@{slug}.test,2,000000000000000000000000,X-1,Current,,,,,2026-01-09',
  'L-2,P-2,5000.00,4000.00,0.1,24,230.73,2025-10-10,2025-11-10,2026-01-10,active,,nobody@elsewhere.test,,,,,,,,,',
  'L-3,P-1,3000.00,1500.00,0.1,24,138.43,2024-01-10,2024-02-10,,charged_off,,,,,,Charged off,2025-09-01,1500.00,bankruptcy,2025-03-10,',
);

const FILES = {
  'loans.csv': LOANS,
  'borrowers.csv': csv(
    'borrower_external_id,first_name,last_name,date_of_birth,ssn,language_preference,metadata',
    'P-1,Ada,Moreno,1980-02-03,412-68-7301,es,"{""segment"": ""A""}"',
    'P-2,Ben,Okafor,1990-05-06,234-56-7890,,',
    'P-3,Chloe,Sand,1985-07-08,,,',
    'P-4,Dev,Patel,1985-07-09,,,',
  ),
  'addresses.csv': csv(
    'borrower_external_id,address_type,street_line_1,city,state,postal_code,is_primary',
    'P-1,mailing,1 Old Street,Chicago,IL,60601,',
    'P-1,mailing,2 New Street,Chicago,IL,60602,true',
    'P-2,mailing,3 Main Street,Austin,TX,73301,',
  ),
  'emails.csv': csv('borrower_external_id,email', 'P-1,Ada@Example.test', 'P-1,ada2@example.test'),
  'phones.csv': csv('borrower_external_id,phone_number,phone_type', 'P-1,(312) 555-0123,home'),
  'consents.csv': csv(
    'borrower_external_id,consent_type,granted_at,revoked_at,revocation_method',
    'P-1,esign,2025-10-10,,',
    'P-1,tcpa_sms,2025-10-10,2025-12-01,agent',
  ),
  'identities.csv': csv(
    'borrower_external_id,identity_type,identifier,issuing_state',
    'P-1,drivers_license,M1234567,IL',
  ),
  'bank_accounts.csv': csv(
    'bank_account_id,borrower_external_id,routing_number,account_number,account_type,bank_name,status',
    'A-1,P-1,021000021,000871236540,checking,First Bank,',
    'A-2,P-2,021000021,9876543210,savings,First Bank,inactive',
  ),
  'co_borrowers.csv': csv('loan_number,borrower_external_id,role', 'L-1,P-3,co_signer'),
  'autopay.csv': csv(
    'loan_number,bank_account_id,amount_type,extra_amount,days_before_due,authorized_at',
    'L-1,A-1,minimum_due_plus,25.00,2,2025-10-11',
    'L-2,A-2,minimum_due,,,',
  ),
  'collateral.csv': csv(
    'collateral_id,loan_number,collateral_type,description,estimated_value,metadata',
    'C-1,L-1,vehicle,A red car,12000.00,"{""make"": ""Ford"", ""year"": 2020}"',
  ),
  'liens.csv': csv(
    'collateral_id,lien_type,filing_number,filing_date,lien_position',
    'C-1,ucc1,F-77,2025-10-12,1',
  ),
  'insurance.csv': csv('collateral_id,insured_until', 'C-1,2026-06-30', 'C-1,2026-09-30'),
  'promises.csv': csv(
    'loan_number,promised_on,promised_amount,promised_date,status',
    'L-1,2026-01-10,100.00,2026-01-20,',
    'L-1,2025-11-10,80.00,2025-11-20,broken',
  ),
  'notes.csv': csv(
    'borrower_external_id,loan_number,written_at,author,body',
    ',L-1,2025-12-24,E. Clerk,Called about the title.',
    'P-4,,2025-12-25,,Has no loan yet.',
  ),
  'cases.csv': csv(
    'case_id,borrower_external_id,case_type,subject,facts,status',
    'K-1,P-1,servicemember,Orders of the Army,"{""service_from"": ""2025-11-01""}",in_progress',
  ),
};

async function newLender() {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const files = { ...FILES, 'loans.csv': LOANS.replaceAll('{slug}', tenant.slug) };
  return { tenant, admin, officer: tenant.officer, files };
}

test('everything that belongs to a loan is boarded with it, from a zip', async () => {
  const { tenant, admin, officer, files } = await newLender();
  const sent = await uploadBook(admin, await zipOf(files), {}, 'book.zip');
  await runImports(stage);
  const checked = (await admin.get(`/imports/${sent.body.id}`)).body;
  const found = (await admin.get(`/imports/${sent.body.id}/findings`)).body;
  expect(checked, JSON.stringify(found)).toMatchObject({ status: 'checked', error_count: 0 });

  await admin.post(`/imports/${sent.body.id}/confirm`, {
    loan_count: 3,
    principal_total: '13000.00',
  });
  await runImports(stage);

  const done = (await admin.get(`/imports/${sent.body.id}`)).body;
  expect(done, done.failure_reason).toMatchObject({ status: 'boarded', loans_boarded: 3 });
  expect(done.boarded_totals).toEqual(done.control_totals);
  const list = async (path: string) => (await officer.get(path)).body as Record<string, unknown>[];
  const findOne = async (path: string) =>
    (await list(path))[0] as Record<string, unknown> & { id: string };
  const ada = await findOne('/borrowers?external_id=P-1');
  const ben = await findOne('/borrowers?external_id=P-2');
  const chloe = await findOne('/borrowers?external_id=P-3');
  const dev = await findOne('/borrowers?external_id=P-4');
  const loan = await findOne('/loans?loan_number=L-1');
  expect(ada).toMatchObject({
    first_name: 'Ada',
    date_of_birth: '1980-02-03',
    ssn_last_four: '7301',
    language_preference: 'es',
    metadata: { segment: 'A' },
  });
  expect(await list(`/borrowers/${ada.id}/addresses`)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ street_line_1: '2 New Street', is_primary: true }),
      expect.objectContaining({ street_line_1: '1 Old Street', is_primary: false }),
    ]),
  );
  expect(await list(`/borrowers/${ada.id}/emails`)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ email: 'ada@example.test', is_primary: true }),
      expect.objectContaining({ email: 'ada2@example.test', is_primary: false }),
    ]),
  );
  expect(await list(`/borrowers/${ada.id}/phones`)).toMatchObject([
    { phone_number: '+13125550123', phone_type: 'home', can_sms: false, is_primary: true },
  ]);
  const consents = await list(`/borrowers/${ada.id}/consents`);
  expect(consents).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ consent_type: 'esign', status: 'granted', source: 'import' }),
      expect.objectContaining({ consent_type: 'tcpa_sms', status: 'revoked' }),
      expect.objectContaining({ consent_type: 'autopay', granted_at: '2025-10-11T00:00:00.000Z' }),
    ]),
  );
  expect(await list(`/borrowers/${ada.id}/identities`)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ identity_type: 'ssn', identifier_last_four: '7301' }),
      expect.objectContaining({ identity_type: 'drivers_license', issuing_state: 'IL' }),
    ]),
  );
  const same = await officer.post('/borrower-identities/search', {
    identity_type: 'ssn',
    identifier: '412687301',
  });
  expect(same.body.borrower_ids).toEqual([ada.id]);
  expect(await list(`/borrowers/${ada.id}/payment-instruments`)).toMatchObject([
    { account_number_last_four: '6540', is_default: true, draw_blockers: ['not_verified'] },
  ]);
  expect(loan).toMatchObject({
    external_id: 'X-1',
    labels: ['vip', 'from old system'],
    loan_officer_id: tenant.userIds['loan_officer'],
    times_delinquent_30: 2,
    last_payment_date: '2026-01-09',
    metadata: { tape: { source_status: 'Current' } },
  });
  expect(await list(`/loans/${loan.id}/co-borrowers`)).toMatchObject([
    { borrower_id: chloe.id, role: 'co_signer', liable_from: '2025-10-10' },
  ]);
  expect(await list(`/autopay-plans?loan_id=${loan.id}`)).toMatchObject([
    {
      amount_type: 'minimum_due_plus',
      extra_amount: '25.00',
      next_due_date: '2026-02-10',
      // Active duty caps the rate at 6 percent, which lowers the installment of 315.68.
      next_draw_amount: '324.65',
      status: 'active',
    },
  ]);
  const [car] = await list(`/loans/${loan.id}/collateral`);
  expect(car).toMatchObject({ description: 'A red car', insured_until: '2026-09-30' });
  expect(await list(`/collateral/${String(car?.['id'])}/liens`)).toMatchObject([
    { filing_number: 'F-77', expiration_date: '2030-10-12', status: 'active' },
  ]);
  expect(await list(`/loans/${loan.id}/promises-to-pay`)).toMatchObject([
    { promised_amount: '100.00', status: 'pending' },
  ]);
  const notes = await list(`/borrowers/${ada.id}/notes`);
  expect(notes.map(({ body }) => body)).toEqual(
    expect.arrayContaining([
      'Called about the title.\n\nE. Clerk',
      'Promised 80.00 by 2025-11-20: broken.',
    ]),
  );
  expect(await list(`/borrowers/${dev.id}/notes`)).toMatchObject([{ body: 'Has no loan yet.' }]);
  expect(await findOne('/loans?loan_number=L-3')).toMatchObject({
    status: 'charged_off',
    charge_off_reason: 'bankruptcy',
  });
  // The case reaches every loan of the person.
  expect(await list(`/cases?borrower_id=${ada.id}`)).toMatchObject([
    { case_type: 'servicemember', status: 'in_progress' },
  ]);
  expect((await findOne('/loans?loan_number=L-1'))['sub_status']).toBe('active_duty');
  // Ben's account is inactive, and his officer is unknown: both are left out and named.
  expect(await list(`/autopay-plans?borrower_id=${ben.id}`)).toEqual([]);
  const warnings = (await admin.get(`/imports/${sent.body.id}/findings?severity=warning`)).body;
  expect(warnings).toMatchObject([
    { file: 'loans.csv', line: 3, column_name: 'officer_email', code: 'unknown_officer' },
    { file: 'autopay.csv', line: 3, column_name: 'bank_account_id', code: 'account_not_usable' },
  ]);
  expect(await violationsIn(stage)).toEqual([]);
  const kept = await dumpAllRows(stage.owner);
  for (const number of ['412-68-7301', '412687301', '000871236540', '9876543210', 'M1234567'])
    expect(kept).not.toContain(number);
});

test('what the rules of an area refuse about a record is found before anything is written', async () => {
  const { admin, files } = await newLender();
  const wrong = {
    ...files,
    'borrowers.csv': files['borrowers.csv'].replace('1980-02-03', '2015-02-03'),
    'addresses.csv': files['addresses.csv'].replace('Chicago,IL,60601', 'Chicago,Illinois,60601'),
    'liens.csv': files['liens.csv']
      .replace('filing_date,', 'filing_date,expiration_date,')
      .replace('2025-10-12,', '2025-10-12,2025-10-11,'),
    'autopay.csv': csv(
      'loan_number,bank_account_id,amount_type,authorized_at,start_date',
      'L-1,A-1,fixed,,',
      'L-1,A-1,minimum_due,2999-12-31,',
      'L-1,A-1,minimum_due,,9999-12-31',
    ),
    'cases.csv': files['cases.csv'].replace('""service_from""', '""served_from""'),
    'consents.csv': files['consents.csv'].replace('2025-12-01,agent', '2025-12-01,'),
  };

  const sent = await uploadBook(admin, await zipOf(wrong), {}, 'book.zip');
  await runImports(stage);

  const findings = (await admin.get(`/imports/${sent.body.id}/findings?severity=error`)).body;
  expect(
    findings.map((one: Record<string, unknown>) => [one['file'], one['line'], one['column_name']]),
  ).toEqual(
    expect.arrayContaining([
      ['borrowers.csv', 2, 'date_of_birth'],
      ['addresses.csv', 2, 'state'],
      ['liens.csv', 2, 'expiration_date'],
      ['autopay.csv', 2, 'fixed_amount'],
      ['autopay.csv', 3, 'authorized_at'],
      ['autopay.csv', 4, 'start_date'],
      ['cases.csv', 2, expect.stringContaining('facts')],
      ['consents.csv', 3, 'revocation_method'],
    ]),
  );
  expect((await admin.get('/loans')).body).toEqual([]);
});

test('a plan whose authorization was revoked is paused, and cannot be resumed', async () => {
  const { tenant, admin, officer, files } = await newLender();
  const revoked = {
    'loans.csv': files['loans.csv'],
    'borrowers.csv': files['borrowers.csv'],
    'bank_accounts.csv': files['bank_accounts.csv'],
    'autopay.csv': csv(
      'loan_number,bank_account_id,amount_type,authorized_at',
      'L-1,A-1,minimum_due,2025-10-11',
    ),
    'consents.csv': csv(
      'borrower_external_id,consent_type,granted_at,revoked_at,revocation_method',
      'P-1,autopay,2025-10-11,2025-12-01,agent',
    ),
  };

  const found = await importBookByHttp(
    stage,
    tenant,
    new Map(Object.entries(revoked).map(([name, text]) => [name, Buffer.from(text)])),
  );
  const plans = (await officer.get('/autopay-plans')).body as { id: string }[];
  const resumed = await admin.put(`/autopay-plans/${plans[0]?.id}`, { status: 'active' });

  expect(found).toContainEqual(
    expect.objectContaining({ file: 'autopay.csv', line: 2, code: 'authorization_revoked' }),
  );
  expect(plans).toMatchObject([{ status: 'paused', next_draw_date: null }]);
  expect(resumed).toMatchObject({ status: 409, body: { code: 'authorization_revoked' } });
});

test('an import that stops after its first loans leaves none of them without the protection of a case', async () => {
  const { tenant, admin, officer, files } = await newLender();
  const { id } = (await uploadBook(admin, await zipOf(files), {}, 'book.zip')).body as {
    id: string;
  };
  await runImports(stage);
  await stage.owner.query(`update imports set status = 'boarding' where id = $1`, [id]);
  const { within } = lentTo(stage);
  await stageBook(within, tenant.id, id, bookOf(files));

  await within(tenant.id, (work) => boardNextChunk(work, id, 1));

  expect((await officer.get('/loans')).body).toMatchObject([
    { loan_number: 'L-1', sub_status: 'active_duty' },
  ]);
  expect((await officer.get('/cases')).body).toMatchObject([{ case_type: 'servicemember' }]);
  for (let done = false; !done;)
    done = (await within(tenant.id, (work) => boardNextChunk(work, id, 1))).isComplete;
  expect((await officer.get('/cases')).body).toHaveLength(1);
});

test('a history is replayed from the day on which it begins, with the balances of that day', async () => {
  const { admin, officer } = await newLender();
  const files = {
    'loans.csv': csv(
      'loan_number,borrower_external_id,borrower_first_name,borrower_last_name,borrower_state,principal_amount,current_principal_balance,interest_rate,term_months,payment_amount,origination_date,first_payment_date,status,history_from,history_opening_principal,history_opening_paid_through_date',
      'H-1,P-9,Eve,Long,TX,1200.00,900.00,0,12,100.00,2025-10-01,2025-11-01,active,2025-12-15,1000.00,2025-12-01',
    ),
    'history.csv': csv(
      'loan_number,transaction_id,date,type,amount',
      'H-1,T-1,2026-01-01,payment,100.00',
    ),
  };
  const { id } = (await uploadBook(admin, await zipOf(files), {}, 'book.zip')).body;
  await runImports(stage);
  await admin.post(`/imports/${id}/confirm`, { loan_count: 1, principal_total: '900.00' });
  await runImports(stage);

  const done = (await admin.get(`/imports/${id}`)).body;
  const [loan] = (await officer.get('/loans?loan_number=H-1')).body;
  const pay = (effective_date: string) =>
    officer.post(`/loans/${loan.id}/payments`, { amount: '1.00', effective_date });

  expect(done, done.failure_reason).toMatchObject({ status: 'boarded' });
  expect(loan).toMatchObject({ principal_balance: '900.00', last_payment_date: '2026-01-01' });
  expect((await pay('2025-12-14')).body).toMatchObject({ code: 'before_boarding' });
  expect((await pay('2025-12-20')).status).toBe(201);
  expect(await violationsIn(stage)).toEqual([]);
});
