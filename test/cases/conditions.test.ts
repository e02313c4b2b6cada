import { expect, test } from 'vitest';
import { checkFacts } from '../../jobs/cases/rules/check-facts.ts';
import { deriveConditions } from '../../jobs/cases/rules/conditions.ts';
import { deadlinesOf } from '../../jobs/cases/rules/deadlines.ts';
import type { FactType } from '../../jobs/cases/rules/facts.ts';
import { effectsInForce } from '../../jobs/cases/rules/effects.ts';
import { Invalid } from '../../jobs/errors.ts';

const TODAY = '2027-06-30';
const [CAR, HOUSE] = [
  '0198f0a0-0000-7000-8000-000000000001',
  '0198f0a0-0000-7000-8000-000000000002',
];

/** The conditions as lines such as "stay_13 2027-01-05 – 2027-03-01 loan …". */
function conditionsOf(type: FactType, facts: object): string[] {
  const checked = checkFacts(type, facts, { today: TODAY, protections: ['wildfire'] });
  return deriveConditions(type, checked).map(
    ({ condition, from, until, loan_id, except_loan_ids: except }) =>
      [
        `${condition} ${from} – ${until ?? 'open'}`,
        ...(loan_id === null ? [] : [nameOf(loan_id)]),
        ...(except.length > 0 ? [`except ${except.map(nameOf).join()}`] : []),
      ].join(' '),
  );
}
const nameOf = (id: string) => (id === CAR ? 'car' : 'house');

function problemsOf(type: FactType, facts: object): Record<string, string> {
  try {
    checkFacts(type, facts, { today: TODAY, protections: ['wildfire'] });
    return {};
  } catch (error) {
    if (error instanceof Invalid) return error.errors;
    throw error;
  }
}

const petition = (chapter: string, more: object = {}) => ({
  chapter,
  petition_date: '2027-01-05',
  ...more,
});

test.each([
  ['a pending petition', petition('7'), ['stay_7 2027-01-05 – open']],
  [
    'a discharge in chapter 7',
    petition('7', { discharge_date: '2027-04-20' }),
    ['stay_7 2027-01-05 – 2027-04-20', 'discharged_7 2027-04-20 – open'],
  ],
  [
    'a dismissal',
    petition('11', { dismissal_date: '2027-04-20' }),
    ['stay_11 2027-01-05 – 2027-04-20', 'dismissed_11 2027-04-20 – open'],
  ],
  [
    'a case closed without a discharge',
    petition('7', { closing_date: '2027-02-01' }),
    ['stay_7 2027-01-05 – 2027-02-01'],
  ],
  [
    'a discharge whose petition is unknown',
    { chapter: '7', discharge_date: '2026-04-20' },
    ['discharged_7 2026-04-20 – open'],
  ],
  [
    'relief from the stay for one loan',
    petition('7', { relief_from_stay: [{ loan_id: CAR, date: '2027-03-01' }] }),
    ['stay_7 2027-01-05 – open except car', 'stay_7 2027-01-05 – 2027-03-01 car'],
  ],
  [
    'relief in chapter 13, which does not lift the stay for the others who owe the loan',
    petition('13', { relief_from_stay: [{ loan_id: CAR, date: '2027-03-01' }] }),
    [
      'stay_13 2027-01-05 – open except car',
      'stay_13 2027-01-05 – 2027-03-01 car',
      'codebtor_stay 2027-01-05 – open',
    ],
  ],
  [
    'relief in chapter 13 that includes them',
    petition('13', {
      relief_from_stay: [{ loan_id: CAR, date: '2027-03-01', includes_codebtors: true }],
    }),
    [
      'stay_13 2027-01-05 – open except car',
      'stay_13 2027-01-05 – 2027-03-01 car',
      'codebtor_stay 2027-01-05 – open except car',
      'codebtor_stay 2027-01-05 – 2027-03-01 car',
    ],
  ],
  [
    'a conversion from chapter 13 to 7',
    petition('13', {
      conversions: [{ date: '2027-02-10', chapter: '7' }],
      discharge_date: '2027-06-01',
    }),
    [
      'stay_13 2027-01-05 – 2027-02-10',
      'stay_7 2027-02-10 – 2027-06-01',
      'codebtor_stay 2027-01-05 – 2027-02-10',
      'discharged_7 2027-06-01 – open',
    ],
  ],
  [
    'a reaffirmed and a rescinded debt',
    petition('7', {
      discharge_date: '2027-04-20',
      reaffirmations: [
        { loan_id: CAR, filed_date: '2027-03-01' },
        { loan_id: HOUSE, filed_date: '2027-03-01', rescinded_date: '2027-04-30' },
      ],
    }),
    [
      'stay_7 2027-01-05 – 2027-04-20',
      'discharged_7 2027-04-20 – open except car,house',
      'reaffirmed 2027-04-20 – open car',
      'reaffirmed 2027-04-20 – 2027-04-30 house',
      'discharged_7 2027-04-30 – open house',
      'reaffirmation_rescinded 2027-04-30 – open house',
    ],
  ],
  [
    'a debt that the discharge does not cover',
    petition('7', { discharge_date: '2027-04-20', excepted_loan_ids: [CAR] }),
    ['stay_7 2027-01-05 – 2027-04-20', 'discharged_7 2027-04-20 – open except car'],
  ],
])('%s has the conditions of the Bankruptcy Code, by its dates', (_name, facts, expected) => {
  expect(conditionsOf('bankruptcy', facts)).toEqual(expected);
});

