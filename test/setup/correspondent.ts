import { addDays } from '../../jobs/dates.ts';
import { sql } from '../../sql/database/db.ts';
import { newLoan } from './loans.ts';
import { travelTo } from './queue.ts';
import { saveSettings } from './settings.ts';
import type { Stage, Tenant } from './world.ts';

const TEXT = '{{ borrower.name }}: You owe {{ loan.balance | currency }} on {{ today | date }}';

/** A tenant with its own template for every channel, and a borrower who can be reached on all of them. */
export async function newCorrespondent(stage: Stage) {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  await saveSettings(tenant, {
    branding: { address_line_1: '9 Old Street', support_phone: '+12025550100' },
  });
  const { id: loan_id, borrower_id } = await newLoan(tenant);
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'grace@example.com' });
  await officer.post(`/borrowers/${borrower_id}/phones`, { phone_number: '+12025550123' });
  const address = await officer.post(`/borrowers/${borrower_id}/addresses`, {
    street_line_1: '1 Main Street',
    city: 'Arlington',
    state: 'VA',
    postal_code: '22201',
  });
  const admin = await tenant.signedIn('admin');
  const template = async (channel: string): Promise<string> => {
    const wording = { name: `Balance by ${channel}`, template_type: 'custom', body: TEXT };
    const subject = channel === 'sms' ? {} : { subject: 'From {{ tenant.name }}' };
    const made = await admin.post('/communication-templates', { ...wording, channel, ...subject });
    return made.body.id;
  };
  return { tenant, admin, loan_id, borrower_id, address_id: address.body.id as string, template };
}

/** Words that appear in no letter before changeEverything(). */
export const CHANGED_WORDS = [
  'Ada',
  'Lovelace',
  '2 Side Street',
  'Another Lender',
  '8 New Street',
  'Reworded',
];

type CorrespondentFixture = Pick<
  Awaited<ReturnType<typeof newCorrespondent>>,
  'admin' | 'loan_id' | 'borrower_id' | 'address_id'
> & { tenant: Tenant };

/** Changes everything that a letter could show: the loan, both names, both addresses and the templates. */
export async function changeEverything(
  stage: Stage,
  ground: CorrespondentFixture,
  { words = true } = {},
) {
  const { tenant, admin, loan_id, borrower_id, address_id } = ground;
  const { officer } = tenant;
  const today = await tenant.within(async (work) => work.today);
  const done = [
    await officer.post(`/loans/${loan_id}/payments`, { amount: '500.00', payment_method: 'check' }),
    await officer.post(`/loans/${loan_id}/modifications`, {
      modification_type: 'rate_change',
      new_interest_rate: '0.04',
    }),
    await change(`/borrowers/${borrower_id}`, { first_name: 'Ada', last_name: 'Lovelace' }),
    await change(`/addresses/${address_id}`, { street_line_1: '2 Side Street' }),
  ];
  await saveSettings(tenant, {
    branding: { address_line_1: '8 New Street', support_phone: '+12025550199' },
  });
  await tenant.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update tenants set name = 'Another Lender' where id = app.current_tenant()
    `),
  );
  const templates = await admin.get('/communication-templates');
  for (const { id } of words ? (templates.body as { id: string }[]) : [])
    done.push(await change(`/communication-templates/${id}`, { body: 'Reworded' }, admin));
  const wordings = await admin.get('/document-wordings');
  for (const { id } of wordings.body as { id: string }[])
    done.push(await change(`/document-wordings/${id}`, { closing: 'Reworded' }, admin));
  await travelTo(stage, tenant, addDays(today, 30));
  done.push(await admin.post(`/loans/${loan_id}/charge-off`, { reason: 'fraud' }));
  const failed = done.find(({ status }) => status > 201);
  if (failed) throw new Error(JSON.stringify(failed.body));

  async function change(path: string, fields: object, as = officer) {
    const { body } = await as.get(path);
    return as.put(path, { ...body, ...fields });
  }
}
