import { expect } from 'vitest';
import type { Tenant } from '../../setup/world.ts';

export async function pay(tenant: Tenant, id: string, amount: string, more: object = {}) {
  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount, ...more });
  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  return paid.body.id as string;
}

export async function bounce(tenant: Tenant, paymentId: string) {
  const back = await tenant.officer.post(`/payments/${paymentId}/return`, { return_code: 'R01' });
  expect(back.status, JSON.stringify(back.body)).toBe(200);
}

export async function titlesOf(tenant: Tenant) {
  const { body } = await tenant.officer.get('/tasks?status=open');
  return (body as { title: string }[]).map(({ title }) => title).toSorted();
}
