import { randomUUID } from 'node:crypto';
import { PDFDocument } from '@cantoo/pdf-lib';
import { createRequestedBatch } from '../../jobs/mailing/batch.ts';
import { holdLetter } from '../../jobs/mailing/letter.ts';
import type { Work } from '../../jobs/work.ts';
import * as outbound from '../../sql/communications/outbound.ts';
import { sql } from '../../sql/database/db.ts';
import { setBatchStatus } from '../../sql/mailing/batches.ts';
import { insert } from '../../sql/write.ts';
import { insertLoans } from './loan-rows.ts';
import { newFiles, newOutside } from './outside.ts';
import { runJobs } from './queue.ts';
import { saveSettings } from './settings.ts';
import type { Stage } from './world.ts';

/** The stored file whose key has this ending; empty if there is none. */
export function storedFile(stage: Stage, ending: string): Uint8Array {
  const { stored: all } = stage.installation.files as ReturnType<typeof newFiles>;
  const key = [...all.keys()].find((known) => known.endsWith(ending)) ?? '';
  return all.get(key) ?? new Uint8Array();
}

export const BATCH_JOBS = ['make-mail-batch', 'merge-letters', 'finish-mail-batch'];

/** Every letter has its own page width, and every page its own height. */
async function createPdf(letter: number, pages: number) {
  const made = await PDFDocument.create({ updateMetadata: false });
  for (let page = 1; page <= pages; page += 1) made.addPage([200 + letter, 300 + page]);
  return made.save();
}

/** Width and height of each page, which identify the letters in a file. */
export async function pageSizes(bytes: Uint8Array) {
  const read = await PDFDocument.load(bytes, { updateMetadata: false });
  return read.getPages().map((page) => {
    const { width, height } = page.getSize();
    return [width - 200, height - 300] as const;
  });
}

/** A tenant that sends letters with a given number of pages, each to a new borrower. */
export async function newLetterSender(stage: Stage, settings: object = {}) {
  const tenant = await stage.tenant();
  await saveSettings(tenant, settings);
  const { officer } = tenant;
  const outside = Object.assign(newOutside(stage.pool), { files: stage.installation.files });
  let printed = 0;
  const lengths: number[] = [];
  outside.pdf = async () => {
    const pages = lengths.shift() ?? 1;
    return { bytes: await createPdf((printed += 1), pages), pages };
  };
  let people = 0;
  const newBorrower = async (place: object = {}) => {
    people += 1;
    const person = { first_name: '=Grace', last_name: `Hopper ${people}` };
    const borrower_id: string = (await officer.post('/borrowers', person)).body.id;
    const address = await officer.post(`/borrowers/${borrower_id}/addresses`, {
      street_line_1: `${people} Main Street`,
      city: 'Arlington',
      state: 'VA',
      postal_code: '22201',
      ...place,
    });
    const [loan_id] = await insertLoans(tenant, { borrower_id });
    return { borrower_id, loan_id, address_id: String(address.body.id) };
  };
  type Borrower = Awaited<ReturnType<typeof newBorrower>>;
  const send = ({ borrower_id, loan_id }: Borrower) =>
    officer.post('/communications/send', {
      borrower_id,
      loan_id,
      channel: 'letter',
      template_type: 'statement_ready',
    });
  /** Sends and prints one letter to a new borrower. */
  const post = async (pages: number, place?: object) => {
    const borrower = await newBorrower(place);
    lengths.push(pages);
    const { id } = (await send(borrower)).body;
    await runJobs(stage, outside, ['print-letter']);
    return { ...borrower, id: String(id), number: printed, pages };
  };
  const work = () => runJobs(stage, outside, BATCH_JOBS);
  const batch = async () => {
    const made = await officer.post('/mail-batches', {});
    await work();
    return (await officer.get(`/mail-batches/${made.body.id}`)).body;
  };
  return { tenant, officer, outside, newBorrower, send, post, work, batch };
}

/** Inserts letters that wait for a batch as rows, without printing them. */
export async function insertLetters(
  work: Work,
  borrower_id: string,
  many: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < many; made += 1) {
    const document_id = await insert(work.tx, 'documents', {
      borrower_id,
      document_type: 'correspondence',
      filename: 'letter.pdf',
      page_count: 1,
      content_type: 'application/pdf',
      status: 'uploaded',
      source: 'generated',
      storage_key: `letters/of/${randomUUID()}/letter.pdf`,
      sha256_hash: 'a'.repeat(64),
    });
    const letter = { recipient: { name: 'Grace Hopper', address_lines: ['1 Main Street'] } };
    const id = await insert(work.tx, 'communication_logs', {
      borrower_id,
      document_id,
      channel: 'letter',
      status: 'queued',
      body: 'Good day.',
      template_type: 'statement_ready',
      figures: { letter },
    });
    await outbound.markSent(work.tx, id, 1, { provider: 'letters', provider_message_id: id });
    ids.push(id);
  }
  return ids;
}

/** Inserts a failed batch, a ready batch, a waiting letter and held letters. */
export async function insertMailBatches(work: Work, borrower_id: string): Promise<void> {
  const { tx } = work;
  const id = await tx.oneFirst(sql.typeAlias('id')`select id from users order by id limit 1`);
  const asked: Work = { ...work, actor: { ...work.actor, type: 'user', id } };
  for (const status of ['failed', 'ready'] as const) {
    await insertLetters(work, borrower_id, 1);
    await setBatchStatus(tx, await createRequestedBatch(asked, {}), status);
  }
  const [, ...others] = await insertLetters(work, borrower_id, 4);
  for (const letter of others) await holdLetter(work, letter, {});
}
