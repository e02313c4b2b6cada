import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStaff } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;

/** A borrower with a phone number, who owes a loan with an external id. */
async function personWithLoan(
  client: typeof officer,
  [first_name = '', middle_name, last_name = '']: (string | null)[],
  { last_four, phone, external_id }: { last_four: string; phone: string; external_id: string },
) {
  const loan = await newLoan(tenant, { status: 'pending', external_id }, client);
  const path = `/borrowers/${loan.borrower_id}`;
  await client.put(path, { first_name, middle_name, last_name, ssn_last_four: last_four });
  await client.post(`${path}/phones`, { phone_number: phone, is_primary: true });
  const { loan_number } = (await client.get(`/loans/${loan.id}`)).body as { loan_number: string };
  return { ...loan, loan_number };
}

const nora = await personWithLoan(officer, ['Nora', 'Jane', 'Whitfield'], {
  last_four: '7391',
  phone: '+12025550143',
  external_id: 'core-88421',
});
const wei = await personWithLoan(officer, ['Wei', null, 'Li'], {
  last_four: '0042',
  phone: '+442071838750',
  external_id: 'core-90017',
});
const cosigner = await officer.post('/borrowers', { first_name: 'Tomás', last_name: 'Ibarra' });
await officer.post(`/loans/${nora.id}/co-borrowers`, {
  borrower_id: cosigner.body.id,
  role: 'co_signer',
});

const NORA = nora.borrower_id;
const WEI = wei.borrower_id;

