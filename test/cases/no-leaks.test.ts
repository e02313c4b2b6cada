import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { openLog } from '../../jobs/log.ts';
import { sql } from '../../sql/database/db.ts';
import { openCase } from '../setup/cases.ts';
import { runCreditReports } from '../setup/credit-reporting.ts';
import { newBorrower } from '../setup/joint-loans.ts';
import { newLoan } from '../setup/loans.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { subscribeAll } from '../setup/outbound-worker.ts';
import { newOutside } from '../setup/outside.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStaff } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';
import { z } from 'zod';

const logged: string[] = [];
const stage = await newStage({
  log: openLog('trace', {}, { write: (line: string) => void logged.push(line) }),
});

/** Facts with words and days that occur nowhere else. Each case has its own borrower with a loan. */
const FACTS: Record<string, object> = {
  bankruptcy: {
    chapter: '13',
    petition_date: '2026-01-19',
    court: 'planted-court',
    court_case_number: 'planted-number',
  },
  servicemember: {
    service_from: '2026-01-20',
    evidence: 'database',
    certificate_id: 'planted-certificate',
  },
  deceased: { date_of_death: '2019-03-07', evidence: 'obituary' },
  identity_theft: {
    report_type: 'ftc_affidavit',
    report_number: 'planted-affidavit',
    report_received_date: '2019-05-09',
  },
  cease_and_desist: { received_date: '2019-06-11', channel: 'agency' },
  disaster: { from: '2026-01-20', declaration: 'planted-declaration' },
  protection: { name: 'planted_protection', from: '2026-01-20' },
  complaint: {
    received_date: '2019-08-13',
    regulator: 'cfpb',
    regulator_reference: 'planted-regulator',
  },
};
const PLANTED = /planted[-_][a-z]+|2019-0(3-07|5-09|6-11|8-13)/gi;
const LATE_FEE = {
  fee_type: 'late',
  calculation: 'flat',
  trigger: 'past_due',
  amount: '25.00',
  grace_days: 1,
};
const PLACE = {
  street_line_1: '1 Main Street',
  city: 'Arlington',
  state: 'VA',
  postal_code: '22201',
};

const wordsIn = (value: unknown) => [...new Set(JSON.stringify(value)?.match(PLANTED) ?? [])];

test('facts of cases reach no log, webhook, job, task or message, and no user who is denied them', async () => {
  const { tenant, superadmin, officer: denied, deny } = await newStaff(stage);
  const admin = await tenant.signedIn('admin');
  await superadmin.put('/tenant/settings', {
    cases: {
      protections: ['planted_protection'],
      effects: {
        'protection:planted_protection': {
          late_fees: false,
          autopay: false,
          acceleration: false,
          statement: 'no_demand',
        },
      },
    },
  });
  await subscribeAll(tenant, ['https://receiver.example/']);
  const product_id = await newProduct(tenant, { fee_rules: [LATE_FEE] });
  const outside = Object.assign(newOutside(stage.pool), { files: stage.installation.files });
  const payloads: unknown[] = [];
  const work = async () => {
    const { rows } = await stage.owner.query('select payload from graphile_worker._private_jobs');
    payloads.push(...rows);
    await runJobs(stage, outside, JOBS);
  };
  const ids: Record<string, string[]> = { loans: [], borrowers: [], cases: [] };
  const cases: { type: string; id: string; facts: object }[] = [];
  for (const _type of Object.keys(FACTS)) {
    const loan = await newLoan(tenant, { product_id }, admin);
    const other = await newBorrower(tenant);
    await admin.post(`/loans/${loan.id}/co-borrowers`, { borrower_id: other, role: 'co_borrower' });
    for (const person of [loan.borrower_id, other]) {
      await admin.post(`/borrowers/${person}/emails`, { email: 'reader@example.com' });
      await admin.post(`/borrowers/${person}/addresses`, PLACE);
    }
    await admin.post(`/borrowers/${loan.borrower_id}/autopay-plans`, {
      loan_id: loan.id,
      payment_instrument_id: await addBankAccount(admin, loan.borrower_id),
    });
    ids['loans']?.push(loan.id);
    ids['borrowers']?.push(loan.borrower_id, other);
  }
  await travelTo(stage, tenant, '2026-01-21');
  await work();

  for (const [at, type] of Object.keys(FACTS).entries()) {
    const facts = FACTS[type] ?? {};
    const { id } = await openCase(admin, ids['borrowers']?.[2 * at] ?? '', type, facts);
    cases.push({ type, id, facts });
    ids['cases']?.push(id);
  }
  await travelTo(stage, tenant, '2026-02-20');
  await runCreditReports(stage);
  await work();
  for (const { id, facts } of cases) {
    const corrected = await admin.put(`/cases/${id}`, {
      facts: { ...facts, estimated_dates: [] },
      facts_reason: 'planted-reason',
    });
    expect(corrected.status, JSON.stringify(corrected.body)).toBe(200);
  }
  await travelTo(stage, tenant, '2026-03-03');
  await work();
  await deny('cases', 'facts');

  const Texts = z.object({ text: z.string() });
  const told = await tenant.within(({ tx }) =>
    tx.any(sql.type(Texts)`
      select body as text from events union all
      select title || ' ' || coalesce(description, '') from tasks union all
      select concat_ws(' ', subject, body) from communication_logs
    `),
  );
  const places = {
    log: wordsIn(logged),
    jobs: wordsIn(payloads),
    // The bodies of events are what webhooks receive.
    told: wordsIn(told),
    mails: wordsIn(outside.mailbox),
    pages: wordsIn(outside.pages),
  };
  expect([told.length > 20, payloads.length > 5]).toEqual([true, true]);
  expect(places).toEqual({ log: [], jobs: [], told: [], mails: [], pages: [] });

  // The answers of every endpoint that reads.
  const shown: Record<string, string[]> = {};
  for (const { method, path } of routes) {
    if (method !== 'GET' || NOT_JSON.test(path)) continue;
    const [, kind = ''] = path.split('/');
    const urls = path.includes('{')
      ? (ids[kind] ?? []).map((id) => path.replace('{id}', id).replace(/\{\w+\}/, id))
      : [path];
    for (const url of urls) {
      const answer = await denied.get(url.includes('explain') ? `${url}?figure=late_fee` : url);
      const listed: unknown = answer.body;
      if (kind !== '' && !(kind in ids) && Array.isArray(listed))
        ids[kind] = listed.slice(0, 20).map(({ id }: { id: string }) => id);
      const words = JSON.stringify(answer.body)?.match(TELLING) ?? [];
      if (words.length > 0) shown[path] = [...new Set([...(shown[path] ?? []), ...words])];
    }
  }
  expect(shown).toEqual({});
}, 600_000);

const JOBS = ['issue-statements', 'render-document', 'print-letter', 'send-communication'];
/** Pages, files, what users may not see themselves, and the texts of letters to borrowers. */
const NOT_JSON =
  /docs|openapi|ops|portal|stream|download|logo|users\/me|communication-logs\/|loans\/\{id\}\/communications/;
const TELLING =
  /planted[-_][a-z]+|2019-0(3-07|5-09|6-11|8-13)|stay_\d+|discharged_|codebtor|identity.theft|deceased|active.duty|servicemember|bankrupt\w*|chapter.\d+|legal.condition|civil relief|rate.capped/gi;
