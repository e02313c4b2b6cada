import { expect, test } from 'vitest';
import { fillExamples, type OpenApiDocument } from '../../api/docs/fill-examples.ts';
import { buildOpenApi } from '../../api/endpoints/openapi.ts';
import { routes } from '../../api/routes.ts';
import { localDate } from '../../jobs/dates.ts';
import { addLoans, addBorrowers } from '../../workers/seed/loans.ts';
import { rightful } from '../contract/callers.ts';
import type { Client } from '../setup/client.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** Examples that a new database cannot serve, and why. */
const EXCEPT: Record<string, string> = {
  'POST /loans/{id}/co-borrowers': 'the borrower that is found first is the loan’s own',
  'GET /co-borrowers/{id}': 'nobody owes a loan of the seed beside its borrower',
  'POST /loans/{id}/disbursements': 'a loan that runs has been paid out',
  'GET /disbursements/{id}': 'boarded loans were paid out elsewhere',
  'POST /loans/{id}/draws': 'no loan of the seed is a line of credit',
  'GET /draws/{id}': 'no loan of the seed is a line of credit',
  'POST /loans/{id}/payments/reimbursement': 'nobody has paid too much',
  'POST /loans/{id}/suspense-applications': 'nothing waits in suspense',
  'GET /suspense-applications/{id}': 'nothing waits in suspense',
  'POST /credit-reporting-files': 'the settings do not say who reports',
  'GET /credit-reporting-files/{id}': 'there is no file without those settings',
  'GET /credit-reporting-files/{id}/records': 'there is no file without those settings',
  'GET /credit-reporting-files/{id}/download': 'there is no file without those settings',
  'GET /credit-reporting-files/{id}/findings': 'there is no file without those settings',
  'GET /credit-reporting-findings/{id}': 'no record is checked without those settings',
  'POST /loans/{id}/credit-corrections': 'nothing was reported',
  'GET /credit-corrections/{id}': 'nothing was corrected',
  'GET /credit-corrections/{id}/form': 'nothing was corrected',
  'POST /credit-dispute-imports': 'the settings have no subscriber codes',
  'GET /credit-dispute-imports/{id}': 'no bureau has sent a file',
  'GET /credit-dispute-imports/{id}/lines': 'no bureau has sent a file',
  'POST /credit-dispute-answer-files': 'no bureau has sent a request',
  'GET /credit-dispute-answer-files/{id}': 'there is no file without an answer',
  'GET /credit-dispute-answer-files/{id}/disputes': 'there is no file without an answer',
  'GET /credit-dispute-answer-files/{id}/download': 'there is no file without an answer',
  'GET /business-details/{id}': 'a borrower has one, which is found beneath the borrower alone',
  'GET /change-notices/{id}': 'no bank has sent one',
  'POST /change-notices/{id}/apply': 'no bank has sent one',
  'POST /change-notices/{id}/dismiss': 'no bank has sent one',
  'POST /nacha-files': 'nothing is ordered from a bank',
  'GET /nacha-files/{id}': 'there is no file without an order',
  'GET /nacha-files/{id}/entries': 'there is no file without an order',
  'GET /nacha-files/{id}/download': 'there is no file without an order',
  'GET /lien-alerts/{id}': 'no lien lapses soon',
  'GET /loan-tapes/{id}': 'no tape is made yet',
  'GET /webhook-deliveries/{id}': 'nothing is sent yet',
  'GET /webhook-deliveries/{id}/attempts': 'nothing is sent yet',
  'GET /loan-tapes/{id}/deliveries': 'no tape is made yet',
  'GET /borrower-exports/{id}': 'nobody has asked for an export',
  'POST /portal/loans/{id}/payments': 'an account is drawn on once it is verified',
  'GET /portal/documents/{id}/download': 'nothing is printed yet',
  'POST /documents': 'a file is sent with it, as a form',
  'POST /reconciliations': 'a file is sent with it, as a form',
  'GET /reconciliations/{id}': 'nothing was compared',
  'GET /reconciliations/{id}/differences': 'nothing was compared',
  'GET /reconciliations/{id}/changes': 'nothing was compared',
  'GET /reconciliations/{id}/download': 'nothing was compared',
  'POST /reconciliations/{id}/sign-off': 'nothing was compared',
  'POST /imports': 'a file is sent with it, as a form',
  'GET /imports/{id}': 'nothing was uploaded',
  'GET /imports/{id}/findings': 'nothing was uploaded',
  'GET /operations/jobs/{number}': 'a job is called by the number that the queue gave it',
  'POST /mail-batches': 'no letter waits',
  'GET /mail-batches/{id}': 'no letter was batched',
  'GET /mail-batches/{id}/history': 'no letter was batched',
  'GET /mail-batches/{id}/files': 'no letter was batched',
  'GET /mail-batches/{id}/deliveries': 'no letter was batched',
  'GET /mail-batches/{id}/letters': 'no letter was batched',
  'GET /mail-letters/{id}': 'no letter is printed yet',
  'POST /loans/{id}/adverse-action-notices': 'a loan that runs has no open application',
  'GET /sanctions-screenings/{id}': 'nobody is screened until a tenant wants it',
  'GET /sanctions-hits/{id}': 'the same',
  'GET /adverse-action-notices/{id}': 'no loan of the seed was denied',
  'GET /portal/payments/{id}/authorization': 'nothing was paid in the portal',
  'GET /approvals/{id}': 'nothing asks for four eyes until a tenant wants it',
};

