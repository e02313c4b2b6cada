import { expect, test } from 'vitest';
import type { z } from 'zod';
import { routes } from '../../api/routes.ts';
import { BORROWER_FACTS, LOAN_FACTS } from '../../jobs/books/format/own-records.ts';

/** The resource that shows each kind of record. Promotions, rate caps and late fee exemptions are not shown by themselves. */
const SHOWN_BY: Partial<Record<keyof typeof LOAN_FACTS | keyof typeof BORROWER_FACTS, string>> = {
  standing: 'loans',
  forbearance: 'forbearances',
  deferment: 'deferments',
  modification: 'modifications',
  payment_plan: 'payment-plans',
  promise: 'promises-to-pay',
  payment: 'payments',
  scheduled_payment: 'payments',
  fee: 'fees',
  draw: 'draws',
  earlier_transaction: 'earlier-transactions',
  assignment: 'loan-assignments',
  legal_representative: 'legal-reps',
  business_details: 'business-details',
  military_report: 'military-reports',
};

const HOSTILE = {
  'an empty text': '',
  'a word': 'x',
  'a line that is too long': 'x'.repeat(201),
  'a text that is too long': 'x'.repeat(10_001),
  'a control character': 'a\u0001b',
};

const shapeOf = (reply: z.ZodType | undefined): Record<string, z.ZodType> => {
  const { type, element, shape } = (reply ?? {}) as {
    type?: string;
    element?: z.ZodType;
    shape?: Record<string, z.ZodType>;
  };
  return type === 'array' ? shapeOf(element) : (shape ?? {});
};

/** The fields that answers of the resource have by this name. */
const answersWith = (resource: string, field: string) =>
  routes
    .filter((route) => route.resource === resource)
    .flatMap(({ reply }) => shapeOf(reply)[field] ?? []);

test('every text that a record of a book may have can be shown by the answers of the API', () => {
  let compared = 0;
  const refused = Object.entries({ ...LOAN_FACTS, ...BORROWER_FACTS }).flatMap(([kind, facts]) => {
    const resource = SHOWN_BY[kind as keyof typeof SHOWN_BY];
    if (resource === undefined) return [];
    const fields = Object.entries(facts.shape as Record<string, z.ZodType>);
    return fields.flatMap(([field, ofBook]) => {
      const answers = answersWith(resource, field);
      compared += answers.length > 0 ? 1 : 0;
      return Object.entries(HOSTILE)
        .filter(([, value]) => {
          const read = ofBook.safeParse(value);
          return read.success && !answers.every((answer) => answer.safeParse(read.data).success);
        })
        .map(([what]) => `${kind}.${field}: ${what}`);
    });
  });

  expect(refused).toEqual([]);
  expect(compared).toBeGreaterThan(100);
});
