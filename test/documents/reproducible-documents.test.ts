import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { extractText } from 'unpdf';
import { afterAll, expect, test } from 'vitest';
import { printLetter } from '../../jobs/communications/print-letter.job.ts';
import { renderDocumentJob } from '../../jobs/documents/render.job.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { sql } from '../../sql/database/db.ts';
import type { DocumentName } from '../../templates/documents.ts';
import { openBrowser } from '../../workers/outside/browser.ts';
import { changeEverything, newCorrespondent, CHANGED_WORDS } from '../setup/correspondent.ts';
import { LINE_OF_CREDIT } from '../setup/lines-of-credit.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const folder = fileURLToPath(new URL('../../.data/browser', import.meta.url));
const browser = openBrowser({ folder });
afterAll(() => browser.close());

/** Stores the tenant's own wording where a document allows it. Returns the wording's texts. */
async function word({ admin }: Ground, document_type: string): Promise<string[]> {
  const closing =
    'In our own words, {{ borrower.name }}: see loan {{ loan.number }} at {{ tenant.name }}.';
  const made = await admin.post('/document-wordings', { document_type, language: 'en', closing });
  return made.status === 201 ? ['In our own words, Grace Hopper'] : [];
}

type Ground = Awaited<ReturnType<typeof newCorrespondent>>;
type Print = (outside: ExternalServices) => Promise<void>;
type Told = { print: Print; says: readonly string[] };

/** Prints the latest document of this kind. */
async function printOf({ tenant }: Ground, template: DocumentName): Promise<Print> {
  const document_id = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.typeAlias('id')`
      select id from documents where template = ${template} order by id desc limit 1
    `),
  );
  return (outside) => renderDocumentJob.run({ tenant_id: tenant.id, document_id }, outside);
}

/** How each kind is created and what it must say. A kind that is missing here fails the test below. */
const KINDS: Record<DocumentName, (ground: Ground) => Promise<Told>> = {
  monthly_statement: async (ground) => {
    await travelTo(stage, ground.tenant, '2026-03-01');
    await runJobs(stage, {}, ['issue-statements']);
    const says = ['$10,000.00', 'February 28, 2026'];
    return { print: await printOf(ground, 'monthly_statement'), says };
  },
  tila_disclosure: async (ground) => {
    await newLoan(ground.tenant, { status: 'approved', borrower_id: ground.borrower_id });
    const says = ['$10,000.00', 'January 15, 2026'];
    return { print: await printOf(ground, 'tila_disclosure'), says };
  },
  account_opening_disclosure: async (ground) => {
    const { tenant, borrower_id } = ground;
    const product_id = await newProduct(tenant, LINE_OF_CREDIT);
    await newLoan(tenant, { status: 'approved', borrower_id, product_id });
    const says = ['$10,000.00', '8.50%', 'January 15, 2026', '9 Old Street'];
    return { print: await printOf(ground, 'account_opening_disclosure'), says };
  },
  adverse_action_notice: async (ground) => {
    const { tenant, borrower_id } = ground;
    const asked = await newLoan(tenant, { status: 'pending', borrower_id });
    await tenant.officer.post(`/loans/${asked.id}/deny`, { reasons: ['recent_inquiries'] });
    const says = ['$10,000.00', 'January 15, 2026', 'Example Agency'];
    return { print: await printOf(ground, 'adverse_action_notice'), says };
  },
  payoff_letter: async (ground) => {
    await ground.tenant.officer.post(`/loans/${ground.loan_id}/payoff-quotes`, {});
    const says = ['$10,023.29', 'January 25, 2026', 'January 15, 2026'];
    return { print: await printOf(ground, 'payoff_letter'), says };
  },
  form_1099c: async (ground) => {
    const form = {
      amount_discharged: '700.00',
      identifiable_event_code: 'F',
      identifiable_event_date: '2026-01-15',
    };
    await ground.tenant.officer.post(`/loans/${ground.loan_id}/1099c`, form);
    return { print: await printOf(ground, 'form_1099c'), says: ['700.00', '12-3456789'] };
  },
  letter: async ({ tenant, borrower_id, loan_id, template }) => {
    const { body } = await tenant.officer.post('/communications/send', {
      borrower_id,
      loan_id,
      channel: 'letter',
      template_id: await template('letter'),
    });
    const job = { tenant_id: tenant.id, log_id: body.id, attempt: 1 };
    const says = ['You owe $10,000.00 on January 15, 2026'];
    return { print: (outside) => printLetter.run(job, outside), says };
  },
};

test('exactly three kinds of documents may be worded', async () => {
  const ground = await newCorrespondent(stage);
  const may = await Promise.all(Object.keys(KINDS).map((name) => word(ground, name)));

  expect(Object.keys(KINDS).filter((_, at) => may[at]?.length)).toEqual([
    'monthly_statement',
    'adverse_action_notice',
    'payoff_letter',
  ]);
});

test('every document kind is covered by this test', () => {
  const files = readdirSync(new URL('../../templates/documents/', import.meta.url));
  const names = files.filter((name) => name.endsWith('.html')).map((name) => name.slice(0, -5));
  expect(Object.keys(KINDS).toSorted()).toEqual(names.toSorted());
});

for (const [name, told] of Object.entries(KINDS))
  test(`a ${name.replaceAll('_', ' ')} is the same file when printing is retried a month later`, async () => {
    const ground = await newCorrespondent(stage);
    const worded = await word(ground, name);
    const { print, says } = await told(ground);
    const printed: Uint8Array[] = [];
    const outside = {
      ...newOutside(stage.pool),
      pdf: async (html: string, options?: object) => {
        const pdf = await browser.pdf(html, options);
        printed.push(pdf.bytes);
        return pdf;
      },
    };
    const full = () => Promise.reject(new Error('The disk is full.'));
    const dying = { ...outside, files: { ...outside.files, put: full } };

    await expect(print(dying)).rejects.toThrow('The disk is full.');
    await changeEverything(stage, ground);
    await print(outside);

    const [first, second] = printed.map((bytes) => Buffer.from(bytes));
    const text = (await extractText(new Uint8Array(second ?? []), { mergePages: true })).text;
    for (const words of [...says, ...worded, 'Grace Hopper', '1 Main Street'])
      expect(text).toContain(words);
    for (const words of CHANGED_WORDS) expect(text).not.toContain(words);
    expect(second?.equals(first ?? Buffer.alloc(0))).toBe(true);
  });
