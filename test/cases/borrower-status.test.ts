import { expect, test } from 'vitest';
import { EFFECTS } from '../../jobs/cases/rules/effects.ts';
import { BANKRUPTCY_STATUS } from '../../sql/cases/bankruptcy-statuses.ts';
import { openCase } from '../setup/cases.ts';
import { refusal, assertOk } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const TODAY = '2026-06-15';
const stage = await newStage();
const tenant = await stage.tenant(TODAY);
const { officer } = tenant;

type Body = Record<string, unknown> & { id: string };
const newBorrower = async (more: object = {}) =>
  assertOk(
    await officer.post('/borrowers', { first_name: 'Al', last_name: 'So', ...more }),
  ) as Body;
const put = (id: string, body: object) => officer.put(`/borrowers/${id}`, body);
const casesOf = async (id: string) =>
  ((await officer.get(`/cases?borrower_id=${id}`)).body as Body[]).toReversed();
const statusOf = async (id: string) => {
  const { body } = await officer.get(`/borrowers/${id}`);
  const { bankruptcy_status, military_status, is_deceased, cease_and_desist_date } = body;
  return { bankruptcy_status, military_status, is_deceased, cease_and_desist_date };
};
const NONE = {
  bankruptcy_status: null,
  military_status: null,
  is_deceased: false,
  cease_and_desist_date: null,
};

test.each([
  ['none (checked 2027-11-26)'],
  ['No bankruptcy as of 12/01/2026'],
  ['dismissed 2013-11-07'],
  ['case 7 of 9'],
  ['Filed 2026-02-13, chapter 7'],
  ['Chapter 7 discharged'],
  ['Chapter 13 completed'],
  ['Chapter 7 dismissed'],
  ['Chapter 7 reaffirmed'],
])('the text "%s" is refused as a bankruptcy status, with the list of statuses', async (text) => {
  const { id } = await newBorrower();

  const refused = await put(id, { bankruptcy_status: text });

  expect(refused).toMatchObject({
    status: 422,
    body: { errors: { bankruptcy_status: expect.stringContaining('chapter_13_petition') } },
  });
  expect(await statusOf(id)).toEqual(NONE);
  expect(await casesOf(id)).toEqual([]);
});

test.each([
  ['none', null, null],
  ['chapter_7_petition', 'stay_7', 'A'],
  ['chapter_12_petition', 'stay_12', 'C'],
  ['chapter_13_petition', 'stay_13', 'D'],
  ['chapter_7_discharged', 'discharged_7', 'E'],
  ['chapter_13_discharged', 'discharged_13', 'H'],
  ['chapter_7_dismissed', 'dismissed_7', 'Q'],
  ['chapter_7_reaffirmed', 'reaffirmed', 'R'],
  ['unknown_chapter_petition', 'stay_unknown', 'Z'],
] as const)(
  'the status %s opens a case with the condition %s, reported as %s',
  async (status, condition, code) => {
    const { id } = await newBorrower({ bankruptcy_status: status });

    const [made] = await casesOf(id);
    const conditions = (made?.['conditions'] ?? []) as Record<string, unknown>[];
    const named = conditions.filter((one) => one['condition'] !== 'codebtor_stay');
    expect(await statusOf(id)).toEqual({ ...NONE, bankruptcy_status: condition && status });
    expect(named).toMatchObject(
      condition ? [{ condition, from_date: TODAY, until_date: null }] : [],
    );
    expect(condition && EFFECTS[condition].credit_reporting).toBe(code);
  },
);

test('every bankruptcy status names a condition with a code of its own chapter', () => {
  expect(Object.keys(BANKRUPTCY_STATUS).toSorted()).toEqual(
    Object.keys(EFFECTS)
      .filter((condition) => /^(stay|discharged|dismissed)_|^reaffirmed$/.test(condition))
      .toSorted(),
  );
});