async function found(path: string, words: string, client = officer): Promise<string[]> {
  const { status, body } = await client.get(`${path}?q=${encodeURIComponent(words)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { id: string }[]).map(({ id }) => id);
}

test.each([
  ['a first and a last name', 'Nora Whitfield', [NORA]],
  ['a last and a first name', 'whitfield nora', [NORA]],
  ['a last name, a comma and a first name', 'Whitfield, Nora', [NORA]],
  ['all names', 'Nora Jane Whitfield', [NORA]],
  ['parts of names in any order', 'field jan', [NORA]],
  ['names of different people', 'Nora Li', []],
  ['two short names', 'wei li', [WEI]],
  ['two short names, the last one first', 'Li Wei', [WEI]],
  ['one short name', 'Li', [WEI]],
  ['a phone number as it is stored', '+12025550143', [NORA]],
  ['a phone number without the code of its country', '(202) 555-0143', [NORA]],
  ['a phone number without its area', '555-0143', [NORA]],
  ['the last four digits of a phone number', '0143', [NORA]],
  ['a phone number of another country', '020 7183 8750', []],
  ['its last digits', '7183 8750', [WEI]],
  ['the last four digits of a social security number', '7391', [NORA]],
  ['the number of a loan', nora.loan_number, [NORA, cosigner.body.id]],
  ['the end of the number of a loan', wei.loan_number.slice(-6), [WEI]],
  ['the beginning of the numbers of many loans', nora.loan_number.slice(0, 7), []],
])('borrowers are found by %s: %s', async (_, words, expected) => {
  expect(new Set(await found('/borrowers', words))).toEqual(new Set<string>(expected));
});

test.each([
  ['the number', nora.loan_number, [nora.id]],
  ['a part of the number', nora.loan_number.slice(3), [nora.id]],
  ['a part of the numbers of many', nora.loan_number.slice(0, 7), [nora.id, wei.id]],
  ['the external id', 'core-88421', [nora.id]],
  ['a part of the external id', 'CORE-', [nora.id, wei.id]],
  ['the names of the borrower', 'Whitfield, Nora', [nora.id]],
  ['a part of a name', 'hitfi', [nora.id]],
  ['a short name', 'li', [wei.id]],
  ['the name of a person who also owes it', 'ibarra tomás', [nora.id]],
  ['the phone number of the borrower', '555-0143', []],
])('loans are found by %s: %s', async (_, words, expected) => {
  expect(new Set(await found('/loans', words))).toEqual(new Set<string>(expected));
});

test('a released co-borrower, an archived phone and another tenant are not found', async () => {
  const other = await stage.tenant();
  const stranger = await other.officer.post('/borrowers', {
    first_name: 'Nora',
    last_name: 'Whitfield',
    ssn_last_four: '7391',
  });
  const phones = await officer.get(`/borrowers/${WEI}/phones`);
  await officer.delete(`/phones/${phones.body[0].id}`);

  expect(await found('/borrowers', '7183 8750')).toEqual([]);
  expect(await found('/borrowers', 'Nora Whitfield')).toEqual([NORA]);
  expect(await found('/borrowers', '7391', other.officer)).toEqual([stranger.body.id]);
  expect(await found('/loans', nora.loan_number, other.officer)).toEqual([]);
});

test('a user searches only by what the user may see', async () => {
  const staff = await newStaff(stage);
  const { superadmin } = staff;
  const created = await superadmin.post('/borrowers', {
    first_name: 'Nora',
    last_name: 'Whitfield',
    ssn_last_four: '7391',
  });
  const { id } = created.body as { id: string };
  await superadmin.post(`/borrowers/${id}/phones`, { phone_number: '+12025550143' });
  const before = [
    await found('/borrowers', '7391', staff.officer),
    await found('/borrowers', '555-0143', staff.officer),
  ];
  await staff.deny('borrowers', 'ssn_last_four');
  await staff.deny('phones', 'phone_number');

  expect(before).toEqual([[id], [id]]);
  expect(await found('/borrowers', '7391', staff.officer)).toEqual([]);
  expect(await found('/borrowers', '555-0143', staff.officer)).toEqual([]);
  expect(await found('/borrowers', 'Whitfield Nora', staff.officer)).toEqual([id]);
  expect(await found('/borrowers', '7391', superadmin)).toEqual([id]);
});

test('a user who may not see names finds loans by their numbers, but not by names', async () => {
  const staff = await newStaff(stage);
  const loan = await newLoan(staff.tenant, { status: 'pending' }, staff.superadmin);
  const { loan_number } = (await staff.superadmin.get(`/loans/${loan.id}`)).body;
  const before = await found('/loans', 'Hopper', staff.officer);
  await staff.deny('borrowers', 'last_name');

  expect(before).toEqual([loan.id]);
  expect(await found('/loans', 'Hopper', staff.officer)).toEqual([]);
  expect(await found('/loans', loan_number as string, staff.officer)).toEqual([loan.id]);
});

test('a search that matches more than 20,000 records is refused with what to do', async () => {
  const busy = await stage.tenant();
  await stage.owner.query(
    `insert into borrowers (tenant_id, first_name, last_name)
     select $1, 'Mary', 'Number ' || n from generate_series(1, 20001) as n`,
    [busy.id],
  );

  const broad = [
    await busy.officer.get('/borrowers?q=mary'),
    await busy.officer.get('/borrowers?q=m'),
    await busy.officer.get('/loans?q=number'),
  ];
  const narrow = await busy.officer.get('/borrowers?q=mary%2020001');
  await stage.owner.query("delete from borrowers where tenant_id = $1 and last_name = 'Number 7'", [
    busy.id,
  ]);
  // Each of these 20,000 is found by its full name and by its last name.
  await stage.owner.query('update borrowers set last_name = first_name where tenant_id = $1', [
    busy.id,
  ]);
  const exactly = await busy.officer.get('/borrowers?q=m');

  for (const reply of broad.slice(0, 2))
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: { q: expect.stringContaining('Search for more letters') } },
    });
  expect(broad[2]?.status).toBe(200);
  expect(narrow.headers['content-range']).toBe('borrowers 0-0/1');
  expect(exactly.headers['content-range']).toBe('borrowers 0-99/20000');
});
