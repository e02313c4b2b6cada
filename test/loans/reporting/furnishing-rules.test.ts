import { expect, test } from 'vitest';
import {
  brokenRules,
  checkFiles,
  FURNISHING_RULES,
} from '../../../jobs/loans/reporting/checks/check-furnished.ts';
import type { FurnishedAccount } from '../../../jobs/loans/reporting/metro2/read-metro2.ts';

type Change = Partial<FurnishedAccount>;

/** A current installment loan at the end of March. */
const CURRENT: FurnishedAccount = {
  identification_number: 'ACME01',
  consumer_account_number: 'LN1',
  portfolio_type: 'I',
  account_type: '01',
  date_opened: '2026-01-15',
  credit_limit: 0n,
  highest_credit: 10_000n,
  terms_duration: '036',
  terms_frequency: 'M',
  scheduled_monthly_payment: 315n,
  actual_payment_amount: 315n,
  account_status: '11',
  payment_rating: '',
  payment_history_profile: `00${'B'.repeat(22)}`,
  special_comment: '',
  compliance_condition_code: '',
  current_balance: 9_500n,
  amount_past_due: 0n,
  original_charge_off_amount: 0n,
  date_of_account_information: '2026-03-31',
  date_first_delinquency: null,
  date_closed: null,
  date_last_payment: '2026-03-15',
  surname: 'HOPPER',
  first_name: 'GRACE',
  ecoa_code: '1',
  consumer_information_indicator: '',
  associated: [],
  change: null,
  purchased_or_sold: null,
  balloon_payment: null,
  activity_date: '2026-03-31',
  malformed: [],
};

const LATE: Change = {
  account_status: '71',
  amount_past_due: 315n,
  date_first_delinquency: '2026-02-15',
  actual_payment_amount: 0n,
};
const PAID: Change = {
  account_status: '13',
  payment_rating: '0',
  current_balance: 0n,
  scheduled_monthly_payment: 0n,
  date_closed: '2026-03-15',
  date_of_account_information: '2026-03-15',
};
const CHARGED_OFF: Change = {
  account_status: '97',
  amount_past_due: 9_500n,
  original_charge_off_amount: 9_500n,
  scheduled_monthly_payment: 0n,
  date_first_delinquency: '2026-02-15',
};
const LINE: Change = {
  portfolio_type: 'C',
  account_type: '15',
  credit_limit: 10_000n,
  terms_duration: 'LOC',
};
const TRANSFERRED: Change = {
  special_comment: 'AT',
  current_balance: 0n,
  amount_past_due: 0n,
  scheduled_monthly_payment: 0n,
  date_closed: '2026-03-10',
};
const FORECLOSED: Change = {
  portfolio_type: 'M',
  account_type: '26',
  account_status: '94',
  payment_rating: '6',
  amount_past_due: 9_500n,
  date_first_delinquency: '2026-02-15',
  date_closed: '2026-03-10',
};
const DISCHARGED: Change = {
  consumer_information_indicator: 'E',
  date_first_delinquency: '2026-02-20',
  amount_past_due: 315n,
  account_status: '71',
};
const RENUMBERED = (indicator: string, account_number: string, identification_number: string) => ({
  change: { indicator, account_number, identification_number },
});

const accountWith = (...changes: Change[]): FurnishedAccount =>
  Object.assign({}, CURRENT, ...changes);
/** The same account a month earlier. */
const before = (...changes: Change[]) =>
  accountWith(
    { activity_date: '2026-02-28', date_of_account_information: '2026-02-28' },
    { payment_history_profile: `0${'B'.repeat(23)}`, date_last_payment: '2026-02-15' },
    ...changes,
  );
const idsOf = (account: FurnishedAccount, previous: FurnishedAccount | null = null) =>
  brokenRules(account, previous).map(({ id }) => id);
const profile = (mark: string) => ({ payment_history_profile: `${mark}0${'B'.repeat(22)}` });

test('ordinary records break no rule', () => {
  const ordinary: Record<string, [Change[], Change[]?]> = {
    current: [[], []],
    'late for the first month': [[LATE], []],
    'late for the second month': [
      [LATE, { account_status: '78' }, profile('1')],
      [LATE, { date_of_account_information: '2026-02-28' }],
    ],
    paid: [[PAID], []],
    'charged off': [
      [CHARGED_OFF, profile('6')],
      [LATE, { account_status: '84' }],
    ],
    'a line of credit': [[LINE], [LINE]],
    'a joint account': [
      [{ ecoa_code: '2', associated: [{ ecoa_code: '2', consumer_information_indicator: '' }] }],
    ],
    foreclosed: [[FORECLOSED]],
    deferred: [[{ terms_frequency: 'D', scheduled_monthly_payment: 0n }]],
  };
  for (const [name, [now, then]] of Object.entries(ordinary))
    expect([name, ...idsOf(accountWith(...now), then ? before(...then) : null)]).toEqual([name]);
});

