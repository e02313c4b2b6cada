import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../api/routes.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';
import { nameOf } from './callers.ts';

type Definition = {
  innerType?: z.ZodType;
  element?: z.ZodType;
  in?: z.ZodType;
  options?: z.ZodType[];
};
type Field = { name: string; schema: z.ZodType };

const HINT = 'Must be a fraction: 8.5 % is written "0.085", with at most 8 decimals.';

/** The fields of a body without nested fields. */
function fieldsOf(name: string, schema: z.ZodType): Field[] {
  const { innerType, element, in: given, options = [] } = schema.def as Definition;
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.ZodType>(schema.shape).flatMap(([own, field]) =>
      fieldsOf(`${name}.${own}`, field),
    );
  }
  const inner = [innerType, element, given, ...options].filter((one) => one !== undefined);
  return inner.length > 0 ? inner.flatMap((one) => fieldsOf(name, one)) : [{ name, schema }];
}

/** Whether the name means a rate. A share of ownership is not a rate. */
function isRate({ name: path }: Field): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return /(^|_)rate(_|$)|percent|(^|_)apr(_|$)/.test(name) && name !== 'ownership_percentage';
}

const rates = routes.flatMap((route) =>
  route.body ? fieldsOf(nameOf(route), route.body).filter(isRate) : [],
);

const whyNot = ({ schema }: Field, value: string) =>
  schema.safeParse(value).error?.issues[0]?.message ?? null;

describe('rates are fractions', () => {
  test('in every rate field of every body', () => {
    const wrong = rates.filter(
      (field) =>
        whyNot(field, '8.5') !== HINT || whyNot(field, '850') !== HINT || whyNot(field, '0.085'),
    );

    expect(rates.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'POST /loans.interest_rate',
        'PUT /loans/{id}.interest_rate',
        'POST /loans/board.interest_rate',
        'POST /loans/{id}/modifications.new_interest_rate',
        'POST /loans/{id}/activate-promo.promo_rate',
        'POST /products.min_rate',
        'PUT /products/{id}.max_rate',
        'POST /products.fee_rules.percentage',
      ]),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

test('8.5 for 8.5 % is refused in the field, and nothing is written', async () => {
  const stage = await newStage();
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const loan = await newLoan(tenant);
  const pending = await newLoan(tenant, { status: 'pending' });
  const { body: product } = await admin.get(`/products/${await tenant.first('/products')}`);

  const replies = {
    new_interest_rate: await admin.post(`/loans/${loan.id}/modifications`, {
      modification_type: 'rate_change',
      new_interest_rate: '8.5',
      reason: 'other',
    }),
    promo_rate: await admin.post(`/loans/${loan.id}/activate-promo`, {
      promo_rate: '8.5',
      duration_months: 3,
    }),
    interest_rate: await admin.put(`/loans/${pending.id}`, { interest_rate: '8.5' }),
    max_rate: await admin.put(`/products/${product.id}`, { ...product, max_rate: '36' }),
  };

  for (const [field, reply] of Object.entries(replies)) {
    expect(reply).toMatchObject({ status: 422, body: { errors: { [field]: HINT } } });
  }
  expect((await admin.get(`/loans/${pending.id}`)).body.interest_rate).toBe('0.085');
});
