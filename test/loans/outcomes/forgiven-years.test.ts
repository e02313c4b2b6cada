import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';
import { pay, titlesOf } from '../history/conclusion-steps.ts';

const stage = await newStage();

const forgive = async (
  tenant: Tenant,
  id: string,
  principal_forgiven: string,
  more: object = {},
) => {
  const made = await tenant.officer.post(`/loans/${id}/modifications`, {
    modification_type: 'principal_forgiveness',
    principal_forgiven,
    ...more,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.id as string;
};

const formsOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}/1099c`)).body as Record<string, unknown>[];

test('reversing a forgiveness voids its form, and one that was already furnished is corrected', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [loan, told] = [await newLoan(tenant), await newLoan(tenant)];
  const first = await forgive(tenant, loan.id, '750.00');
  const second = await forgive(tenant, told.id, '750.00');
  const [form] = await formsOf(tenant, told.id);
  await tenant.officer.put(`/forms-1099c/${form?.['id']}`, { ...form, status: 'filed' });

  const reversed = await admin.post(`/modifications/${first}/reverse`, {});
  await admin.post(`/modifications/${second}/reverse`, {});

  expect(reversed.status, JSON.stringify(reversed.body)).toBe(200);
  expect(await formsOf(tenant, loan.id)).toMatchObject([
    { status: 'void', amount_discharged: '750.00' },
  ]);
  expect(await formsOf(tenant, told.id)).toMatchObject([
    { status: 'generated', amount_discharged: '0.00', is_corrected: true },
    { status: 'corrected', amount_discharged: '750.00' },
  ]);
  expect(await titlesOf(tenant)).toEqual([
    'Check form 1099-C of LN-2026-000001',
    'Check form 1099-C of LN-2026-000002',
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('the correction of a form that was sent is itself corrected, never voided', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  const [first, second] = [
    await forgive(tenant, id, '700.00'),
    await forgive(tenant, id, '500.00'),
  ];
  const [whole] = await formsOf(tenant, id);
  await tenant.officer.put(`/forms-1099c/${whole?.['id']}`, { ...whole, status: 'furnished' });

  await admin.post(`/modifications/${second}/reverse`, {});
  const [partial] = await formsOf(tenant, id);
  const voided = [
    await tenant.officer.delete(`/forms-1099c/${partial?.['id']}`),
    await tenant.officer.put(`/forms-1099c/${partial?.['id']}`, { ...partial, status: 'void' }),
  ];
  // The debtor never got the correction to 700.00, but still has the form of 1,200.00.
  await admin.post(`/modifications/${first}/reverse`, {});

  expect(whole).toMatchObject({ amount_discharged: '1200.00', was_sent: false });
  expect(partial).toMatchObject({ amount_discharged: '700.00', was_sent: true });
  for (const refused of voided)
    expect(refused).toMatchObject({ status: 409, body: { code: 'corrects_sent_form' } });
  expect((await formsOf(tenant, id)).slice(0, 3)).toMatchObject([
    {
      status: 'generated',
      amount_discharged: '0.00',
      is_corrected: true,
      was_sent: true,
      corrects_form_id: partial?.['id'],
    },
    { status: 'corrected', amount_discharged: '700.00' },
    { status: 'corrected', amount_discharged: '1200.00' },
  ]);
  expect((await tenant.officer.get('/tasks?status=open')).body).toContainEqual(
    expect.objectContaining({
      description: expect.stringContaining('Furnish and file the corrected form.'),
    }),
  );
  expect(await violationsIn(stage)).toEqual([]);
});

test('a December forgiveness entered in January creates the form of December’s year', async () => {
  const tenant = await stage.tenant('2025-12-10');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-09');

  await forgive(tenant, id, '2000.00', { effective_date: '2025-12-20' });
  await forgive(tenant, id, '100.00');

  expect(await formsOf(tenant, id)).toMatchObject([
    { tax_year: 2025, amount_discharged: '2000.00', identifiable_event_date: '2025-12-20' },
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a late-entered payment that preceded a full forgiveness corrects the form', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-20');
  await forgive(tenant, id, '10000.00');

  await pay(tenant, id, '3000.00', { payment_date: '2026-01-16' });

  const [form, before] = await formsOf(tenant, id);
  expect(before).toMatchObject({ status: 'corrected', amount_discharged: '10000.00' });
  expect(form).toMatchObject({ status: 'generated', is_corrected: true });
  expect(Number(form?.['amount_discharged'])).toBeLessThan(7003);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a settlement credit counts as forgiven debt, and a manual form waits for review', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [loan, byHand] = [await newLoan(tenant), await newLoan(tenant)];
  const credit = (id: string, amount: string) =>
    admin.post(`/loans/${id}/service-credits`, {
      amount,
      credit_type: 'settlement',
      reason: 'Agreed',
      apply_to: 'principal',
    });

  const given = await credit(loan.id, '800.00');
  const forms = await formsOf(tenant, loan.id);
  await admin.post(`/service-credits/${given.body.id}/reverse`, {});
  await tenant.officer.post(`/loans/${byHand.id}/1099c`, {
    amount_discharged: '25.00',
    identifiable_event_code: 'F',
    identifiable_event_date: '2026-01-15',
  });
  await credit(byHand.id, '700.00');

  expect(forms).toMatchObject([{ status: 'generated', amount_discharged: '800.00' }]);
  expect(await formsOf(tenant, loan.id)).toMatchObject([{ status: 'void' }]);
  expect(await formsOf(tenant, byHand.id)).toMatchObject([
    { source: 'manual', status: 'generated', amount_discharged: '25.00' },
  ]);
  expect(await titlesOf(tenant)).toContain('Check form 1099-C of LN-2026-000002');
});

test('a settlement whose payment bounces after the year’s end moves to the year of its new payment', async () => {
  const tenant = await stage.tenant('2025-12-30');
  const { officer } = tenant;
  const [{ id }, redated] = [await newLoan(tenant), await newLoan(tenant)];
  const settle = (loan: string) =>
    officer.post(`/loans/${loan}/payment-plans`, {
      plan_type: 'settlement',
      settlement_amount: '4000.00',
      installments: [{ due_date: '2025-12-30', amount: '4000.00' }],
      waive_remaining: true,
      grace_days: 10,
    });
  const payments: string[] = [];
  for (const loan of [id, redated.id]) {
    await settle(loan);
    payments.push(await pay(tenant, loan, '4000.00'));
  }
  await travelTo(stage, tenant, '2026-01-02');
  for (const loan of [id, redated.id]) {
    const [form] = await formsOf(tenant, loan);
    await officer.put(`/forms-1099c/${form?.['id']}`, { ...form, status: 'filed' });
  }
  await travelTo(stage, tenant, '2026-01-05');

  for (const payment of payments) {
    const body = { return_code: 'R01', waive_fee: true };
    expect((await officer.post(`/payments/${payment}/return`, body)).status).toBe(200);
  }
  const bounced = await formsOf(tenant, id);
  // One borrower pays again on the day. The other one's money had come in time, but by another way.
  await pay(tenant, id, '4000.00');
  await pay(tenant, redated.id, '4000.00', { payment_date: '2025-12-30' });
  await travelTo(stage, tenant, '2026-01-06');

  expect(bounced).toMatchObject([
    { tax_year: 2025, amount_discharged: '0.00', is_corrected: true, was_sent: true },
    { tax_year: 2025, amount_discharged: '6000.00', status: 'corrected' },
  ]);
  // The payment of January 5 first pays 13.97 of interest, so 6,013.97 of principal are forgiven.
  expect(await formsOf(tenant, id)).toMatchObject([
    {
      tax_year: 2026,
      amount_discharged: '6013.97',
      status: 'generated',
      is_corrected: false,
      identifiable_event_date: '2026-01-05',
    },
    { tax_year: 2025, amount_discharged: '0.00', status: 'generated' },
    { tax_year: 2025, amount_discharged: '6000.00', status: 'corrected' },
  ]);
  expect(await formsOf(tenant, redated.id)).toMatchObject([
    { tax_year: 2025, amount_discharged: '6000.00', status: 'generated', is_corrected: true },
    { tax_year: 2025, amount_discharged: '0.00', status: 'corrected' },
    { tax_year: 2025, amount_discharged: '6000.00', status: 'corrected' },
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});
