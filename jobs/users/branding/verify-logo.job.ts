import { z } from 'zod';
import * as logos from '../../../sql/users/logos.ts';
import { uuid } from '../../../sql/types.ts';
import { imagePage } from '../../../templates/letterhead.ts';
import { DocumentNotPrintable, DocumentTooSlow } from '../../files/render-errors.ts';
import { job } from '../../job.ts';
import type { ExternalServices } from '../../external-systems.ts';

/** A typical logo needs less than a tenth of either limit. */
const PRINT_TIMEOUT_MS = 2_000;
const PRINTED_BYTES_MAX = 1_000_000;

/**
 * Prints a new logo alone before letters use it. A costly image is detected here and crashes at most one
 * browser. Runs in the documents pool, the only one with a browser.
 */
export const verifyLogo = job({
  name: 'verify-logo',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, logo_id: uuid }),
  attempts: 2,
  key: ({ logo_id }) => `verify-logo:${logo_id}`,

  async run({ tenant_id, logo_id }, outside) {
    const picture = await outside.within(tenant_id, ({ tx }) =>
      logos.dataUri(tx, logo_id, 'pending'),
    );
    if (picture === null) return;
    const problem = await findLogoProblem(outside, imagePage(picture));
    await outside.within(tenant_id, ({ tx }) =>
      problem === null ? logos.markReady(tx, logo_id) : logos.markRefused(tx, logo_id, problem),
    );
  },

  failed: ({ tx }, { logo_id }) =>
    logos.markRefused(
      tx,
      logo_id,
      'The logo could not be printed. Save it with simpler shapes, or as a PNG.',
    ),
});

async function findLogoProblem(outside: ExternalServices, html: string): Promise<string | null> {
  try {
    const { bytes } = await outside.pdf(html, { timeout_ms: PRINT_TIMEOUT_MS });
    if (bytes.length <= PRINTED_BYTES_MAX) return null;
    return 'The logo adds more than 1 MB to each letter. Save it smaller, or with simpler shapes.';
  } catch (error) {
    if (error instanceof DocumentTooSlow)
      return 'Printing the logo takes more than 2 seconds. Save it with simpler shapes, or as a PNG.';
    if (error instanceof DocumentNotPrintable) return error.message;
    throw error;
  }
}