test('the stay for co-borrowers outlasts the discharge in chapter 13, until the case is closed', () => {
  const facts = petition('13', { discharge_date: '2027-04-20', closing_date: '2027-05-20' });

  expect(conditionsOf('bankruptcy', facts)).toContain('codebtor_stay 2027-01-05 – 2027-05-20');
});

test('the other types have their conditions, with both days included', () => {
  const service = { service_from: '2026-03-01', service_to: '2027-02-28' };

  expect({
    service: conditionsOf('servicemember', service),
    called: conditionsOf('servicemember', {
      service_from: '2026-03-01',
      orders_received_date: '2026-02-10',
      is_rate_capped: false,
    }),
    mortgage: conditionsOf('servicemember', { ...service, mortgage_loan_ids: [HOUSE] }),
    deceased: conditionsOf('deceased', { date_of_death: '2027-05-02' }),
    theft: conditionsOf('identity_theft', { report_type: 'police_report' }),
    blocked: conditionsOf('identity_theft', { report_received_date: '2027-05-02' }),
    ceased: conditionsOf('cease_and_desist', { received_date: '2027-05-02' }),
    disaster: conditionsOf('disaster', { from: '2027-05-02', to: '2027-08-01' }),
    protection: conditionsOf('protection', { name: 'wildfire', from: '2027-05-02' }),
    complaint: conditionsOf('complaint', { received_date: '2027-05-02' }),
  }).toEqual({
    service: ['active_duty 2026-03-01 – 2027-03-01', 'rate_cap 2026-03-01 – 2027-03-01'],
    called: ['active_duty 2026-02-10 – open'],
    mortgage: [
      'active_duty 2026-03-01 – 2027-03-01 except house',
      'active_duty 2026-03-01 – 2028-02-29 house',
      'rate_cap 2026-03-01 – 2027-03-01 except house',
      'rate_cap 2026-03-01 – 2028-02-29 house',
    ],
    deceased: ['deceased 2027-05-02 – open'],
    theft: [],
    blocked: ['identity_theft_block 2027-05-02 – open'],
    ceased: ['cease_and_desist 2027-05-02 – open'],
    disaster: ['disaster 2027-05-02 – 2027-08-02'],
    protection: ['protection:wildfire 2027-05-02 – open'],
    complaint: [],
  });
});

test('debts from after the petition are not concerned, unless its date is only estimated', () => {
  const limits = (more: object) =>
    deriveConditions(
      'bankruptcy',
      checkFacts('bankruptcy', petition('7', more), { today: TODAY, protections: [] }),
    ).map(({ incurred_through }) => incurred_through);

  expect([limits({}), limits({ estimated_dates: ['petition_date'] })]).toEqual([
    ['2027-01-05'],
    [null],
  ]);
});

