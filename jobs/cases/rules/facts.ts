import { z } from 'zod';
import { date, flag, text, uuid } from '../../../sql/types.ts';

/** Types of cases whose facts have legal effect. Such a case needs facts. */
export const LEGAL_TYPES = [
  ...(['bankruptcy', 'servicemember', 'deceased', 'identity_theft', 'cease_and_desist'] as const),
  ...(['attorney_representation', 'disaster', 'protection'] as const),
] as const;
export type LegalType = (typeof LEGAL_TYPES)[number];

/** Chapters of the Bankruptcy Code under which a person or family business files. */
export const CHAPTERS = ['7', '11', '12', '13', 'unknown'] as const;
export type Chapter = (typeof CHAPTERS)[number];

const CHANNELS = ['phone', 'email', 'letter', 'portal', 'in_person', 'agency', 'other'] as const;

const chapter = z.enum(CHAPTERS);
const channel = z.enum(CHANNELS).optional().describe('How it reached you.');
const note = text.optional();
const LIST_MAX = 50;
const loanIds = z
  .array(uuid)
  .max(LIST_MAX)
  .refine((ids) => new Set(ids).size === ids.length, 'Names a loan twice.')
  .optional();

/** What every kind of facts may say. */
const common = {
  known_date: date.optional().describe('When you learned of it. Default: the business date.'),
  estimated_dates: z
    .array(z.string().max(60))
    .max(10)
    .optional()
    .describe(
      'The names of dates that are not confirmed, such as `petition_date`. While the list is not empty, a task asks for them.',
    ),
};

const Bankruptcy = z.strictObject({
  ...common,
  chapter: chapter.describe('The chapter of the petition. `unknown` until you know it.'),
  petition_date: date
    .optional()
    .describe('When the petition was filed. The automatic stay begins (11 USC 362).'),
  conversions: z
    .array(
      z.strictObject({
        date: date.describe('The day of the conversion.'),
        chapter: chapter.describe('The new chapter.'),
      }),
    )
    .max(5)
    .optional()
    .describe('Conversions to another chapter.'),
  plan_confirmation_date: date.optional().describe('When the court confirmed the plan.'),
  discharge_date: date
    .optional()
    .describe(
      'When the court discharged the debtor. The stay ends; the debt must not be collected.',
    ),
  dismissal_date: date.optional().describe('When the court dismissed the petition. The stay ends.'),
  closing_date: date.optional().describe('When the court closed its case. The stay ends.'),
  relief_from_stay: z
    .array(
      z.strictObject({
        loan_id: uuid.describe('The loan.'),
        date: date.describe('The day of the order.'),
        includes_codebtors: flag
          .optional()
          .describe(
            'Whether the order also lifts the stay for the other people who owe the loan (11 USC 1201(c) and 1301(c)). Default: false.',
          ),
      }),
    )
    .max(LIST_MAX)
    .optional()
    .describe('Loans for which the court lifted the stay (11 USC 362(d)).'),
  codebtor_stay_lifted_date: date
    .optional()
    .describe(
      'When the stay for the other people who owe the loans ended before the petition did (11 USC 1201 and 1301). For business debts, the petition date.',
    ),
  reaffirmations: z
    .array(
      z.strictObject({
        loan_id: uuid.optional().describe('The loan. Default: every loan of the case.'),
        filed_date: date.describe('When the agreement was filed with the court.'),
        rescinded_date: date.optional().describe('When the debtor rescinded the agreement.'),
      }),
    )
    .max(LIST_MAX)
    .optional()
    .describe('Debts that the debtor reaffirmed (11 USC 524(c)).'),
  excepted_loan_ids: loanIds.describe('Loans that the discharge does not cover (11 USC 523).'),
  proof_of_claim_deadline: date
    .optional()
    .describe('The last day to file a proof of claim. Default: 70 days after the petition.'),
  proof_of_claim_filed_date: date.optional().describe('When you filed the proof of claim.'),
  court: note.describe('The court and district.'),
  court_case_number: note.describe("The court's number of the case."),
  joint_debtor_id: uuid.optional().describe('The borrower who filed jointly (11 USC 302).'),
  attorney_id: uuid.optional().describe("The debtor's attorney, a legal representative."),
  trustee_id: uuid.optional().describe('The trustee, a legal representative.'),
});

const Servicemember = z.strictObject({
  ...common,
  service_from: date.describe('The first day of active duty.'),
  service_to: date.optional().describe('The last day of active duty.'),
  orders_received_date: date
    .optional()
    .describe(
      'When a reservist received the orders, if that was before the service began. Protection begins on that day (50 USC 3917).',
    ),
  notice_received_date: date
    .optional()
    .describe('When you received the written notice and the orders (50 USC 3937(b)(1)).'),
  is_rate_capped: flag
    .optional()
    .describe(
      'Whether interest is capped at 6 percent. Default: true. False if a court decided otherwise (50 USC 3937(c)).',
    ),
  mortgage_loan_ids: loanIds.describe(
    'Loans secured by a mortgage. Their protection lasts one year longer (50 USC 3937(a)(1)(A) and 3953).',
  ),
  evidence: z
    .enum(['orders', 'database', 'letter_of_commander', 'other'])
    .optional()
    .describe(
      'What proves the service. `database`: a status report of the Defense Manpower Data Center.',
    ),
  certificate_id: note.describe('The number of the status report.'),
});

