import { z } from 'zod';
import { Invalid } from '../../jobs/errors.ts';
import {
  applicationFields,
  recordApplication,
  applicationExists,
} from '../../jobs/portal/hardship.ts';
import {
  APPLICATION_STATUSES,
  approveApplication,
  Denial,
  denyApplication,
  InfoRequest,
  reliefFields,
  requestInformation,
  startReview,
  withdrawApplication,
  Withdrawal,
  applicationDecided,
  reliefNotInForce,
} from '../../jobs/portal/hardship-decisions.ts';
import type { Work } from '../../jobs/work.ts';
import { applications as table, RELIEFS, type Relief } from '../../sql/portal/hardship.ts';
import { date, signedMoney, timestamps, timestamp, uuid } from '../../sql/types.ts';
import type { Resource } from '../endpoints/declaration.ts';
import { omitFields } from '../endpoints/body-schemas.ts';
import { createRecord } from '../endpoints/record-operations.ts';
import { action, resource } from '../endpoints/resource.ts';
import { HttpRefusal } from '../http/errors.ts';
import { deferments } from '../loans/deferments.ts';
import { forbearances } from '../loans/forbearances.ts';
import { modifications } from '../loans/modifications.ts';
import { paymentPlans } from '../loans/payment-plans.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

const RELIEF_RESOURCES: Record<Relief, Resource> = {
  forbearance: forbearances,
  deferment: deferments,
  modification: modifications,
  payment_plan: paymentPlans,
};
const termsSchema = (kind: Relief) =>
  omitFields(RELIEF_RESOURCES[kind].creation, 'loan_id', 'hardship_application_id')
    .nullish()
    .describe(
      `The terms of a new ${kind.replace('_', ' ')}, with the fields and rules of POST /loans/{id}/${RELIEF_RESOURCES[kind].declaration.path}.`,
    );

const Approval = z.object({
  ...reliefFields,
  forbearance: termsSchema('forbearance'),
  deferment: termsSchema('deferment'),
  modification: termsSchema('modification'),
  payment_plan: termsSchema('payment_plan'),
});

/** Reports errors in the terms of relief for the field that contains the terms. */
const reliefCreator =
  (work: Work, applicationId: string) => async (kind: Relief, loan_id: string, terms: object) => {
    const link = kind === 'forbearance' ? { hardship_application_id: applicationId } : {};
    try {
      const row = await createRecord(work, RELIEF_RESOURCES[kind].declaration, {
        ...terms,
        ...link,
        loan_id,
      });
      if (row instanceof HttpRefusal) throw row;
      return row.id;
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      const errors = Object.entries(error.errors).map(([field, words]) => [
        `${kind}.${field}`,
        words,
      ]);
      throw new Invalid(Object.fromEntries(errors) as Record<string, string>);
    }
  };

export const hardshipApplications = resource({
  name: 'HardshipApplication',
  about:
    "A borrower's request for relief from payments. Collectors review it, loan officers decide it.",
  path: 'hardship-applications',
  area: 'portal',
  table,
  read: 'collector',
  write: 'collector',
  offers: ['list', 'read', 'create'],

  fields: {
    id: uuid.readonly(),
    application_number: z
      .string()
      .readonly()
      .describe('The number of the application, to quote in letters.'),
    borrower_id: uuid.readonly(),
    borrower_name: z.string().readonly(),
    case_id: uuid.readonly(),
    assigned_to: uuid.nullable().readonly().describe('Who works on its case.'),
    ...applicationFields,
    monthly_surplus: signedMoney
      .nullable()
      .readonly()
      .describe(
        'Monthly income minus monthly expenses. Negative if expenses are higher. Null if one is missing.',
      ),
    status: z.enum(APPLICATION_STATUSES).readonly().describe('How far the application is.'),
    source: z
      .enum(['portal', 'agent'])
      .readonly()
      .describe('Whether the borrower applied in the portal or staff recorded it.'),
    decision: z
      .enum(['approved', 'denied'])
      .nullable()
      .readonly()
      .describe('What was decided. Null until then.'),
    decision_reason: z
      .string()
      .nullable()
      .readonly()
      .describe('Why it was decided so. Null until then.'),
    decided_by: uuid.nullable().readonly().describe('The user who decided. Null until then.'),
    decided_at: timestamp.nullable().readonly().describe('When it was decided. Null until then.'),
    resulting_type: z
      .enum(RELIEFS)
      .nullable()
      .readonly()
      .describe('The kind of relief that was granted. Null if none was.'),
    resulting_id: uuid
      .nullable()
      .readonly()
      .describe('The id of that relief. Null if none was granted.'),
    resulting_status: z
      .string()
      .nullable()
      .readonly()
      .describe('The present status of that relief. Null if none was granted.'),
    contacts_paused_until: date
      .nullable()
      .readonly()
      .describe('Collection contact is paused until this date. Null: it was not paused.'),
    submitted_at: timestamp.readonly().describe('When the borrower applied.'),
    ...timestamps,
  },
  filters: [
    ...(['borrower_id', 'loan_id', 'case_id', 'assigned_to', 'hardship_type'] as const),
    ...(['requested_action', 'status', 'source', 'resulting_type', 'submitted_at'] as const),
  ],

  conflicts: {
    create: () => [applicationExists()],
  },
  create: recordApplication,
  actions: {
    review: action({
      allow: 'collector',
      summary: 'Start reviewing an application',
      description:
        'Sets the status to `under_review` and assigns the case of the application to you, unless it is assigned.',
      conflicts: () => [applicationDecided('denied', [])],
      run: startReview,
    }),
    'request-info': action({
      allow: 'collector',
      summary: 'Request more information from the borrower',
      description: 'Adds your message to the case of the application, where the borrower sees it.',
      conflicts: () => [applicationDecided('denied', [])],
      body: InfoRequest,
      run: requestInformation,
    }),
    approve: action({
      allow: 'loan_officer',
      summary: 'Approve an application with existing or new relief',
      description:
        'Name an existing relief of the loan, or send the terms of a new one, which is created in the same step under its usual rules. Notifies the borrower. A decision is final.',
      conflicts: () => [applicationDecided('denied', []), reliefNotInForce('canceled')],
      body: Approval,
      example: () => ({ resulting_type: 'forbearance', resulting_id: EXAMPLE_ID }),
      run: (work, id, input) => approveApplication(work, id, input, reliefCreator(work, id)),
    }),
    deny: action({
      allow: 'loan_officer',
      summary: 'Deny an application with a reason',
      description:
        'Notifies the borrower, who sees the reason and can apply again. A decision is final.',
      conflicts: () => [applicationDecided('denied', [])],
      body: Denial,
      run: denyApplication,
    }),
    withdraw: action({
      allow: 'collector',
      summary: "Withdraw an application at the borrower's request",
      description: 'Ends the application without a decision and resolves its case.',
      conflicts: () => [applicationDecided('denied', [])],
      body: Withdrawal,
      run: withdrawApplication,
    }),
  },
});
