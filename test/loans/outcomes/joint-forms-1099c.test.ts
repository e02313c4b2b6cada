import { expect, test } from 'vitest';
import { newBorrower } from '../../setup/joint-loans.ts';
import { newLoan } from '../../setup/loans.ts';
import { assertOk } from '../../setup/portal.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

type Form = Record<'id' | 'borrower_id' | 'status' | 'amount_discharged', string>;

const formsOf = async ({ officer }: Tenant, id: string) =>
  (await officer.get(`/loans/${id}/1099c?ordering=form_number`)).body as Form[];

const forgive = (tenant: Tenant, id: string, principal_forgiven = '700.00', more: object = {}) =>
  tenant.officer
    .post(`/loans/${id}/modifications`, {
      modification_type: 'principal_forgiveness',
      principal_forgiven,
      ...more,
    })
    .then(assertOk);

/** A loan with a co-borrower who has a taxpayer number. */
async function newJointDebt(
  tenant: Tenant,
  wish: Record<string, unknown> = {},
  role = 'co_borrower',
) {
  const { id, borrower_id } = await newLoan(tenant, wish);
  const other = await newBorrower(tenant, { ssn_last_four: '1111' });
  const party = await tenant.officer.post(`/loans/${id}/co-borrowers`, {
    borrower_id: other,
    role,
    liable_from: '2026-01-15',
  });
  return { id, borrower_id, other, party: String(assertOk(party)['id']) };
}

test.each([
  ['10000.00', 'co_borrower', 2],
  ['9999.99', 'co_borrower', 1],
  ['10000.00', 'co_signer', 1],
  ['10000.00', 'guarantor', 1],
])(
  'a forgiven debt of %s with a %s is reported on %i forms with the whole amount',
  async (principal_amount, role, count) => {
    const tenant = await stage.tenant('2026-01-15');
    const { id, borrower_id, other } = await newJointDebt(tenant, { principal_amount }, role);

    await forgive(tenant, id);

    const forms = await formsOf(tenant, id);
    expect(forms).toMatchObject(
      [
        { borrower_id, debtor_name: 'Grace Hopper', debtor_tin_last_four: '6789' },
        { borrower_id: other, debtor_name: 'Ada Byron', debtor_tin_last_four: '1111' },
      ]
        .slice(0, count)
        .map((form) => ({ ...form, amount_discharged: '700.00', status: 'generated' })),
    );
    const { body: copies } = await tenant.officer.get(`/documents?loan_id=${id}&ordering=id`);
    const printed = copies.filter(({ filename }: Form & { filename: string }) =>
      filename.startsWith('form-1099c'),
    );
    expect(printed.map((copy: Form) => copy.borrower_id)).toEqual(
      forms.map((form) => form.borrower_id),
    );
  },
);

test('the forms of joint debtors are corrected and voided together with the debt', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newJointDebt(tenant);
  await forgive(tenant, id);
  const [primary, joint] = await formsOf(tenant, id);
  assertOk(
    await tenant.officer.put(`/forms-1099c/${primary?.id}`, { ...primary, status: 'filed' }),
  );

  const more = await forgive(tenant, id, '300.00');
  const corrected = await formsOf(tenant, id);
  assertOk(await admin.post(`/modifications/${String(more['id'])}/reverse`, {}));
  const restored = await formsOf(tenant, id);

  expect(corrected.filter(({ status }) => status === 'generated')).toMatchObject([
    { amount_discharged: '1000.00', is_corrected: true, corrects_form_id: primary?.id },
    { amount_discharged: '1000.00', is_corrected: true, corrects_form_id: joint?.id },
  ]);
  const inForce = restored.filter(({ status }) => !['void', 'corrected'].includes(status));
  expect(inForce.map(({ amount_discharged }) => amount_discharged)).toEqual(['700.00', '700.00']);
});

test('a co-borrower who was released before the forgiveness gets no form', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const before = await newJointDebt(tenant);
  const mistaken = await newJointDebt(tenant);
  const after = await newJointDebt(tenant);
  const release = (party: string, reason: string) =>
    tenant.officer.post(`/co-borrowers/${party}/release`, { reason }).then(assertOk);

  await release(before.party, 'divorce');
  await forgive(tenant, before.id);
  await forgive(tenant, mistaken.id);
  await release(mistaken.party, 'entered_in_error');
  await forgive(tenant, after.id);
  const late = await newBorrower(tenant, { ssn_last_four: '2222' });
  assertOk(
    await tenant.officer.post(`/loans/${after.id}/co-borrowers`, {
      borrower_id: late,
      role: 'co_borrower',
    }),
  );

  expect(await formsOf(tenant, before.id)).toMatchObject([{ borrower_id: before.borrower_id }]);
  expect(await formsOf(tenant, mistaken.id)).toMatchObject([
    { borrower_id: mistaken.borrower_id, status: 'generated' },
    { borrower_id: mistaken.other, status: 'void' },
  ]);
  expect((await formsOf(tenant, after.id)).map(({ borrower_id }) => borrower_id)).toEqual([
    after.borrower_id,
    after.other,
    late,
  ]);
});

