import { z } from 'zod';
import type { Correctable } from '../../../../sql/loans/reporting/credit-corrections.ts';
import * as findings from '../../../../sql/loans/reporting/credit-findings.ts';
import {
  suppressRecord,
  type ReportedRecord,
} from '../../../../sql/loans/reporting/credit-reporting.ts';
import { prose } from '../../../../sql/types.ts';
import { Conflict } from '../../../errors.ts';
import type { Work } from '../../../work.ts';
import { brokenRules } from './check-furnished.ts';
import { accountLine, type Reporter } from '../metro2/write-metro2.ts';
import { readAccount, type FurnishedAccount } from '../metro2/read-metro2.ts';
import type { FurnishingRule } from './furnishing-rules/rule.ts';

/** The decisions about a finding. A withheld record is not sent. */
export const FINDING_STATUSES = ['open', 'accepted', 'withheld'] as const;

/** Replaces the reporter's settings. A file is not made without them, so the check does not need them. */
const ANY_REPORTER: Reporter = {
  reporter_name: 'ANY',
  reporter_address: 'ANY',
  reporter_phone: '',
  identification_number: 'ANYONE',
  innovis: '',
  equifax: '',
  experian: '',
  transunion: '',
};

/** The record as a bureau reads it: written in the format of the file, and read again. */
function asFurnished(record: ReportedRecord) {
  const period = String(record['reporting_period']);
  return readAccount(accountLine(record, ANY_REPORTER, `${period}T00:00:00`), period);
}

type Checked = { record_id: string; loan_id: string; reporting_period: string };

const describeFinding =
  (checked: Checked, { malformed }: FurnishedAccount) =>
  (rule: FurnishingRule) => ({
    ...checked,
    rule: rule.id,
    problem: rule.problem,
    fields: rule.fields.length > 0 ? rule.fields : malformed,
    may_be_right: rule.may_be_right ?? null,
  });

/** Checks the waiting records of a month for a slice of loans. Safe to repeat. */
export async function checkRecords(
  { tx }: Pick<Work, 'tx'>,
  period: string,
  slice: { after: string; last: string },
): Promise<void> {
  const found = (await findings.listComparisons(tx, period, slice)).flatMap(
    ({ id: record_id, loan_id, record, previous }) => {
      const account = asFurnished(record);
      const checked = { record_id, loan_id, reporting_period: period };
      return brokenRules(account, previous && asFurnished(previous)).map(
        describeFinding(checked, account),
      );
    },
  );
  if (found.length > 0) await findings.insertFindings(tx, found);
}

/** The rules that a corrected record breaks, and that the record did not break before. */
export function rulesBrokenByCorrection(
  record: ReportedRecord & { reporting_period: string; previous: ReportedRecord | null },
  changes: Record<string, unknown>,
) {
  const previous = record.previous && asFurnished(record.previous);
  const [before, account] = [asFurnished(record), asFurnished({ ...record, ...changes })];
  const known = new Set(brokenRules(before, previous));
  return { account, rules: brokenRules(account, previous).filter((rule) => !known.has(rule)) };
}

/** Stores the findings that a correction causes, each with a task. The corrected record is sent all the same. */
export async function checkCorrection(
  { tx, today }: Pick<Work, 'tx' | 'today'>,
  record: Correctable,
  { id: record_id, changes }: { id: string; changes: Record<string, unknown> },
): Promise<void> {
  const { account, rules } = rulesBrokenByCorrection(record, changes);
  if (rules.length === 0) return;
  const { loan_id, reporting_period } = record;
  const checked = { record_id, loan_id, reporting_period };
  await findings.insertFindings(tx, rules.map(describeFinding(checked, account)));
  await findings.openFindingTasks(tx, {
    period: reporting_period,
    due_date: today,
    title: 'Credit reporting: check a correction that breaks the rule %2$s for the month to %3$s',
    record_id,
  });
}

/** Opens a task per kind of finding in the month, after all records were checked. */
export const openFindingTasks = ({ tx, today }: Work, period: string) =>
  findings.openFindingTasks(tx, {
    period,
    due_date: today,
    title: 'Credit reporting: check %s records that break the rule %s for the month to %s',
  });

export const FindingDecision = z.object({
  notes: prose.nullish().describe('The reason for your decision.'),
});
type FindingDecision = z.output<typeof FindingDecision>;

export const alreadyWithheld = () =>
  new Conflict(
    'The record was withheld. The record of the next month replaces it.',
    'already_withheld',
  );
export const notQueued = (record_status: string) =>
  new Conflict(
    'The record is no longer waiting for a file. Correct a record that was sent with a dispute.',
    'not_queued',
    { record_status },
  );

/** States that the record is right. */
export async function acceptFinding({ tx, actor }: Work, id: string, { notes }: FindingDecision) {
  const { status } = await findings.lockCheckedRecord(tx, id);
  if (status === 'withheld') throw alreadyWithheld();
  const decision = { notes: notes ?? null, decided_by: actor.id };
  await findings.decideFinding(tx, id, { status: 'accepted', ...decision });
}

/**
 * Keeps the record out of the next file. It stays withheld, because the record of the next month replaces it.
 */
export async function withholdRecord({ tx, actor }: Work, id: string, { notes }: FindingDecision) {
  const { record_id, record_status, status } = await findings.lockCheckedRecord(tx, id);
  if (status === 'withheld') return;
  if (record_status !== 'queued') throw notQueued(record_status);
  await suppressRecord(tx, record_id, 'withheld');
  await findings.withholdFindings(tx, record_id, { notes: notes ?? null, decided_by: actor.id });
}
