import { Invalid } from '../../jobs/errors.ts';
import { storeFormFile } from '../documents/storage.ts';
import { filledFields, formIdempotencyKey } from './form-fields.ts';
import { redirectTo, pageView, type Page } from './page.ts';
import { fetchAllRows, fetchRow, fetchRows } from './fetch-rows.ts';

const LOANS = 'GET /portal/loans';

const documents: Page = {
  path: '/documents',
  takesFile: true,
  show: async (visit) => {
    const { rows, older } = await fetchRows(visit, 'GET /portal/documents');
    const documents = rows.filter(({ status }) => status !== 'pending' && status !== 'expired');
    return pageView('documents', {
      documents,
      older,
      loans: await fetchLoanChoices(visit),
    });
  },
  /** Runs the three steps of an upload with the file from the form. */
  submit: async (visit) => {
    const { ask, form, store, tenant } = visit;
    const { file } = form;
    if (file === null) throw new Invalid({ file: 'Is required.' });
    const about = filledFields(visit, 'loan_id', 'document_type');
    const body = { ...about, filename: file.name, content_type: file.type };
    const asked = { body, ...formIdempotencyKey(visit) };
    const { id } = await withFileErrors(() =>
      ask<{ id: string }>('POST /portal/documents/upload', asked),
    );
    try {
      const content = file.content();
      const put = await storeFormFile(store, tenant, { id, ...file, content });
      const described = { file_size: put.size, sha256_hash: put.sha256_hash };
      await ask('POST /portal/documents/{id}/confirm-upload', { params: { id }, body: described });
    } catch (error) {
      // After a second click, the file of the first click already exists.
      const document = await fetchRow(visit, 'GET /portal/documents', id);
      if (document === undefined || document['status'] === 'pending') throw error;
    }
    return redirectTo('/portal/documents', 'document_sent');
  },
};

/** Shows a file's error next to the file field. */
async function withFileErrors<Answer>(steps: () => Promise<Answer>): Promise<Answer> {
  try {
    return await steps();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const { content_type, filename, ...errors } = error.errors;
    const file = content_type === undefined ? filename : UNSUPPORTED_FILE_TYPE;
    throw new Invalid({ ...errors, ...(file !== undefined && { file }) });
  }
}

const UNSUPPORTED_FILE_TYPE =
  'This file type is not supported. Send a PDF, a photo or an Office file.';

/** The link is created on click, because it expires within minutes. */
const download: Page = {
  path: '/documents/{id}/download',
  show: async ({ ask, params }) => {
    const link = await ask<{ url: string }>('GET /portal/documents/{id}/download', { params });
    return redirectTo(link.url);
  },
};

/** Fetches the borrower's loans for a form, optionally only those where the given field is true. */
export const fetchLoanChoices = async (
  visit: Parameters<typeof fetchAllRows>[0],
  field?: 'can_change',
) =>
  (await fetchAllRows(visit, LOANS))
    .filter((loan) => field === undefined || loan[field] === true)
    .map(({ id, loan_number }) => ({ value: id, label: loan_number }));

export const documentPages: readonly Page[] = [documents, download];
