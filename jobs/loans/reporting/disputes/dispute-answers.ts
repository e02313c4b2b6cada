import { z } from 'zod';
import { csvHeader } from '../../../../sql/csv.ts';
import { cancelTasksOfAnswers } from '../../../../sql/loans/reporting/credit-disputes.ts';
import * as answers from '../../../../sql/loans/reporting/dispute-answers.ts';
import { lockDisputeExchange } from '../../../../sql/loans/reporting/dispute-imports.ts';
import { currentTenant } from '../../../../sql/tenants.ts';
import { insert, update } from '../../../../sql/write.ts';
import { recordAudit } from '../../../audit.ts';
import { Conflict } from '../../../errors.ts';
import type { Files } from '../../../files/files.ts';
import { storageKey } from '../../../files/keys.ts';
import type { Within, Work } from '../../../work.ts';
import { CORRECTABLE_FIELDS } from '../corrections/correctable-fields.ts';
import { BUREAUS } from '../bureaus.ts';

export const NewAnswerFile = z.object({
  bureau: z.enum(BUREAUS).describe('The bureau that receives the answers.'),
});
type NewAnswerFile = z.output<typeof NewAnswerFile>;

/** Puts every answer to the bureau that is not in a file yet into one file. */
async function orderAnswerFile(work: Work, { bureau }: NewAnswerFile): Promise<string> {
  const { tx, today } = work;
  await lockDisputeExchange(tx);
  const number = (await answers.countAnswerFiles(tx, bureau)) + 1;
  const filename = `acdv-answers-${bureau}-${today}-${number}.csv`;
  const { slug: tenant_slug } = await currentTenant(tx);
  const path = { tenant_slug, loan_id: 'credit-reporting', document_type: 'answers', filename };
  const id = await insert(tx, 'credit_dispute_answer_files', {
    bureau,
    answer_count: 0,
    filename,
    storage_key: storageKey(path),
    created_by: work.actor.id,
  });
  const answer_count = await answers.assignAnswers(tx, id, bureau);
  if (answer_count === 0) throw noAnswersToSend();
  await update(tx, 'credit_dispute_answer_files', id, { answer_count });
  await cancelTasksOfAnswers(tx, id);
  await recordAudit(work, { type: 'credit_dispute_answer_files', id }, 'create', {});
  return id;
}

/** Safe to repeat: answers do not change, so a second run writes the same file. */
async function makeAnswerFile(within: Within, files: Files, tenantId: string, id: string) {
  const made = await within(
    tenantId,
    async ({ tx }) => {
      const file = await answers.readAnswerFile(tx, id);
      if (file === null || file.status === 'completed') return null;
      const lines = await answers.writeAnswerLines(tx, id, CORRECTABLE_FIELDS);
      const header = csvHeader(answers.answerColumns(CORRECTABLE_FIELDS));
      return { key: file.storage_key, text: header + lines };
    },
    { readOnly: true },
  );
  if (made === null) return;
  const { size, sha256_hash } = await files.put(made.key, Buffer.from(made.text));
  const done = { status: 'completed', file_size: size, sha256_hash };
  await within(tenantId, ({ tx }) => update(tx, 'credit_dispute_answer_files', id, done));
}

/** Completes files whose creation was interrupted, then creates a new one. Returns its id. */
export async function sendAnswerFile(
  within: Within,
  files: Files,
  tenantId: string,
  input: NewAnswerFile,
): Promise<string> {
  for (const id of await within(tenantId, ({ tx }) => answers.pendingAnswerFileIds(tx)))
    await makeAnswerFile(within, files, tenantId, id);
  const id = await within(tenantId, (work) => orderAnswerFile(work, input));
  await makeAnswerFile(within, files, tenantId, id);
  return id;
}

export const noAnswersToSend = () =>
  new Conflict('No answers are waiting to be sent to this bureau.', 'nothing_to_send');
