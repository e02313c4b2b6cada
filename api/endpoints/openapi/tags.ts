import type { Route } from '../route.ts';
import type { Json } from './schemas.ts';

type Tag = {
  name: string;
  title: string;
  description: string;
  /** The areas whose endpoints belong here, unless another tag lists their resource. */
  areas?: readonly string[];
  resources?: readonly string[];
};

/** The chapters of the API documentation, in the order in which a new reader needs them. */
const TAGS: readonly Tag[] = [
  {
    name: 'authentication',
    title: 'Authentication',
    description:
      'Signing in and out, passwords, second factors, single sign-on and your own sessions. A session lives in the cookie `sessionid`. Every request that changes something also sends the value of the cookie `csrftoken` in the header `X-CSRFToken`.',
    resources: ['auth'],
  },
  {
    name: 'programs-and-products',
    title: 'Programs and products',
    description:
      'What you lend. A product holds the terms of its loans: interest, schedule, fees and limits. A program groups products and says which compliance checks apply. A loan needs one of each.',
    resources: ['programs', 'products'],
  },
  {
    name: 'borrowers',
    title: 'Borrowers',
    description:
      'The people and businesses who borrow, with their contacts, identities, consents, payment instruments, autopay plans, notes and tasks.',
    areas: ['borrowers'],
  },
  {
    name: 'loans',
    title: 'Loans',
    description:
      'The life of a loan: create, approve, disburse, service, pay off, charge off or transfer. Balances, schedules and explanations of every figure. Loans of another servicer are boarded with their balances.',
    areas: ['loans'],
  },
  {
    name: 'payments',
    title: 'Payments',
    description:
      'Recording, previewing, reversing and returning payments, money in suspense, ACH files and payoff quotes. A payment is allocated by the rules of the loan’s product.',
    areas: ['payments'],
    resources: ['suspense', 'suspense-applications', 'payoff-quotes', 'autopay-draws'],
  },
  {
    name: 'fees-and-funding',
    title: 'Fees and funding',
    description:
      'Fees and service credits of a loan, its disbursements, and the draws of a line of credit.',
    resources: ['fees', 'service-credits', 'disbursements', 'draws'],
  },
  {
    name: 'workouts',
    title: 'Workouts',
    description:
      'Reliefs and changes agreed with a borrower: modifications, forbearances, deferments, payment plans, promises to pay and hardship applications.',
    resources: [
      'modifications',
      'forbearances',
      'deferments',
      'payment-plans',
      'promises-to-pay',
      'hardship-applications',
    ],
  },
  {
    name: 'collateral',
    title: 'Collateral',
    description:
      'What secures a loan, with its liens and valuations. A sale applies its proceeds to the loan.',
    areas: ['collateral'],
    resources: ['collateral'],
  },
  {
    name: 'credit-reporting-and-tax',
    title: 'Credit reporting and tax',
    description:
      'Metro 2 records and files for the credit bureaus, disputes, and forms 1099-C for canceled debt.',
    resources: [
      'credit-reporting-records',
      'credit-disputes',
      'credit-corrections',
      'credit-reporting-files',
      'credit-dispute-imports',
      'credit-dispute-import-lines',
      'credit-dispute-answer-files',
      'forms-1099c',
    ],
  },
  {
    name: 'documents',
    title: 'Documents',
    description:
      'Files of a loan or borrower: uploads, their review, generated letters and statements, and the wording of generated documents.',
    areas: ['documents'],
  },
  {
    name: 'communications',
    title: 'Communications',
    description:
      'Messages to borrowers by email, text message and letter, their templates and history, and the callbacks of the message providers.',
    areas: ['communications'],
  },
  {
    name: 'mailing',
    title: 'Mailing',
    description: 'Printed letters: batches for a mail house, their files and their delivery.',
    areas: ['mailing'],
  },
  {
    name: 'cases',
    title: 'Cases',
    description: 'Questions and requests of borrowers, with the messages of both sides.',
    areas: ['cases'],
  },
  {
    name: 'ledger',
    title: 'Ledger',
    description:
      'The double-entry general ledger: accounts, entries, statements, and the closing of periods and years. Loan events post to it by themselves.',
    areas: ['ledger'],
  },
  {
    name: 'portfolios',
    title: 'Portfolios and investors',
    description:
      'Groups of loans, their sale to investors, remittances, snapshots at the end of each day, and loan tapes.',
    areas: ['portfolios'],
    resources: ['sftp-servers'],
  },
  {
    name: 'books',
    title: 'Moving in and out',
    description:
      'Bringing the loans of another system with everything that belongs to them: upload a file, read what the check found, confirm its totals, and follow the boarding.',
    areas: ['books'],
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    description:
      'Subscriptions to events, the deliveries and their attempts, replays, and the rotation of secrets. The section on webhooks describes each event.',
    areas: ['webhooks'],
  },
  {
    name: 'approvals',
    title: 'Approvals',
    description:
      'Requests that wait for a second person. A tenant decides which kinds of requests need approval.',
    resources: ['approvals'],
  },
  {
    name: 'users-and-roles',
    title: 'Users and roles',
    description:
      'Staff and portal users, their roles, permissions and sessions, single sign-on providers, and the security log.',
    areas: ['users'],
  },
  {
    name: 'settings',
    title: 'Settings',
    description: 'The settings of the tenant and its logo.',
    resources: ['tenant'],
  },
  {
    name: 'portal',
    title: 'Borrower portal',
    description: 'What a signed-in borrower may see and do, limited to their own loans.',
    areas: ['portal'],
  },
  {
    name: 'sandbox',
    title: 'Sandbox',
    description:
      'Trying things out in a tenant for tests: move its date, return a payment as a bank would, and start again. All other tenants answer 403 `not_a_sandbox`.',
    resources: ['sandbox'],
  },
  {
    name: 'close-of-business',
    title: 'Close of business',
    description:
      'The processing at the end of a business date: it accrues interest, draws autopay payments, assesses late fees, ages loans and prints statements.',
    resources: ['jobs', 'jobs/runs'],
  },
  {
    name: 'operations',
    title: 'Operations',
    description: 'Background jobs, their failures and throughput, for those who run the platform.',
    areas: ['operations'],
  },
];

const byResource = new Map(
  TAGS.flatMap((tag) => (tag.resources ?? []).map((resource) => [resource, tag.name] as const)),
);
const byArea = new Map(
  TAGS.flatMap((tag) => (tag.areas ?? []).map((area) => [area, tag.name] as const)),
);

/** The tag that groups the endpoint in the API documentation. */
export const tagOf = ({ resource, tag: area }: Pick<Route, 'resource' | 'tag'>): string =>
  byResource.get(resource) ?? byArea.get(area) ?? area;

/** The tags of these routes with their introductions. An area without an introduction comes last. */
export function tagsOf(routes: readonly Route[]): Json[] {
  const used = new Set(routes.map(tagOf));
  const known = TAGS.filter(({ name }) => used.has(name));
  const others = [...used].filter((name) => !TAGS.some((tag) => tag.name === name));
  return [
    ...known.map(({ name, title, description }) => ({
      name,
      description,
      'x-displayName': title,
    })),
    ...others.map((name) => ({ name })),
  ];
}