test('without a taxpayer number the form waits as a draft with a task', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const borrower_id = await newBorrower(tenant);
  const { id } = await newLoan(tenant, { borrower_id });
  const silent = await newLoan(tenant, { borrower_id });
  const generate = async (form: Form | undefined, more: object = {}) =>
    officer.put(`/forms-1099c/${form?.id}`, { ...form, status: 'generated', ...more });
  const openTasks = async (form: Form | undefined) =>
    (await officer.get(`/tasks?related_id=${form?.id}&status=open`)).body as unknown[];

  await forgive(tenant, id);
  await forgive(tenant, silent.id);
  const [draft] = await formsOf(tenant, id);
  const [other] = await formsOf(tenant, silent.id);
  const waiting = await openTasks(draft);
  const early = await generate(draft);
  const future = await generate(draft, { tin_requested_on: '2026-01-16' });
  const asked = await generate(other, { tin_requested_on: '2026-01-15' });
  assertOk(await officer.put(`/borrowers/${borrower_id}`, { ssn_last_four: '4444' }));
  const generated = await generate(draft);

  expect(draft).toMatchObject({ status: 'draft', debtor_tin_last_four: null, document_id: null });
  expect(waiting).toMatchObject([
    {
      title: expect.stringContaining('Get the taxpayer number for form 1099C-2026'),
      description: expect.stringMatching(/in writing.*Form W-9.*50\.00/),
      borrower_id,
      due_date: '2026-02-14',
      priority: 'high',
    },
  ]);
  expect(early).toMatchObject({ status: 409, body: { code: 'tin_missing' } });
  expect(future).toMatchObject({
    status: 422,
    body: { errors: { tin_requested_on: expect.stringContaining('after') } },
  });
  expect(asked.body).toMatchObject({ status: 'generated', debtor_tin_last_four: null });
  expect(generated.body).toMatchObject({ status: 'generated', debtor_tin_last_four: '4444' });
  expect(await openTasks(draft)).toEqual([]);
  const { rows } = await stage.owner.query(
    "select template_data ->> 'debtor_tin_last_four' as digits from documents where id = $1",
    [asked.body.document_id],
  );
  expect(rows).toEqual([{ digits: null }]);
});

test('the form of a debtor who has died waits until staff decide about the estate', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, other } = await newJointDebt(tenant);
  assertOk(await tenant.officer.put(`/borrowers/${other}`, { is_deceased: true }));

  await forgive(tenant, id);

  const [primary, joint] = await formsOf(tenant, id);
  expect([primary?.status, joint?.status]).toEqual(['generated', 'draft']);
  const { body: tasks } = await tenant.officer.get(`/tasks?related_id=${joint?.id}`);
  expect(tasks).toMatchObject([{ title: expect.stringMatching(/^Check who receives form/) }]);
  const voided = await tenant.officer.delete(`/forms-1099c/${joint?.id}`);
  expect(voided.body.status).toBe('void');
  const { body: closed } = await tenant.officer.get(`/tasks?related_id=${joint?.id}`);
  expect(closed).toMatchObject([{ status: 'canceled' }]);
});

test('a manual form needs its event, its date and a debtor, and nothing is guessed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id, other, borrower_id } = await newJointDebt(tenant);
  const stranger = await newBorrower(tenant);
  const path = `/loans/${id}/1099c`;
  const form = { identifiable_event_code: 'G', identifiable_event_date: '2026-01-10' };

  const empty = await tenant.officer.post(path, {});
  const wrong = await tenant.officer.post(path, {
    ...form,
    amount_discharged: '700.00',
    tax_year: 2025,
  });
  const foreign = await tenant.officer.post(path, {
    ...form,
    amount_discharged: '700.00',
    borrower_id: stranger,
  });
  await admin.post(`/loans/${id}/charge-off`, { reason: 'bankruptcy', force: true });
  const bankrupt = { identifiable_event_code: 'A', identifiable_event_date: '2026-01-15' };
  const unnamed = await tenant.officer.post(path, bankrupt);
  const discharged = await tenant.officer.post(path, { ...bankrupt, borrower_id: other });
  const uncoded = await tenant.officer.post(path, {});
  const single = await tenant.officer.post(path, { ...form, borrower_id: other });
  const rest = await tenant.officer.post(path, form);
  const again = await tenant.officer.post(path, form);

  expect(empty).toMatchObject({
    status: 422,
    body: {
      errors: {
        amount_discharged: expect.any(String),
        identifiable_event_date: expect.any(String),
        identifiable_event_code: expect.stringMatching(/A bankruptcy.*H other actual discharge/),
      },
    },
  });
  expect(wrong).toMatchObject({ status: 422, body: { errors: { tax_year: expect.any(String) } } });
  expect(foreign).toMatchObject({
    status: 422,
    body: { errors: { borrower_id: expect.any(String) } },
  });
  expect(Object.keys(uncoded.body.errors)).toEqual(['identifiable_event_code']);
  expect([single.body.borrower_id, rest.body.borrower_id]).toEqual([other, borrower_id]);
  expect(again).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  expect(unnamed.body.errors).toEqual({
    borrower_id: 'Is required: a bankruptcy discharges its debtor only.',
  });
  expect(discharged.body.borrower_id).toBe(other);
  expect(await formsOf(tenant, id)).toHaveLength(3);
});
