import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;
const borrower = await officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
const path = `/borrowers/${borrower.body.id}`;
const ADDRESS = { street_line_1: '1 Main St', city: 'Albany', postal_code: '12207' };

test.each(['constructor', '__proto__', 'toString', 'x'.repeat(200), 'New York', 'ny', ''])(
  'the state "%s" is not a US state',
  async (state) => {
    const reply = await officer.post(`${path}/addresses`, { ...ADDRESS, state });

    expect(reply).toMatchObject({ status: 422, body: { errors: { state: expect.any(String) } } });
  },
);

test('a foreign address may have any region', async () => {
  const abroad = { ...ADDRESS, country: 'CA', state: 'Quebec' };

  expect(await officer.post(`${path}/addresses`, abroad)).toMatchObject({ status: 201 });
});

test.each(['', 'constructor', 'Mars/Olympus', 'America/Nowhere', 'x'.repeat(200), ' UTC'])(
  '"%s" is not a time zone',
  async (time_zone) => {
    const replies = [
      await officer.put(path, { time_zone }),
      await officer.post('/borrowers', { first_name: 'A', last_name: 'B', time_zone }),
      await officer.post(`${path}/phones`, { phone_number: '+12025550143', time_zone }),
    ];

    for (const reply of replies)
      expect(reply).toMatchObject({
        status: 422,
        body: { errors: { time_zone: expect.any(String) } },
      });
  },
);

test('one bad borrower does not fail a batch: the others are sent to, and the bad one is reported', async () => {
  const good = await officer.post('/borrowers', { first_name: 'C', last_name: 'D' });
  for (const { body } of [borrower, good])
    await officer.post(`/borrowers/${body.id}/emails`, { email: `${body.id}@example.com` });
  // As stored before time zones were validated.
  await stage.owner.query(`update borrowers set time_zone = '' where id = $1`, [borrower.body.id]);
  const unknown = '00000000-0000-4000-8000-000000000000';

  const reply = await officer.post('/communications/send-batch', {
    borrower_ids: [borrower.body.id, good.body.id, unknown],
    template_type: 'payment_reminder',
    channel: 'email',
  });

  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  expect(reply.body).toMatchObject({ total: 3, failed: 1, queued: 2 });
});

test.each(['9999-12-31', '2076-01-16'])(
  'a projection to %s is refused immediately',
  async (day) => {
    const loan = await newLoan(tenant);

    const reply = await officer.get(
      `/loans/${loan.id}/get-future-balance-projection?as_of_date=${day}`,
    );

    expect(reply).toMatchObject({
      status: 422,
      body: { errors: { as_of_date: expect.stringContaining('50 years') } },
    });
  },
);

test.each(['constructor', '__proto__', 'toString'])('%s is not a known value', async (word) => {
  const replies = [
    await officer.get(`/borrowers?sort=${JSON.stringify([word, 'ASC'])}`),
    await officer.get(`/borrowers?filter=${JSON.stringify({ [`${word}__ne`]: 'x' })}`),
    await officer.put(path, { language_preference: word }),
    await officer.post('/loans', { borrower_id: borrower.body.id, payment_frequency: word }),
    await officer.post('/communications/send', { borrower_id: borrower.body.id, channel: word }),
    await officer.post('/communications/templates', { name: word, template_type: word }),
    await officer.get(`//api/v1/docs/${word}`),
  ];

  for (const { status } of replies) expect([404, 422, 403, 405]).toContain(status);
});
