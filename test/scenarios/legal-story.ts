import { Big } from 'big.js';
import { expect } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import { openCase, correctCase } from '../setup/cases.ts';
import {
  creditRecords,
  makeReportable,
  REPORTER,
  runCreditReports,
} from '../setup/credit-reporting.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import type { Stage, Tenant } from '../setup/world.ts';

/** A loan of 12,000.00 at 12 percent (actual/365) whose borrower can be reached and is reported to bureaus. */

export const FUNDED = '2026-01-15';
const PRINCIPAL = '12000.00';
const RATE = '0.12';
/** 12,000.00 × 0.01 / (1 - 1.01^-24) */
export const INSTALLMENT = '564.88';

const LATE_FEE = {
  fee_type: 'late',
  calculation: 'flat',
  trigger: 'past_due',
  amount: '25.00',
  grace_days: 5,
};

type Body = Record<string, unknown>;

export async function newLegalStory(stage: Stage) {
  const tenant = await stage.tenant(FUNDED);
  const { officer } = tenant;
  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put('/tenant/settings', { credit_reporting: REPORTER });
  const product_id = await newProduct(tenant, { fee_rules: [LATE_FEE] });
  const loan = await newLoan(tenant, {
    product_id,
    principal_amount: PRINCIPAL,
    interest_rate: RATE,
    term_months: 24,
  });
  await reachable(tenant, loan.borrower_id, 'grace@example.com');
  const outside = Object.assign(newOutside(stage.pool), { files: stage.installation.files });

  const read = async (path: string) => (await officer.get(path)).body;
  const rows = async (path: string) => (await read(path)) as Body[];
  return {
    tenant,
    officer,
    superadmin,
    ...loan,
    read,
    rows,
    outside,
    open: openCase.bind(null, officer),
    correct: correctCase.bind(null, officer),
    travel: (day: string) => travelTo(stage, tenant, day),
    reachable: (id: string, email: string) => reachable(tenant, id, email),
    account: (id: string) => addBankAccount(officer, id),
    pay: async (amount: string, more: object = {}) => {
      const paid = await officer.post(`/loans/${loan.id}/payments`, { amount, ...more });
      expect(paid.status, JSON.stringify(paid.body)).toBe(201);
      return paid.body as Body;
    },
    enroll: async (borrowerId: string) => {
      const enrolled = await officer.post(`/borrowers/${borrowerId}/autopay-plans`, {
        loan_id: loan.id,
        payment_instrument_id: await addBankAccount(officer, borrowerId),
      });
      expect(enrolled.status, JSON.stringify(enrolled.body)).toBe(201);
      return String(enrolled.body.id);
    },
    /** Writes the file of the bank with the orders that wait. */
    sendOrders: async () => {
      const file = await superadmin.post('/nacha-files');
      expect(file.status, JSON.stringify(file.body)).toBe(201);
    },
    /** Tries to send a letter of each type. Returns the reasons against it. */
    tryMessages: async (borrowerId: string) => {
      const reasons: Record<string, string[]> = {};
      for (const template_type of TRIED) {
        const message = {
          borrower_id: borrowerId,
          loan_id: loan.id,
          channel: 'letter',
          template_type,
        };
        const { status, body } = await officer.post('/communications/send', message);
        expect([201, 409], JSON.stringify(body)).toContain(status);
        reasons[template_type] = status === 201 ? [] : body.reasons;
      }
      return reasons;
    },
    /** Prints and sends all that waits. Returns what left since the last call. */
    deliver: async () => {
      const before = [outside.pages.length, outside.mailbox.length, outside.texts.length];
      await runJobs(stage, outside, SENDING);
      return {
        pages: outside.pages.slice(before[0]),
        mails: outside.mailbox.slice(before[1]),
        texts: outside.texts.slice(before[2]),
      };
    },
    messages: (borrowerId: string) =>
      rows(`/communication-logs?borrower_id=${borrowerId}&ordering=created_at`),
    reports: async () => {
      await runCreditReports(stage);
      return (await creditRecords(tenant, loan.id)).toSorted((one, other) =>
        String(one['reporting_period']).localeCompare(String(other['reporting_period'])),
      );
    },
  };
}

const TRIED = ['past_due_notice', 'late_fee_notice', 'payment_reminder', 'payoff_letter'];
const SENDING = ['issue-statements', 'render-document', 'print-letter', 'send-communication'];

/** Adds an email address, a phone, a postal address and a date of birth. */
async function reachable(tenant: Tenant, borrowerId: string, email: string) {
  const path = `/borrowers/${borrowerId}`;
  await makeReportable(tenant, borrowerId);
  for (const [kind, body] of [
    ['emails', { email }],
    ['phones', { phone_number: '+12025550123', can_sms: true }],
  ] as const) {
    const added = await tenant.officer.post(`${path}/${kind}`, body);
    expect(added.status, JSON.stringify(added.body)).toBe(201);
  }
}

/**
 * What the loan owes at the start of a day if these amounts were paid, by the daily interest of its balance: a payment
 * pays the interest first. No fees.
 */
export function owedOn(day: string, paid: Readonly<Record<string, string>>) {
  let [principal, accrued, settled] = [new Big(PRINCIPAL), new Big(0), new Big(0)];
  for (let today = FUNDED; today < day; today = addDays(today, 1)) {
    const amount = paid[today];
    if (amount !== undefined) {
      const interest = accrued.round(2).minus(settled);
      settled = settled.plus(interest);
      principal = principal.minus(new Big(amount).minus(interest));
    }
    accrued = accrued.plus(principal.times(RATE).div(365));
  }
  const owed = accrued.round(2).minus(settled);
  return {
    principal_balance: principal.toFixed(2),
    accrued_interest: owed.toFixed(2),
    total_balance: principal.plus(owed).toFixed(2),
    outstanding_fees: '0.00',
  };
}
