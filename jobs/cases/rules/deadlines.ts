import { isBusinessDay } from '../../banks/bank-calendar.ts';
import { addDays } from '../../dates.ts';
import type { Facts, FactsOf, FactType } from './facts.ts';

/** What must be done by a day. */
export type Deadline = {
  deadline: (typeof DEADLINES)[number];
  last_day: string;
  /** The day on which staff should do it, some days before it lapses. */
  due_date: string;
};

export const DEADLINES = [
  ...(['file_proof_of_claim', 'expect_notice_of_service', 'confirm_block'] as const),
  ...(['acknowledge_billing_error', 'answer_dispute', 'answer_complaint'] as const),
  'give_final_answer',
] as const;

/** Days after the petition to file a proof of claim, except in chapter 11 (Fed. R. Bankr. P. 3002(c)). */
const PROOF_OF_CLAIM_DAYS = 70;
/** Days after the service in which a servicemember may still ask for the cap (50 USC 3937(b)(1)). */
const NOTICE_OF_SERVICE_DAYS = 180;
/** Business days after a complete identity theft report until the information is blocked (15 USC 1681c-2(a)). */
const BLOCK_BUSINESS_DAYS = 4;
/** Days to answer a dispute of reported information (15 USC 1681i(a)(1)(A) and 1681s-2(a)(8)(E)). */
const DISPUTE_DAYS = 30;
/** Additional days if the consumer sends more information (15 USC 1681i(a)(1)(B)). */
const MORE_INFORMATION_DAYS = 15;
/** Days to acknowledge and to settle a billing error of open-end credit (12 CFR 1026.13(c)). */
const BILLING_ERROR_DAYS = { acknowledge: 30, answer: 90 };
/** Days to answer a complaint, and a complaint that the CFPB forwards (its company portal: 15 days, then 60). */
const COMPLAINT_DAYS = { own: 30, cfpb: 15, cfpb_final: 60 };

/** Deadlines that are not met yet, from the earliest to the latest. Pure. */
export const deadlinesOf = (type: FactType, facts: Facts): Deadline[] =>
  openDeadlines(type, facts).toSorted((one, other) => (one.last_day < other.last_day ? -1 : 1));

function openDeadlines(type: FactType, facts: Facts): Deadline[] {
  switch (type) {
    case 'bankruptcy':
      return proofOfClaim(facts as FactsOf<'bankruptcy'>);
    case 'servicemember': {
      const { service_to, notice_received_date } = facts as FactsOf<'servicemember'>;
      if (!service_to || notice_received_date) return [];
      return [before('expect_notice_of_service', addDays(service_to, NOTICE_OF_SERVICE_DAYS), 14)];
    }
    case 'identity_theft': {
      const known = facts as FactsOf<'identity_theft'>;
      const { report_received_date, bureaus_notified_date, released_date } = known;
      if (!report_received_date || bureaus_notified_date || released_date) return [];
      const last_day = addBusinessDays(report_received_date, BLOCK_BUSINESS_DAYS);
      return [before('confirm_block', last_day, 1)];
    }
    case 'dispute':
    case 'credit_report_dispute':
      return disputes(facts as FactsOf<'dispute'>);
    case 'complaint':
      return complaints(facts as FactsOf<'complaint'>);
    default:
      return [];
  }
}

function proofOfClaim(facts: FactsOf<'bankruptcy'>): Deadline[] {
  const { chapter, petition_date, proof_of_claim_deadline, proof_of_claim_filed_date } = facts;
  const isOver = facts.discharge_date ?? facts.dismissal_date ?? facts.closing_date;
  if (proof_of_claim_filed_date || isOver) return [];
  const isUsual = petition_date !== undefined && chapter !== '11' && chapter !== 'unknown';
  const last_day =
    proof_of_claim_deadline ?? (isUsual ? addDays(petition_date, PROOF_OF_CLAIM_DAYS) : null);
  return last_day === null ? [] : [before('file_proof_of_claim', last_day, 14)];
}

function disputes(facts: FactsOf<'dispute'>): Deadline[] {
  const { received_date, acknowledged_date, answered_date, more_information_date } = facts;
  if (answered_date) return [];
  if (facts.kind !== 'billing_error') {
    const days = DISPUTE_DAYS + (more_information_date ? MORE_INFORMATION_DAYS : 0);
    return [before('answer_dispute', addDays(received_date, days), 5)];
  }
  const { acknowledge, answer } = BILLING_ERROR_DAYS;
  return [
    ...(acknowledged_date
      ? []
      : [before('acknowledge_billing_error', addDays(received_date, acknowledge), 5)]),
    before('answer_dispute', addDays(received_date, answer), 10),
  ];
}

function complaints(facts: FactsOf<'complaint'>): Deadline[] {
  const { received_date, regulator, responded_date, final_response_date } = facts;
  if (final_response_date) return [];
  const isCfpb = regulator === 'cfpb';
  const days = isCfpb ? COMPLAINT_DAYS.cfpb : COMPLAINT_DAYS.own;
  const last_day = facts.response_deadline ?? addDays(received_date, days);
  const final = addDays(received_date, COMPLAINT_DAYS.cfpb_final);
  return [
    ...(responded_date ? [] : [before('answer_complaint', last_day, 3)]),
    ...(isCfpb ? [before('give_final_answer', final, 7)] : []),
  ];
}

const before = (deadline: Deadline['deadline'], last_day: string, days: number): Deadline => ({
  deadline,
  last_day,
  due_date: addDays(last_day, -days),
});

function addBusinessDays(date: string, days: number): string {
  let day = date;
  for (let left = days; left > 0; left -= isBusinessDay(day) ? 1 : 0) day = addDays(day, 1);
  return day;
}