test.each([
  ['an unknown fact', 'bankruptcy', petition('7', { petition: '2027-01-05' }), 'facts'],
  ['a text as chapter', 'bankruptcy', petition('chapter 7'), 'facts.chapter'],
  [
    'a petition of tomorrow',
    'bankruptcy',
    petition('7', { petition_date: '2027-07-01' }),
    'facts.petition_date',
  ],
  [
    'a discharge before the petition',
    'bankruptcy',
    petition('7', { discharge_date: '2026-12-31' }),
    'facts.discharge_date',
  ],
  [
    'a discharge and a dismissal',
    'bankruptcy',
    petition('7', { discharge_date: '2027-02-01', dismissal_date: '2027-02-01' }),
    'facts.dismissal_date',
  ],
  ['no date at all', 'bankruptcy', { chapter: '7' }, 'facts.petition_date'],
  [
    'an early conversion',
    'bankruptcy',
    petition('13', { conversions: [{ date: '2026-01-01', chapter: '7' }] }),
    'facts.conversions.0.date',
  ],
  [
    'a loan reaffirmed twice',
    'bankruptcy',
    petition('7', {
      reaffirmations: [{ filed_date: '2027-02-01' }, { loan_id: CAR, filed_date: '2027-02-01' }],
    }),
    'facts.reaffirmations',
  ],
  [
    'an estimate of nothing',
    'bankruptcy',
    petition('7', { estimated_dates: ['discharge_date'] }),
    'facts.estimated_dates',
  ],
  [
    'a service that ends before it begins',
    'servicemember',
    { service_from: '2027-01-01', service_to: '2026-01-01' },
    'facts.service_to',
  ],
  ['a death of tomorrow', 'deceased', { date_of_death: '2027-07-01' }, 'facts.date_of_death'],
  [
    'a protection that the tenant has not',
    'protection',
    { name: 'flood', from: '2027-01-01' },
    'facts.name',
  ],
  ['a day that does not exist', 'disaster', { from: '2027-02-30' }, 'facts.from'],
] as const)('%s is refused', (_name, type, facts, field) => {
  expect(problemsOf(type, facts)).toEqual({ [field]: expect.stringMatching(/[.?]$/) });
});

test('a misspelled fact names the nearest one', () => {
  const { facts } = problemsOf('bankruptcy', petition('7', { dischargedate: '2027-02-01' }));

  expect(facts).toBe('Unknown field "dischargedate". Did you mean "discharge_date"?');
});

test('deadlines follow from the facts, and end when they are met', () => {
  const deadlines = (type: FactType, facts: object) =>
    deadlinesOf(type, checkFacts(type, facts, { today: TODAY, protections: [] })).map(
      ({ deadline, last_day }) => `${deadline} ${last_day}`,
    );

  expect({
    claim: deadlines('bankruptcy', petition('13')),
    filed: deadlines('bankruptcy', petition('13', { proof_of_claim_filed_date: '2027-02-01' })),
    set_by_court: deadlines(
      'bankruptcy',
      petition('11', { proof_of_claim_deadline: '2027-08-01' }),
    ),
    service: deadlines('servicemember', { service_from: '2026-01-01', service_to: '2027-06-01' }),
    // Friday, and Monday is Memorial Day.
    block: deadlines('identity_theft', { report_received_date: '2027-05-28' }),
    credit_report: deadlines('dispute', { received_date: '2027-06-01', kind: 'credit_report' }),
    more: deadlines('dispute', {
      received_date: '2027-06-01',
      more_information_date: '2027-06-10',
    }),
    billing: deadlines('dispute', { received_date: '2027-06-01', kind: 'billing_error' }),
    cfpb: deadlines('complaint', { received_date: '2027-06-01', regulator: 'cfpb' }),
    own: deadlines('complaint', { received_date: '2027-06-01' }),
    answered: deadlines('complaint', { received_date: '2027-06-01', responded_date: '2027-06-09' }),
  }).toEqual({
    claim: ['file_proof_of_claim 2027-03-16'],
    filed: [],
    set_by_court: ['file_proof_of_claim 2027-08-01'],
    service: ['expect_notice_of_service 2027-11-28'],
    block: ['confirm_block 2027-06-04'],
    credit_report: ['answer_dispute 2027-07-01'],
    more: ['answer_dispute 2027-07-16'],
    billing: ['acknowledge_billing_error 2027-07-01', 'answer_dispute 2027-08-30'],
    cfpb: ['answer_complaint 2027-06-16', 'give_final_answer 2027-07-31'],
    own: ['answer_complaint 2027-07-01'],
    answered: [],
  });
});

test('several conditions merge to the strictest effect, and the tenant can replace single values', () => {
  const settings = (effects: object) => ({ cases: { effects: { ...effects } } });

  const together = effectsInForce(['dismissed_7', 'rate_cap', 'stay_13'], settings({}));
  const replaced = effectsInForce(
    ['stay_13', 'protection:wildfire'],
    settings({ stay_13: { late_fees: true }, 'protection:wildfire': { autopay: false } }),
  );
  const blocked = effectsInForce(['stay_7', 'identity_theft_block'], settings({ stay_7: null }));

  expect(together).toEqual({
    contact: 'allowed',
    collection_messages: false,
    late_fees: false,
    autopay: false,
    rate_cap: '0.06',
    acceleration: false,
    charge_off: false,
    sale: true,
    credit_reporting: 'D',
    statement: 'bankruptcy',
  });
  expect(replaced).toMatchObject({ late_fees: true, autopay: false, acceleration: false });
  expect(blocked).toMatchObject({ credit_reporting: 'suppress', sale: false });
  expect(effectsInForce([], settings({}))).toMatchObject({ late_fees: true, contact: 'allowed' });
});
