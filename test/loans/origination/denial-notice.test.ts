import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import type { DocumentData } from '../../../templates/documents.ts';
import { renderDocument } from '../../../templates/render-document.ts';
import { newLoan } from '../../setup/loans.ts';
import { LETTERHEAD, saveSettings } from '../../setup/settings.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
const ADDRESS = {
  street_line_1: '1 Main Street',
  city: 'Albany',
  state: 'NY',
  postal_code: '12207',
};

test.each([
  [{}, []],
  [{ reason: 'We know them.' }, []],
  [{ reasons: ['bankruptcy', 'other'] }, ['Bankruptcy']],
])(
  'a denial for %j lists only specific reasons and tells the applicant how to get the others',
  async (body, reasons) => {
    const tenant = await stage.tenant('2026-01-15');
    const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
    await tenant.officer.post(`/borrowers/${borrower_id}/addresses`, ADDRESS);
    const { branding } = LETTERHEAD;
    await saveSettings(tenant, { branding: { ...branding, support_phone: '' } });

    const denied = await tenant.officer.post(`/loans/${id}/deny`, body);
    const [draft] = (await tenant.officer.get(`/loans/${id}/adverse-action-notices`)).body;
    const early = await tenant.officer.post(`/adverse-action-notices/${draft.id}/send`, {});
    const printed = (await tenant.officer.get(`/documents?loan_id=${id}`)).body;
    const waiting = (await tenant.officer.get(`/tasks?related_id=${draft.id}`)).body;
    await saveSettings(tenant, { branding });
    const sent = await tenant.officer.post(`/adverse-action-notices/${draft.id}/send`, {});
    const data = await tenant.within(({ tx }) =>
      tx.oneFirst(sql.type(z.object({ data: z.looseObject({}) }))`
        select template_data as data from documents where loan_id = ${id}
      `),
    );
    const html = renderDocument(
      'adverse_action_notice',
      'en',
      data as unknown as DocumentData['adverse_action_notice'],
    );

    expect(denied).toMatchObject({ status: 200, body: { status: 'denied' } });
    expect([draft.status, early.body.status, sent.body.status]).toEqual(['draft', 'draft', 'sent']);
    expect(printed).toEqual([]);
    expect(waiting).toMatchObject([
      {
        title: expect.stringContaining('Complete the settings, then send the notice'),
        due_date: '2026-02-14',
      },
    ]);
    expect(data).toMatchObject({ reasons, reasons_on_request: true });
    expect(html).toContain('contact us within 60 days of the date of this notice');
    expect(html).toContain('<strong>Tenant ' + tenant.slug + ', Loan Servicing</strong>');
    expect(html.includes('Principal reasons')).toBe(reasons.length > 0);
  },
);
