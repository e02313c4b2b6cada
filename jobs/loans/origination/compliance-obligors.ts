import { Big } from 'big.js';
import type {
  LoanFacts,
  MilitaryReport,
  Obligor,
} from '../../../sql/loans/origination/compliance.ts';
import type { Condition } from '../../cases/rules/conditions.ts';
import { effectsInForce, type CaseSettings } from '../../cases/rules/effects.ts';
import { addDays, addMonths } from '../../dates.ts';
import { checkEach, percent, wrongIf, type Finding } from './compliance-finding.ts';

/** The compliance rules about the people who owe a loan. Each obligor is judged. */

/** Identity evidence is a record that someone verified and that is not expired. */
export const checkIdentity = ({ obligors }: LoanFacts, today: string): Finding =>
  checkEach(obligors, ({ identities }, who) => {
    const isExpired = (expires: string | null) => expires !== null && expires < today;
    const verified = identities.filter(({ status }) => status === 'verified');
    if (verified.some(({ expires }) => !isExpired(expires))) return null;
    if (verified.length > 0)
      return { wrong: `${who}'s verified identity has expired. Verify a current document.` };
    const statuses = identities.map(({ status }) => status);
    if (statuses.includes('failed'))
      return { wrong: `${who}'s identity could not be verified. Verify another document.` };
    if (statuses.includes('expired'))
      return { wrong: `${who}'s identity document has expired. Verify a current document.` };
    const remedy = 'Add an identity of the borrower with verification_status "verified".';
    return { unable: `${who} has no verified identity on file. ${remedy}` };
  });

/**
 * Electronic Signatures Act, 15 USC 7001(c): a consumer must consent before a written disclosure is given
 * electronically. The platform gives documents on paper to a person who prefers letters or switched off
 * emails, and electronically to everyone else.
 */
export const checkElectronicConsent = ({ obligors }: LoanFacts): Finding =>
  checkEach(obligors, ({ borrower_type, receives_paper, esign_consents }, who) => {
    if (borrower_type === 'business') return { notApplicable: `${who} is not a consumer.` };
    if (receives_paper) return { notApplicable: `${who} receives documents on paper.` };
    if (esign_consents.some(({ is_in_force }) => is_in_force)) return null;
    const remedy = 'Record a consent of type esign, or set preferred_channel to letter.';
    return esign_consents.length > 0
      ? { wrong: `${who}'s consent to electronic records is no longer in force. ${remedy}` }
      : { unable: `${who} has no consent to electronic records on file. ${remedy}` };
  });

export const checkAge = ({ obligors }: LoanFacts, today: string): Finding =>
  checkEach(obligors, ({ borrower_type, date_of_birth }, who) => {
    if (borrower_type === 'business') return { notApplicable: `${who} is a business.` };
    if (date_of_birth === null)
      return { unable: `${who}'s date of birth is not known. Add it to the borrower.` };
    return wrongIf(date_of_birth > addMonths(today, -18 * 12), `${who} is younger than 18.`);
  });

export const checkArchived = ({ obligors }: LoanFacts): Finding =>
  checkEach(obligors, ({ is_archived }, who) => wrongIf(is_archived, `${who} is archived.`));

/** Military Lending Act, 32 CFR 232.4(b): 36 percent for covered members and their dependents. */
const MLA_CAP = '0.36';
/** 32 CFR 232.5(b)(3): a creditor may check the status up to 30 days before the application. */
const MLA_DAYS = 30;

/**
 * A rate within the cap passes whoever the borrower is. Otherwise a servicemember case or the newest report of
 * the military database decides. A report from after the loan was made does not count, because 32 CFR
 * 232.5(b)(2)(i)(B) prohibits looking back.
 */