/** For each rule, a record that breaks it and, for a rule about two months, the record before. */
const BREAKING: Record<string, [Change[], Change[]?]> = {
  'Status-APD-1': [[{ amount_past_due: 5n }]],
  'Status-APD-2': [[LATE, { amount_past_due: 0n }]],
  'Status-APD-3': [[{ account_status: '96', account_type: '00' }]],
  'Status-Balance-1': [[PAID, { current_balance: 1n }]],
  'Status-Balance-2': [[LATE, { current_balance: 0n }]],
  'Status-Balance-3': [[{ account_status: '95', current_balance: 0n }]],
  'Status-Balance-4': [[{ current_balance: 0n }]],
  'Status-Balance-5': [[LINE, { current_balance: 0n }]],
  'Status-Balance-6': [[FORECLOSED, { account_status: '89', current_balance: 0n }]],
  'Status-Balance-7': [[FORECLOSED, { current_balance: 0n }]],
  'Status-Balance-8': [[LATE, { current_balance: 0n }]],
  'Status-Balance-9': [[LINE, LATE, { current_balance: 0n }]],
  'Status-Balance-10': [[PAID, { account_status: '61', current_balance: 5n }]],
  'Status-ChargeOff-1': [[LATE, { original_charge_off_amount: 5n }]],
  'Status-ChargeOff-2': [[CHARGED_OFF, { original_charge_off_amount: 0n }]],
  'Status-DateClosed-1': [[PAID, { date_closed: null }]],
  'Status-DateClosed-2': [[{ date_closed: '2026-03-10' }]],
  'Status-DateClosed-3': [[FORECLOSED, { date_closed: null }]],
  'Status-DOFD-1': [[PAID, { payment_rating: '2' }]],
  'Status-DOFD-2': [[{ date_first_delinquency: '2026-02-15' }]],
  'Status-PaymentAmount-1': [[{ actual_payment_amount: 0n }]],
  'Status-SMPA-1': [[CHARGED_OFF, { scheduled_monthly_payment: 5n }]],
  'Status-SMPA-2': [[LINE, LATE, { scheduled_monthly_payment: 0n }]],
  'Status-SMPA-3': [[LATE, { scheduled_monthly_payment: 0n }]],
  'Status-SMPA-4': [[LINE, { scheduled_monthly_payment: 0n }]],
  'Portfolio-Type-1': [[LINE, { account_type: '01' }]],
  'Type-Balance-1': [[{ special_comment: 'BS', account_type: '3A' }]],
  'Type-SMPA-1': [[{ special_comment: 'BS' }]],
  'Type-CreditLimit-1': [[{ credit_limit: 5n }]],
  'Type-CreditLimit-2': [[LINE, { credit_limit: 0n }]],
  'Type-HCOLA-1': [[{ highest_credit: 0n }]],
  'Type-HCOLA-2': [[LINE, { highest_credit: 0n }]],
  'Type-TermsDuration-1': [[LINE, { terms_duration: '036' }]],
  'Balance-APD-1': [[{ current_balance: 0n, amount_past_due: 5n }]],
  'Balance-APD-2': [[LATE, { amount_past_due: 9_501n }]],
  'Balloon-Balance-1': [[{ balloon_payment: 9_501n }]],
  'Deferred-SMPA-1': [[{ terms_frequency: 'D' }]],
  'DOAI-DOFD-1': [[CHARGED_OFF, { date_first_delinquency: '2019-03-30' }]],
  'DOAI-PaymentAmount-1': [[{ date_of_account_information: null }]],
  'DTCL-DOLP-1': [[PAID, { date_closed: '2026-03-16' }]],
  'Rating-APD-1': [[FORECLOSED, { account_status: '89', payment_rating: '0' }]],
  'Rating-APD-2': [[FORECLOSED, { amount_past_due: 0n }]],
  'SCC-AccountChange-1': [[TRANSFERRED, { special_comment: 'O' }]],
  'SCC-APD-1': [[LATE, { special_comment: 'AU' }]],
  'SCC-APD-2': [[{ special_comment: 'BA' }]],
  'SCC-Balance-1': [[{ special_comment: 'AU' }]],
  'SCC-Balance-2': [[{ special_comment: 'CP', current_balance: 0n }]],
  'SCC-DateClosed-1': [[{ special_comment: 'CP', date_closed: '2026-03-10' }]],
  'SCC-DateClosed-2': [[{ special_comment: 'M' }]],
  'SCC-PurchasedSold-1': [[TRANSFERRED, { special_comment: 'AH' }]],
  'SCC-PurchasedSold-2': [
    [TRANSFERRED, { special_comment: 'AH', purchased_or_sold: { indicator: '2', name: '' } }],
  ],
  'SCC-Status-1': [[{ special_comment: 'AU' }]],
  'SCC-Status-2': [[PAID, { special_comment: 'CP' }]],
  'SCC-Status-3': [[{ special_comment: 'BA' }]],
  'SCC-Status-4': [[PAID, { special_comment: 'BO' }]],
  'SCC-Status-5': [[TRANSFERRED, { account_status: '13' }]],
  'CCC-DateClosed-1': [[{ compliance_condition_code: 'XA' }]],
  'Bankruptcy-APD-1': [[DISCHARGED, { amount_past_due: 0n }]],
  'Bankruptcy-Balance-1': [[DISCHARGED, { current_balance: 0n }]],
  'Bankruptcy-SMPA-1': [[DISCHARGED, { scheduled_monthly_payment: 0n }]],
  'Bankruptcy-DOFD-1': [[{ consumer_information_indicator: 'A' }]],
  'Bankruptcy-ECOA-1': [
    [DISCHARGED, { associated: [{ ecoa_code: '3', consumer_information_indicator: '' }] }],
  ],
  'ECOA-J1J2-1': [
    [{ ecoa_code: 'X', associated: [{ ecoa_code: '2', consumer_information_indicator: '' }] }],
  ],
  'AccountChange-ID-1': [[RENUMBERED('2', '', '')]],
  'AccountChange-ID-2': [[RENUMBERED('1', 'LN2', 'ACME01')]],
  'AccountChange-ID-3': [[RENUMBERED('3', 'LN2', 'ACME01')]],
  'AccountChange-ID-4': [[RENUMBERED('1', 'LN2', 'ACME02')]],
  'AccountChange-Number-1': [[RENUMBERED('3', '', 'ACME02')]],
  'AccountChange-Number-2': [[RENUMBERED('2', 'LN1', 'ACME02')]],
  'AccountChange-Number-3': [[RENUMBERED('1', 'LN1', '')]],
  'AccountChange-Number-4': [[RENUMBERED('2', 'LN2', 'ACME02')]],
  'PHP-Status-1': [[LATE], [LATE]],
  'PHP-Status-2': [[LINE, profile('E')], [LINE]],
  'PHP-Status-3': [[CHARGED_OFF], [CHARGED_OFF]],
  'PROG-AccountChange-1': [[RENUMBERED('1', 'LN2', '')], [RENUMBERED('1', 'LN2', '')]],
  'PROG-AccountChange-2': [[RENUMBERED('2', '', 'ACME02')], [RENUMBERED('2', '', 'ACME02')]],
  'PROG-AccountChange-3': [[], [RENUMBERED('1', 'LN1', '')]],
  'PROG-Bankruptcy-1': [
    [DISCHARGED, { consumer_information_indicator: 'R' }],
    [{ consumer_information_indicator: 'V' }],
  ],
  'PROG-ChargeOff-1': [[CHARGED_OFF], [CHARGED_OFF, { original_charge_off_amount: 9_000n }]],
  'PROG-DateClosed-1': [[PAID], [PAID, { date_closed: '2026-02-15' }]],
  'PROG-DateOpen-1': [[], [{ date_opened: '2026-01-16' }]],
  'PROG-DOFD-1': [[LATE], [LATE, { date_first_delinquency: '2026-02-14' }]],
  'PROG-DOFD-2': [
    [PAID, { payment_rating: '2', date_first_delinquency: '2026-02-15' }],
    [PAID, { payment_rating: '2', date_first_delinquency: '2026-02-14' }],
  ],
  'PROG-DOFD-3': [[{ date_first_delinquency: '2026-02-15' }], [LATE]],
  'PROG-ECOA-1': [[], [{ ecoa_code: 'Z' }]],
  'PROG-Portfolio-1': [[], [LINE]],
  'PROG-Rating-1': [[PAID], [PAID, { payment_rating: '1' }]],
  'PROG-Status-1': [[LATE, { account_status: '80' }], [LATE]],
  'PROG-Status-2': [[CHARGED_OFF], [FORECLOSED]],
  'PROG-Status-3': [[], [PAID]],
  'PROG-Type-1': [[], [{ account_type: '02' }]],
  'Own-Format-1': [[{ malformed: ['surname'] }]],
  'Own-Rating-1': [[{ payment_rating: '0' }]],
  'Own-Status-1': [[PAID, { account_status: '05' }]],
  'Own-Dates-1': [[{ date_last_payment: '2026-01-14' }]],
  'Own-Profile-1': [[{ payment_history_profile: `0D${'B'.repeat(22)}` }], []],
};

test('each rule finds a record that breaks it, and every rule is tried', () => {
  const found = Object.entries(BREAKING).map(([id, [now, then]]) =>
    idsOf(accountWith(...now), then ? before(...then) : null).includes(id)
      ? id
      : `${id} found nothing`,
  );

  expect(found).toEqual(Object.keys(BREAKING));
  expect(FURNISHING_RULES.map(({ id }) => id).toSorted()).toEqual(Object.keys(BREAKING).toSorted());
});

test('the records of several files are compared in the order of their months', () => {
  const files = [
    [accountWith({ date_opened: '2026-01-16' })],
    [before(), before({ consumer_account_number: 'LN2' })],
  ];

  const findings = checkFiles(files).map(({ account, rule }) => [
    account.consumer_account_number,
    account.activity_date,
    rule.id,
  ]);

  expect(findings).toEqual([['LN1', '2026-03-31', 'PROG-DateOpen-1']]);
});
