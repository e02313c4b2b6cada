import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import type { DocumentData } from '../../templates/documents.ts';
import { renderDocument } from '../../templates/render-document.ts';
import { newLoan } from '../setup/loans.ts';
import { LETTERHEAD, saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test.each([
  [{}, []],
  [{ reason: 'We know them.' }, []],
  [{ reasons: ['bankruptcy', 'other'] }, ['Bankruptcy']],
])(
  'a denial for %j lists only specific reasons and tells the applicant how to get the others',
  async (body, reasons) => {
    const tenant = await stage.tenant('2026-01-15');
    const { id } = await newLoan(tenant, { status: 'pending' });
    const { branding } = LETTERHEAD;
    await saveSettings(tenant, { branding: { ...branding, support_phone: '' } });

    const incomplete = await tenant.officer.post(`/loans/${id}/deny`, body);
    await saveSettings(tenant, { branding });
    const denied = await tenant.officer.post(`/loans/${id}/deny`, body);
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

    expect(incomplete).toMatchObject({ status: 409, body: { code: 'tenant_incomplete' } });
    expect(incomplete.body.details.settings).toEqual(['branding.support_phone']);
    expect(denied.status).toBe(200);
    expect(data).toMatchObject({ reasons, reasons_on_request: true });
    expect(html).toContain('contact us within 60 days of the date of this notice');
    expect(html).toContain('<strong>Tenant ' + tenant.slug + ', Loan Servicing</strong>');
    expect(html.includes('Principal reasons')).toBe(reasons.length > 0);
  },
);
