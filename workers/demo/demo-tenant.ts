import { createUser } from '../../jobs/users/create-user.ts';
import { addTenant } from '../../jobs/users/add-tenant.ts';
import { saveSettings } from '../../sql/tenants.ts';
import { defaultMessage } from '../../templates/messages.ts';
import { seedLetterhead } from '../seed/letterhead.ts';
import { signIn, type Client } from './client.ts';
import type { Platform } from './platform.ts';
import type { Receiver } from './receiver.ts';
import type { TapeRow } from './read-tape.ts';

export type DemoTenant = {
  tenant_id: string;
  slug: string;
  officer: Client;
  admin: Client;
  superadmin: Client;
  portfolios: readonly string[];
};

const SLUG = 'demo';
const NAME = 'Demo Loan Servicing';
/** The seed uses the same names, so the same users can look at the demo's results. */
const STAFF = {
  viewer: 'viewer',
  collector: 'collector',
  officer: 'loan_officer',
  admin: 'admin',
  superadmin: 'superadmin',
} as const;
export const DEMO_EMAILS = Object.keys(STAFF).map((name) => `${name}@demo.test`);

/** Days pass in seconds, so limits on contacts per day are off. */
const SETTINGS = {
  ...seedLetterhead(SLUG, NAME),
  communications: { suppression_hours: 0, weekly_cap: 100, from_email: 'service@demo.test' },
  webhooks: { allow_private_hosts: true },
};

/** The products' differences. Installments are rounded up to the cent, as the tape's lender does. */
const PRODUCTS = [
  { code: 'PERSONAL', name: 'Personal loan', late_fee_grace_days: 15 },
  { code: 'AUTO', name: 'Auto loan', late_fee_grace_days: 10 },
  { code: 'BUSINESS', name: 'Small business loan', late_fee_grace_days: 10 },
];
const LATE_FEE = { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '15.00' };

/** The code of the product that services the loan. */
export function productFor({ purpose }: Pick<TapeRow, 'purpose'>): string {
  if (purpose === 'car') return 'AUTO';
  return purpose === 'small_business' ? 'BUSINESS' : 'PERSONAL';
}

/** Creates the tenant with its users, products, portfolios, templates and one webhook subscription. */
export async function createDemoTenant(
  platform: Platform,
  receiver: Receiver,
  secret: string,
  { businessDate, password }: { businessDate: string; password: string },
): Promise<DemoTenant> {
  const { owner, within, origin } = platform;
  const tenant_id = await addTenant(owner, within, {
    slug: SLUG,
    name: NAME,
    business_date: businessDate,
    domains: ['127.0.0.1', 'localhost'],
  });
  await within(tenant_id, async (work) => {
    await saveSettings(work.tx, SETTINGS);
    for (const [first_name, tenant_role] of Object.entries(STAFF)) {
      const [email, last_name] = [`${first_name}@demo.test`, 'of the demo'];
      await createUser(work, { email, first_name, last_name, tenant_role, password });
    }
  });
  const [officer, admin, superadmin] = await Promise.all([
    signIn(origin, 'officer@demo.test', password),
    signIn(origin, 'admin@demo.test', password),
    signIn(origin, 'superadmin@demo.test', password),
  ]);
  await admin.post('/webhooks', { url: receiver.url, events: ['*'], secret }, 'webhook');
  await addProducts(admin);
  await addTemplate(admin);
  const portfolios = await addPortfolios(admin);
  return { tenant_id, slug: SLUG, officer, admin, superadmin, portfolios };
}

/** Adds the demo's products to the tenant's first program. */
export async function addProducts(admin: Client) {
  const [program] = await admin.get<{ id: string }[]>('/programs');
  for (const product of PRODUCTS) {
    const terms = { program_id: program?.id, installment_rounding: 'up', fee_rules: [LATE_FEE] };
    await admin.post('/products', { ...product, ...terms }, `product-${product.code}`);
  }
}

/** The tenant's own template for payment reminders. All other messages use the defaults. */
async function addTemplate(admin: Client) {
  const usual = defaultMessage('payment_reminder', 'email', 'en');
  if (!usual) return;
  const { template_type, channel, language, subject, body } = usual;
  const template = { name: 'Friendly reminder', template_type, channel, language, subject, body };
  await admin.post('/communication-templates', template, 'template');
}

async function addPortfolios(admin: Client): Promise<string[]> {
  const wanted = [
    { name: 'Coastal states', portfolio_type: 'dynamic', criteria: { state: ['CA', 'NY', 'FL'] } },
    { name: 'Large loans', portfolio_type: 'dynamic', criteria: { min_principal: '20000.00' } },
    { name: 'Hand-picked', portfolio_type: 'static' },
  ];
  const ids: string[] = [];
  for (const portfolio of wanted) {
    const { id } = await admin.post<{ id: string }>(
      '/portfolios',
      portfolio,
      portfolio.name.replaceAll(' ', '-'),
    );
    ids.push(id);
  }
  return ids;
}
