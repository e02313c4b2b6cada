import { expect } from 'vitest';
import type { Client } from './client.ts';

/** Opens a case with facts, as staff do. Returns the case. */
export async function openCase(
  client: Client,
  borrower_id: string,
  case_type: string,
  facts: object,
  more: object = {},
) {
  const words = { subject: 'Case', description: 'A letter arrived.' };
  const { status, body } = await client.post('/cases', {
    borrower_id,
    case_type,
    facts,
    ...words,
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as Record<string, unknown> & { id: string };
}

/** Corrects the facts of a case. */
export async function correctCase(client: Client, id: string, facts: object) {
  const { status, body } = await client.put(`/cases/${id}`, { facts });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Record<string, unknown>;
}

/** Adds an attorney of the borrower, for all contacts. Returns the representative. */
export async function addAttorney(client: Client, borrowerId: string) {
  const { status, body } = await client.post(`/borrowers/${borrowerId}/legal-reps`, {
    representative_type: 'attorney',
    first_name: 'Al',
    last_name: 'Counsel',
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body.id);
}