export function checkMilitaryApr(loan: LoanFacts, today: string): Finding {
  const { mapr, obligors, applied_on, disbursement_date } = loan;
  if (mapr !== null && new Big(mapr).lte(MLA_CAP)) return null;
  const earliest = addDays(applied_on, -MLA_DAYS);
  const latest = disbursement_date ?? today;
  return checkEach(obligors, (obligor, who) => {
    if (obligor.borrower_type === 'business') return { notApplicable: `${who} is a business.` };
    const report = newestReport(
      obligor,
      'mla',
      ({ status_date }) => status_date >= earliest && status_date <= latest,
    );
    if (report?.result === 'covered' || isServing(obligor, latest)) {
      return {
        wrong:
          mapr === null
            ? 'The military annual percentage rate of a covered borrower cannot be computed.'
            : `${who} is a covered borrower, and the military annual percentage rate of ${percent(mapr)} is above 36 percent.`,
      };
    }
    if (report !== null) return null;
    const remedy = `Add a report of the Military Lending Act database from ${earliest} or later.`;
    return { unable: `${who}'s military status was not checked. ${remedy}` };
  });
}

/** Whether a servicemember case says that the person was on active duty on that day. */
const isServing = ({ duty_periods }: Obligor, day: string) =>
  duty_periods.some(({ from, until }) => from <= day && (until === null || day < until));

/** Servicemembers Civil Relief Act, 50 USC 3937: 6 percent on debts from before the service. */
const SCRA_CAP = '0.06';
/** A report says nothing about later days. Our choice: it counts for 90 days. */
const SCRA_DAYS = 90;

/** The person's servicemember case decides. Without one, the newest report of the military database does. */
export function checkMilitaryRate(
  loan: LoanFacts & { settings: CaseSettings },
  today: string,
): Finding {
  const { is_funded, current_rate, obligors, settings } = loan;
  if (!is_funded) return { notApplicable: 'The cap applies to debts from before the service.' };
  return checkEach(obligors, (obligor, who) => {
    const { borrower_type, conditions } = obligor;
    if (borrower_type === 'business') return { notApplicable: `${who} is a business.` };
    const { rate_cap } = effectsInForce(conditions as Condition[], settings);
    if (rate_cap !== null) {
      const message = `The rate is above ${percent(rate_cap)} while ${lowerFirst(who)} has a servicemember case.`;
      return wrongIf(new Big(current_rate).gt(rate_cap), message);
    }
    // A case without a cap: a court or the loan's date excludes it (50 USC 3937(a)(1) and (c)).
    if (new Big(current_rate).lte(SCRA_CAP) || isServing(obligor, today)) return null;
    const report = newestReport(obligor, 'scra', ({ status_date }) => status_date <= today);
    if (report !== null && isCapped(report, loan, today)) {
      return {
        wrong: `The rate is above 6 percent while ${lowerFirst(who)} is on active duty. Open a servicemember case.`,
      };
    }
    const earliest = addDays(today, -SCRA_DAYS);
    if (report !== null && report.status_date >= earliest) return null;
    const remedy = `Add a report of the SCRA database from ${earliest} or later.`;
    return { unable: `${who}'s military status was not checked. ${remedy}` };
  });
}

/** Whether the person serves now and took on the debt before the service. */
const isCapped = (
  { result, active_duty_from, active_duty_until }: MilitaryReport,
  { disbursement_date }: LoanFacts,
  today: string,
) =>
  result === 'active_duty' &&
  (active_duty_until === null || active_duty_until >= today) &&
  (active_duty_from === null || disbursement_date === null || active_duty_from > disbursement_date);

/** The newest report about the person, by the day for which it states the status. */
const newestReport = (
  { military_reports }: Obligor,
  database: MilitaryReport['database'],
  counts: (report: MilitaryReport) => boolean,
): MilitaryReport | null =>
  military_reports
    .filter((report) => report.database === database && counts(report))
    .reduce<MilitaryReport | null>(
      (newest, report) =>
        newest === null || report.status_date >= newest.status_date ? report : newest,
      null,
    );

const lowerFirst = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);
