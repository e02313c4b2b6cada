import { addAttorney, openCase } from './cases.ts';
import { makeReportable, REPORTER } from './credit-reporting.ts';
import { multipartForm, postForm } from './forms.ts';
import { newBorrower } from './joint-loans.ts';
import { newLoan } from './loans.ts';
import { addBankAccount } from './nacha.ts';
import { newProduct } from './products.ts';
import { secondSuperadmin } from './team.ts';
import type { Stage } from './world.ts';

/** Facts with words and days that occur nowhere else. Each case has its own borrower with a loan. */
const FACTS = {
  bankruptcy: {
    chapter: '13',
    petition_date: '2026-01-19',
    court: 'planted-court',
    court_case_number: 'planted-number',
  },
  servicemember: {
    service_from: '2026-01-20',
    evidence: 'database',
    certificate_id: 'planted-certificate',
  },
  deceased: { date_of_death: '2019-03-07', evidence: 'obituary' },
  identity_theft: {
    report_type: 'ftc_affidavit',
    report_number: 'planted-affidavit',
    report_received_date: '2019-05-09',
  },
  cease_and_desist: { received_date: '2019-06-11', channel: 'agency' },
  attorney_representation: { letter_received_date: '2019-07-12' },
  disaster: { from: '2026-01-20', declaration: 'planted-declaration' },
  protection: { name: 'planted_protection', from: '2026-01-20' },
  dispute: { received_date: '2019-09-14', channel: 'letter', kind: 'debt_validation' },
  credit_report_dispute: { received_date: '2019-10-15', channel: 'agency', kind: 'credit_report' },
  complaint: {
    received_date: '2019-08-13',
    regulator: 'cfpb',
    regulator_reference: 'planted-regulator',
  },
} as const;

/** What is planted, and nothing else. */
export const PLANTED = /planted[-_ ][a-z]+|2019-(03-07|05-09|06-11|07-12|08-13|09-14|10-15)/gi;
/** Words from which a reader concludes what a case is about. */
export const TELLING =
  /(planted|paper)[-_ ][a-z]+|2019-(03-07|05-09|06-11|07-12|08-13|09-14|10-15)|stay_\d+|discharged_|codebtor|identity.theft|deceased|active.duty|servicemember|bankrupt\w*|chapter.\d+|legal.condition|civil relief|rate.capped/gi;

export const wordsIn = (value: unknown, pattern: RegExp) => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return [...new Set(text.match(pattern) ?? [])];
};

const LATE_FEE = {
  fee_type: 'late',
  calculation: 'flat',
  trigger: 'past_due',
  amount: '25.00',
  grace_days: 1,
};

type Planted = { type: string; id: string; facts: object };

/**
 * A tenant with a joint loan for each type of case, and two superadmins: one who works, and one whom `deny` denies the facts
 * of cases. Every second case is about the co-borrower.
 */
export async function newPlantedTenant(stage: Stage) {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const denied = await secondSuperadmin(tenant, superadmin);
  await superadmin.put('/tenant/settings', {
    credit_reporting: REPORTER,
    webhooks: { allow_private_hosts: true },
    cases: {
      protections: ['planted_protection'],
      effects: {
        'protection:planted_protection': {
          late_fees: false,
          autopay: false,
          acceleration: false,
          statement: 'no_demand',
        },
      },
    },
  });
  const product_id = await newProduct(tenant, { fee_rules: [LATE_FEE] });
  const people: { loan_id: string; concerned_id: string; other_id: string }[] = [];
  for (const [at] of Object.keys(FACTS).entries()) {
    const loan = await newLoan(tenant, { product_id }, superadmin);
    const second_id = await newBorrower(tenant);
    const party = { borrower_id: second_id, role: 'co_borrower' };
    await superadmin.post(`/loans/${loan.id}/co-borrowers`, party);
    for (const person of [loan.borrower_id, second_id]) {
      await superadmin.post(`/borrowers/${person}/emails`, { email: 'reader@example.com' });
      await makeReportable(tenant, person);
    }
    await superadmin.post(`/borrowers/${loan.borrower_id}/autopay-plans`, {
      loan_id: loan.id,
      payment_instrument_id: await addBankAccount(superadmin, loan.borrower_id),
    });
    const [concerned_id, other_id] =
      at % 2 === 0 ? [loan.borrower_id, second_id] : [second_id, loan.borrower_id];
    people.push({ loan_id: loan.id, concerned_id, other_id });
  }

  /** Opens every case, each with a document as evidence. */
  async function open(): Promise<Planted[]> {
    const cases: Planted[] = [];
    for (const [at, [type, given]] of Object.entries(FACTS).entries()) {
      const { loan_id = '', concerned_id: borrower_id = '' } = people[at] ?? {};
      const facts =
        type === 'attorney_representation'
          ? { ...given, representative_id: await addAttorney(superadmin, borrower_id) }
          : given;
      const isDispute = type.endsWith('dispute');
      const paper = multipartForm({ loan_id, borrower_id, document_type: 'correspondence' }, [
        { name: `paper-${type}.pdf`, content: '%PDF-1.7 planted-scan' },
      ]);
      const document = await postForm(superadmin, '/documents', paper);
      const { id } = await openCase(superadmin, borrower_id, type, facts, {
        document_ids: [document.body.id],
        ...(isDispute && { loan_id }),
      });
      cases.push({ type, id, facts });
    }
    return cases;
  }

  /** Users cannot change their own access, and a superadmin cannot be denied by others. */
  const deny = () =>
    stage.owner.query(
      `insert into user_permissions (tenant_id, user_id, type, action, resource, record)
       values ($1, $2, 'deny', '*', 'cases', '{"facts": true}')`,
      [tenant.id, tenant.userIds['admin']],
    );
  return { tenant, superadmin, denied, people, open, deny };
}