const Deceased = z.strictObject({
  ...common,
  date_of_death: date.describe('The day of death.'),
  evidence: z
    .enum(['death_certificate', 'court', 'family', 'obituary', 'database', 'other'])
    .optional()
    .describe('What proves the death.'),
  representative_id: uuid
    .optional()
    .describe('The representative of the estate, a legal representative of the borrower.'),
});

const IdentityTheft = z.strictObject({
  ...common,
  report_type: z
    .enum(['police_report', 'ftc_affidavit', 'other_report'])
    .optional()
    .describe('The kind of identity theft report.'),
  report_number: note.describe('The number of the report.'),
  report_received_date: date
    .optional()
    .describe(
      'When you had the complete report: proof of identity, a copy of the report, and which information is false. You must not report the debt from then on (15 USC 1681s-2(a)(6)(B)).',
    ),
  bureaus_notified_date: date
    .optional()
    .describe('When you confirmed that the credit bureaus block the information.'),
  released_date: date
    .optional()
    .describe('When the block ended, because the report was wrong (15 USC 1681c-2(c)).'),
});

const CeaseAndDesist = z.strictObject({
  ...common,
  received_date: date.describe(
    'When you received the written demand to stop all communication (15 USC 1692c(c)).',
  ),
  withdrawn_date: date.optional().describe('When the borrower withdrew the demand.'),
  channel,
});

const AttorneyRepresentation = z.strictObject({
  ...common,
  representative_id: uuid.describe(
    "The attorney, a legal representative of the borrower. The representative's own dates decide about contacts.",
  ),
  letter_received_date: date.optional().describe('When you received the letter of representation.'),
});

const Disaster = z.strictObject({
  ...common,
  from: date.describe('The first day on which the borrower was affected.'),
  to: date.optional().describe('The last day of your relief.'),
  declaration: note.describe('The number of the declaration, such as DR-4834.'),
});

const Protection = z.strictObject({
  ...common,
  name: z
    .string()
    .max(40)
    .regex(/^[a-z0-9_]+$/, 'Must be a name of the setting cases.protections.')
    .describe('Which of the protections in the setting `cases.protections` applies.'),
  from: date.describe('The first day.'),
  to: date.optional().describe('The last day.'),
});

const Dispute = z.strictObject({
  ...common,
  received_date: date.describe('When you received the dispute.'),
  channel,
  kind: z
    .enum(['credit_report', 'billing_error', 'debt_validation', 'other'])
    .optional()
    .describe('What is disputed. It decides about the deadlines.'),
  more_information_date: date
    .optional()
    .describe(
      'When the consumer sent more information, which adds 15 days (15 USC 1681i(a)(1)(B)).',
    ),
  acknowledged_date: date.optional().describe('When you acknowledged it in writing.'),
  answered_date: date.optional().describe('When you answered it.'),
});

const Complaint = z.strictObject({
  ...common,
  received_date: date.describe('When you received the complaint.'),
  channel,
  regulator: z
    .enum(['cfpb', 'ftc', 'occ', 'fdic', 'ncua', 'state', 'attorney_general', 'bbb', 'none'])
    .optional()
    .describe('Who forwarded it. `none`: it came from the borrower.'),
  regulator_reference: note.describe("The regulator's number of the complaint."),
  response_deadline: date
    .optional()
    .describe(
      'The last day for your first answer. Default: 15 days after it was received from the CFPB, otherwise 30 days.',
    ),
  responded_date: date.optional().describe('When you first answered.'),
  final_response_date: date.optional().describe('When you gave the final answer.'),
});

/** The facts of each type of case. Types without an entry have none. */
export const FACTS = {
  bankruptcy: Bankruptcy,
  servicemember: Servicemember,
  deceased: Deceased,
  identity_theft: IdentityTheft,
  cease_and_desist: CeaseAndDesist,
  attorney_representation: AttorneyRepresentation,
  disaster: Disaster,
  protection: Protection,
  dispute: Dispute,
  credit_report_dispute: Dispute,
  complaint: Complaint,
} as const;
export type FactType = keyof typeof FACTS;
export type FactsOf<Type extends FactType> = z.output<(typeof FACTS)[Type]>;
export type Facts = FactsOf<FactType>;

export const hasFacts = (type: string): type is FactType => Object.hasOwn(FACTS, type);
export const isLegal = (type: string): type is LegalType =>
  LEGAL_TYPES.some((known) => known === type);

/** Types about a person as such. They concern all loans, and a person has one open case of each. */
const PERSONAL_TYPES: readonly string[] = [
  'bankruptcy',
  'servicemember',
  'deceased',
] satisfies LegalType[];
export const isPersonal = (type: string) => PERSONAL_TYPES.includes(type);
