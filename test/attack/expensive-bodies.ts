import { randomUUID } from 'node:crypto';

export type ExpensiveBody = { name: string; method?: string; path: string; raw: string };

const DISPUTE_COLUMNS =
  'control_number,subscriber_code,account_number,response_due_date,dispute_code_1';

/** The most expensive bodies that we know. The API refuses some and accepts some. */
export async function buildExpensiveBodies(
  first: (path: string) => Promise<string>,
): Promise<ExpensiveBody[]> {
  const borrower = (metadata: string) =>
    `{"first_name":"A","last_name":"B","metadata":${metadata}}`;
  const times = <Value>(length: number, make: (at: number) => Value) =>
    Array.from({ length }, (_, at) => make(at));
  const json = (value: unknown) => JSON.stringify(value);
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const template = { name: 'T', template_type: 'payment_reminder', channel: 'email', subject: 'x' };
  const account = await first('/ledger/accounts');
  const lines = (count: number) =>
    times(count, (at) => ({ account_id: account, [at % 2 ? 'debit' : 'credit']: '10.00' }));
  return [
    {
      name: 'metadata of deeply nested arrays',
      path: '/borrowers',
      raw: borrower(`{"a":[${times(14_750, () => nested(29)).join(',')}]}`),
    },
    {
      name: 'metadata, one level after the other',
      path: '/borrowers',
      raw: borrower(nested(440_000)),
    },
    {
      name: 'metadata of numbers',
      path: '/borrowers',
      raw: borrower(`{"a":[${'1,'.repeat(500_000)}1]}`),
    },
    {
      name: 'metadata of 10,000 numbers',
      path: '/borrowers',
      raw: borrower(`{"a":[${'1,'.repeat(9_900)}1]}`),
    },
    {
      name: 'metadata, the largest',
      path: '/borrowers',
      raw: borrower(`{"a":[${'1,'.repeat(8_000)}1]}`),
    },
    {
      name: 'metadata, 16 kB of digits and dashes',
      path: '/borrowers',
      raw: borrower(json({ a: '123-45-678 '.repeat(1_450) })),
    },
    {
      name: 'metadata of many short texts',
      path: '/borrowers',
      raw: borrower(json(Object.fromEntries(times(1_300, (at) => [`k${at}`, 'é'])))),
    },
    {
      name: 'metadata of long keys',
      path: '/borrowers',
      raw: borrower(json(Object.fromEntries(times(9_500, (at) => [`${at}`.padEnd(101, 'k'), 1])))),
    },
    {
      name: 'loans by number, the most',
      path: `/portfolios/${await first('/portfolios')}/assign-loans`,
      raw: json({ loan_ids: times(10_000, () => randomUUID()) }),
    },
    {
      name: 'loans by number, all wrong',
      path: `/portfolios/${await first('/portfolios')}/assign-loans`,
      raw: json({ loan_ids: times(10_000, () => 'x') }),
    },
    {
      name: 'a body of unknown fields',
      path: '/borrowers',
      raw: json(Object.fromEntries(times(9_900, (at) => [`field${at}`, at]))),
    },
    {
      name: 'one text of 1 MB',
      path: '/borrowers',
      raw: json({ first_name: 'x'.repeat(1_048_000), last_name: 'B' }),
    },
    {
      name: 'one text of 1 MB with escapes',
      path: '/borrowers',
      raw: `{"first_name":"${'\\u00e9'.repeat(174_000)}","last_name":"B"}`,
    },
    {
      name: 'a message to 1,000 borrowers',
      path: '/communications/send-batch',
      raw: json({
        channel: 'email',
        template_id: randomUUID(),
        borrower_ids: times(1_000, () => randomUUID()),
      }),
    },
    {
      name: 'a message to 9,900 borrowers',
      path: '/communications/send-batch',
      raw: json({
        channel: 'email',
        template_id: randomUUID(),
        borrower_ids: times(9_900, () => 'x'),
      }),
    },
    {
      name: 'a group of 1,000 members and 200 rules',
      path: '/permission-groups',
      raw: json({
        name: 'G',
        member_ids: times(1_000, () => randomUUID()),
        permissions: times(200, () => ({
          type: 'deny',
          action: 'read',
          resource: 'loans',
          record: { interest_rate: true },
        })),
      }),
    },
    {
      name: 'a journal entry of 2,400 lines',
      path: '/ledger/entries',
      raw: json({
        entry_date: '2026-03-16',
        description: 'x',
        reference_type: 'adjustment',
        lines: lines(2_400),
      }),
    },
    {
      name: 'a journal entry of 9,900 empty lines',
      path: '/ledger/entries',
      raw: json({
        entry_date: '2026-03-16',
        description: 'x',
        reference_type: 'adjustment',
        lines: times(9_900, () => 1),
      }),
    },
    {
      name: 'a NACHA return file of 1 MB',
      path: '/nacha-returns',
      raw: json({ file: `${'6'.repeat(94)}\n`.repeat(10_000) }),
    },
    {
      name: 'a NACHA return file of line breaks',
      path: '/nacha-returns',
      raw: json({ file: '\n'.repeat(500_000) }),
    },
    {
      name: 'a file of dispute requests of short lines',
      path: '/credit-dispute-imports',
      raw: json({ bureau: 'equifax', file: `${DISPUTE_COLUMNS}\n${'a,b\n'.repeat(200_000)}` }),
    },
    {
      name: 'a file of dispute requests of commas',
      path: '/credit-dispute-imports',
      raw: json({ bureau: 'equifax', file: ','.repeat(900_000) }),
    },
    {
      name: 'a file of dispute requests with a quotation mark that is never closed',
      path: '/credit-dispute-imports',
      raw: json({ bureau: 'equifax', file: `${DISPUTE_COLUMNS}\n"${'a\n'.repeat(400_000)}` }),
    },
    {
      name: 'a template of 64 kB of braces',
      path: '/communication-templates',
      raw: json({ ...template, body: '{{a}}'.repeat(3_200) }),
    },
    {
      name: 'a template of nested blocks',
      path: '/communication-templates',
      raw: json({ ...template, body: '{{#if borrower.first_name}}{{/if}}'.repeat(450) }),
    },
    {
      name: 'a template of 64 kB of tags',
      path: '/communication-templates',
      raw: json({ ...template, body: '<b><i>'.repeat(2_700) }),
    },
    {
      name: 'an auto-response pattern of repeats',
      path: '/auto-responses',
      raw: json({
        name: 'R',
        channel: 'sms',
        match_type: 'regex',
        response_body: 'x',
        pattern: 'x{1000}'.repeat(28),
      }),
    },
    {
      name: 'an auto-response pattern of classes',
      path: '/auto-responses',
      raw: json({
        name: 'R',
        channel: 'sms',
        match_type: 'regex',
        response_body: 'x',
        pattern: String.raw`\W`.repeat(100),
      }),
    },
    {
      name: 'criteria of 1,000 values',
      path: '/portfolios',
      raw: json({
        name: 'P',
        criteria: {
          labels: times(500, (at) => `label ${at}`),
          product_id: times(500, () => randomUUID()),
        },
      }),
    },
    {
      name: 'settings with 9,900 keys',
      method: 'PUT',
      path: '/tenant/settings',
      raw: json({ documents: Object.fromEntries(times(9_900, (at) => [`k${at}`, at])) }),
    },
    {
      name: 'a logo of 900 kB',
      method: 'PUT',
      path: '/tenant/settings',
      raw: json({ branding: { logo_url: `https://a.example/${'x'.repeat(900_000)}` } }),
    },
    {
      name: 'a note of 10,000 letters and digits',
      path: `/borrowers/${await first('/borrowers')}/notes`,
      raw: json({ body: '123-45-6789 4111 1111 1111 1111 '.repeat(300) }),
    },
    {
      name: 'reports of a provider',
      path: '/communications/webhooks/delivery-status',
      raw: json(
        times(2_900, (at) => ({
          provider_message_id: `${at}`,
          status: 'delivered',
          timestamp: '2026-01-01T00:00:00Z',
        })),
      ),
    },
    {
      name: 'a password of 64 kB',
      path: '/auth/login',
      raw: json({ email: 'a@b.example', password: 'x'.repeat(65_000) }),
    },
  ];
}
