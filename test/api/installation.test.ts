import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStage, type Stage } from '../setup/world.ts';

const careful = await newStage();
const free = await newStage();
careful.installation.may_close_future = false;

async function announced(stage: Stage) {
  const tenant = await stage.tenant();
  const { id: loan_id } = await newLoan(tenant);
  const { body: link } = await tenant.officer.post('/documents/create-upload-link', {
    ...{ loan_id, document_type: 'other', filename: 'a.pdf', content_type: 'application/pdf' },
  });
  return { tenant, link: link.upload_url as string };
}

test('two installations in one process close days by rules of their own', async () => {
  const close = async (stage: Stage) => {
    const superadmin = await (await stage.tenant('2030-01-15')).signedIn('superadmin');
    return (await superadmin.post('/jobs/close-of-business', {})).status;
  };

  expect(await close(free)).toBe(202);
  expect(await close(careful)).toBe(422);
});

test('each gives links to its own files, which the other does not know', async () => {
  const presigned = (stage: Stage, name: string) => {
    const { files } = stage.installation;
    stage.installation.files = { ...files, presign: async () => `https://${name}.example.com/` };
  };
  presigned(careful, 'careful');
  presigned(free, 'free');

  expect((await announced(careful)).link).toBe('https://careful.example.com/');
  expect((await announced(free)).link).toBe('https://free.example.com/');
});