test('a status with an unconfirmed date creates a task for it, and a form that sends it back changes nothing', async () => {
  const { id } = await newBorrower();
  const changed = assertOk(await put(id, { bankruptcy_status: 'chapter_13_petition' }));

  assertOk(await put(id, changed));

  const [made, ...more] = await casesOf(id);
  const tasks = (await officer.get(`/tasks?related_id=${made?.id}&status=open`)).body as Body[];
  expect(more).toEqual([]);
  expect(made).toMatchObject({
    case_type: 'bankruptcy',
    status: 'open',
    facts: { chapter: '13', petition_date: TODAY, estimated_dates: ['petition_date'] },
  });
  expect(tasks.map(({ title }) => String(title)).toSorted()).toEqual([
    `Act on case ${String(made?.['case_number'])} by 2026-08-24`,
    `Complete the dates of case ${String(made?.['case_number'])}`,
  ]);
});

test('a discharge corrects the open case, and a later petition is another case', async () => {
  const { id } = await newBorrower({ bankruptcy_status: 'chapter_7_petition' });
  assertOk(await put(id, { bankruptcy_status: 'chapter_7_reaffirmed' }));
  assertOk(await put(id, { bankruptcy_status: 'chapter_7_discharged' }));

  const first = await casesOf(id);
  assertOk(await put(id, { bankruptcy_status: 'chapter_13_petition' }));

  expect(first).toMatchObject([
    { facts: { chapter: '7', petition_date: TODAY, discharge_date: TODAY } },
  ]);
  expect(first[0]?.['facts']).not.toHaveProperty('reaffirmations');
  expect(await casesOf(id)).toMatchObject([
    { facts: { chapter: '7' } },
    { facts: { chapter: '13', petition_date: TODAY } },
  ]);
  expect(await statusOf(id)).toMatchObject({ bankruptcy_status: 'chapter_13_petition' });
});

test('a corrected case changes the status of its borrower', async () => {
  const { id } = await newBorrower({ bankruptcy_status: 'chapter_13_petition' });
  const [made] = await casesOf(id);

  assertOk(
    await officer.put(`/cases/${made?.id}`, {
      facts: { chapter: '13', petition_date: '2021-02-01', discharge_date: '2026-03-02' },
    }),
  );

  expect(await statusOf(id)).toMatchObject({ bankruptcy_status: 'chapter_13_discharged' });
});

test('null ends a petition, but not a discharge', async () => {
  const [pending, discharged] = [
    await newBorrower({ bankruptcy_status: 'chapter_13_petition' }),
    await newBorrower({ bankruptcy_status: 'chapter_7_discharged' }),
  ];

  assertOk(await put(pending.id, { bankruptcy_status: null }));
  const refused = await put(discharged.id, { bankruptcy_status: 'none' });

  expect(await statusOf(pending.id)).toEqual(NONE);
  expect(refused).toMatchObject({
    status: 422,
    body: { errors: { bankruptcy_status: expect.stringContaining('a discharge does not end') } },
  });
  expect(await statusOf(discharged.id)).toMatchObject({
    bankruptcy_status: 'chapter_7_discharged',
  });
});

test('active duty begins and ends with its case', async () => {
  const { id } = await newBorrower({ military_status: 'active_duty' });
  const [made] = await casesOf(id);
  const during = await statusOf(id);

  assertOk(await officer.put(`/cases/${made?.id}`, { facts: { service_from: '2026-01-01' } }));
  assertOk(await put(id, { military_status: null }));

  expect(during).toEqual({ ...NONE, military_status: 'active_duty' });
  expect(await statusOf(id)).toEqual(NONE);
  expect(await casesOf(id)).toMatchObject([
    {
      facts: {
        service_from: '2026-01-01',
        service_to: '2026-06-14',
        estimated_dates: ['service_to'],
      },
    },
  ]);
  expect((await put(id, { military_status: 'covered' })).status).toBe(422);
});

test('a death that was reported by mistake closes its case as opened in error', async () => {
  const { id } = await newBorrower({ is_deceased: true });
  const dead = await statusOf(id);

  assertOk(await put(id, { is_deceased: false }));

  expect(dead).toEqual({ ...NONE, is_deceased: true });
  expect(await statusOf(id)).toEqual(NONE);
  expect(await casesOf(id)).toMatchObject([{ status: 'closed', opened_in_error: true }]);
});