test(
  'every example of a list, a record and a creation can be tried out on a fresh seed',
  {
    timeout: 180_000,
  },
  async () => {
    const today = localDate(new Date(), 'America/New_York');
    const tenant = await stage.tenant(today, { is_sandbox: true });
    const people = await tenant.within(async (work) => {
      const ids = await addBorrowers(work, 'demo');
      await addLoans(work, ids);
      return ids;
    });
    // An example invites the first borrower.
    await stage.owner.query('update users set borrower_id = $2 where id = $1', [
      tenant.userIds['borrower'],
      people[1],
    ]);
    const clients = {
      borrower: await tenant.signedIn('borrower'),
      superadmin: await tenant.signedIn('superadmin'),
    };
    const asking = (client: Client) => async (path: string) => {
      const reply = await client.get(path);
      return reply.status === 200 ? (reply.body as unknown) : null;
    };
    // Records are created before they are read, both in the order of the specification.
    const creating = routes.filter(({ method, status }) => method === 'POST' && status === 201);
    const reading = routes.filter(({ method }) => method === 'GET');
    const refused: string[] = [];
    const described = buildOpenApi(routes) as OpenApiDocument;
    for (const route of [...creating, ...reading]) {
      const { method, path } = route;
      const client = clients[rightful(route)];
      const own = structuredClone(described.paths[`/api/v1${path}`] ?? {});
      const document = { paths: { ...described.paths, [`/api/v1${path}`]: own } };
      await fillExamples(document, asking(client), `/api/v1${path}`);
      const operation = own[method.toLowerCase()];
      let target = path;
      const query = new URLSearchParams();
      for (const { name, in: where, example } of operation?.parameters ?? []) {
        if (where === 'path') target = target.replace(`{${name}}`, String(example));
        else if (example !== undefined) query.set(name, String(example));
      }
      const body = operation?.requestBody?.content['application/json']?.example;
      const reply =
        method === 'POST'
          ? await client.post(target, body)
          : await client.get(`${target}?${query}`);
      const known = EXCEPT[`${method} ${path}`];
      if (reply.status >= 400 !== (known !== undefined))
        refused.push(`${method} ${path} ${reply.status} ${JSON.stringify([body, reply.body])}`);
    }

    expect(refused).toEqual([]);
  },
);
