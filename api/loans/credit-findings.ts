import { z } from 'zod';
import {
  acceptFinding,
  alreadyWithheld,
  notQueued,
  FINDING_STATUSES,
  FindingDecision,
  withholdRecord,
} from '../../jobs/loans/reporting/checks/check-records.ts';
import { creditReportingFindings as table } from '../../sql/loans/reporting/credit-findings.ts';
import { date, text, timestamp, timestamps, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

/** Findings of the checks that run before a Metro 2 file is made. */
export const creditFindings = resource({
  name: 'CreditReportingFinding',
  path: 'credit-reporting-findings',
  about:
    'A contradiction in a credit record that waits for a file, found at the end of the month or caused by a correction. The rules are those of the public Metro 2 evaluator of the CFPB, and a few of our own.',
  area: 'loans',
  table,
  read: 'admin',
  write: 'admin',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    record_id: uuid.readonly().describe('The credit record.'),
    loan_id: uuid.readonly(),
    reporting_period: date
      .readonly()
      .describe('The last day of the month that the record reports.'),
    rule: text
      .readonly()
      .describe(
        'The rule that the record breaks, such as `Status-DOFD-1`. Rules that begin with Own are ours.',
      ),
    problem: text.readonly().describe('What is wrong.'),
    fields: z.array(z.string()).readonly().describe('The fields that contradict each other.'),
    may_be_right: text
      .nullable()
      .readonly()
      .describe('When the record may be right all the same. Null if it cannot be.'),
    status: z
      .enum(FINDING_STATUSES)
      .readonly()
      .describe(
        '`accepted` if the record is right, `withheld` if the record is kept out of its file.',
      ),
    notes: text.nullable().readonly().describe('The reason for the decision.'),
    decided_by: uuid.nullable().readonly().describe('The user who decided.'),
    decided_at: timestamp.nullable().readonly().describe('When it was decided.'),
    file_id: uuid.nullable().readonly().describe('The file that contains the record.'),
    ...timestamps,
  },
  filters: ['reporting_period', 'rule', 'status', 'loan_id', 'record_id', 'file_id'],
  actions: {
    accept: action({
      allow: 'admin',
      summary: 'Accept a finding',
      description:
        'States that the record is right although it breaks the rule. Answers 409 `already_withheld` if the record is kept out of its file.',
      body: FindingDecision,
      conflicts: () => [alreadyWithheld()],
      run: acceptFinding,
    }),
    withhold: action({
      allow: 'admin',
      summary: 'Withhold the record of a finding',
      description:
        'Keeps the record out of the next file. Cannot be undone: the record of the next month replaces it. Answers 409 `not_queued` if the record does not wait for a file.',
      body: FindingDecision,
      conflicts: () => [notQueued('reported')],
      run: withholdRecord,
    }),
  },
});