test('a new petition closes the open case of one that has ended', async () => {
  const { id } = await newBorrower({ bankruptcy_status: 'chapter_7_petition' });
  const [first] = await casesOf(id);
  const facts = { chapter: '7', petition_date: '2026-01-05', dismissal_date: '2026-03-01' };
  assertOk(await officer.put(`/cases/${first?.id}`, { facts }));

  assertOk(await put(id, { bankruptcy_status: 'chapter_13_petition' }));

  expect(await casesOf(id)).toMatchObject([
    { id: first?.id, status: 'closed', resolution: expect.stringContaining('has ended') },
    { status: 'open', facts: { chapter: '13' } },
  ]);
});

test('a demand to stop has the date of its case, and its history shows who changed it', async () => {
  const { id } = await newBorrower({ cease_and_desist_date: '2026-06-01' });
  assertOk(await put(id, { cease_and_desist_date: '2026-05-01' }));
  const after = await statusOf(id);

  const future = await put(id, { cease_and_desist_date: '2026-06-16' });
  assertOk(await put(id, { cease_and_desist_date: null }));

  expect(after).toEqual({ ...NONE, cease_and_desist_date: '2026-05-01' });
  expect(future).toMatchObject({
    status: 422,
    body: { errors: { cease_and_desist_date: expect.stringContaining('business date') } },
  });
  expect(await statusOf(id)).toEqual(NONE);
  expect(await casesOf(id)).toMatchObject([
    { facts: { received_date: '2026-05-01', withdrawn_date: TODAY } },
  ]);
  const history = (await officer.get(`/borrowers/${id}/history`)).body as Body[];
  expect(JSON.stringify(history)).toContain('2026-05-01');
});

test('two people who change the status at once open one case', async () => {
  const { id } = await newBorrower();

  const replies = await Promise.all(
    [1, 2, 3].map(() => put(id, { bankruptcy_status: 'chapter_7_petition' })),
  );

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await casesOf(id)).toHaveLength(1);
});

test('a redacted borrower keeps the dates of conditions, without facts, and can get no new ones', async () => {
  const own = await stage.tenant(TODAY);
  const boss = await own.signedIn('superadmin');
  const { id } = (
    await own.officer.post('/borrowers', {
      first_name: 'Al',
      last_name: 'So',
      bankruptcy_status: 'chapter_7_discharged',
    })
  ).body as Body;
  const [made] = (await own.officer.get(`/cases?borrower_id=${id}`)).body as Body[];
  await stage.owner.query(`update borrowers set created_at = '2010-01-01' where id = $1`, [id]);

  assertOk(await boss.post(`/borrowers/${id}/redact`, { confirm: 'So' }));

  const after = (await boss.get(`/cases/${made?.id}`)).body as Body;
  expect(after).toMatchObject({ facts: {}, conditions: [{ condition: 'discharged_7' }] });
  const corrected = await boss.put(`/cases/${made?.id}`, {
    facts: { chapter: '7', discharge_date: '2026-01-01' },
  });
  expect(corrected).toMatchObject(refusal(409, 'redacted'));
});

test('a status of the borrower never replaces an end that the facts of a case name', async () => {
  const { id } = await newBorrower();
  const ended = { chapter: '7', petition_date: '2020-01-10' };
  await openCase(officer, id, 'bankruptcy', { ...ended, dismissal_date: '2020-05-04' });

  const discharged = await put(id, { bankruptcy_status: 'chapter_7_discharged' });
  const [first] = await casesOf(id);

  expect(discharged.status).toBe(422);
  expect(JSON.stringify(discharged.body)).toContain('has another end. Correct its facts.');
  expect(first).toMatchObject({ facts: { ...ended, dismissal_date: '2020-05-04' } });
  expect(await statusOf(id)).toMatchObject({ bankruptcy_status: 'chapter_7_dismissed' });
});
