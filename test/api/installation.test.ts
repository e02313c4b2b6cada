import { expect, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage, type Stage } from '../setup/world.ts';

const careful = await newStage();
const free = await newStage();
careful.installation.may_close_future = false;

async function announced(stage: Stage) {
  const tenant = await stage.tenant();
  const { id: loan_id } = await newLoan(tenant);
  const { body: link } = await tenant.officer.post('/documents/create-upload-link', {
    loan_id,
    document_type: 'other',
    filename: 'a.pdf',
    content_type: 'application/pdf',
  });
  return { tenant, link: link.upload_url as string };
}

test('two installations in one process close days by their own rules', async () => {
  const close = async (stage: Stage) => {
    const superadmin = await (await stage.tenant('2030-01-15')).signedIn('superadmin');
    return (await superadmin.post('/jobs/close-of-business', {})).status;
  };

  expect(await close(free)).toBe(202);
  expect(await close(careful)).toBe(422);
});

test('each installation signs links to its own files, which the other cannot open', async () => {
  const presigned = (stage: Stage, name: string) => {
    const { files } = stage.installation;
    stage.installation.files = { ...files, presign: async () => `https://${name}.example.com/` };
  };
  presigned(careful, 'careful');
  presigned(free, 'free');

  expect((await announced(careful)).link).toBe('https://careful.example.com/');
  expect((await announced(free)).link).toBe('https://free.example.com/');
});

test('data sealed or signed by one installation cannot be read by the other', async () => {
  const [one, other] = [careful.installation.keys, free.installation.keys];
  const tenant = await careful.tenant();
  const admin = await tenant.signedIn('admin');
  const headers = { 'Idempotency-Key': 'subscribe-once' };
  const subscribe = () =>
    admin.post('/webhooks', { url: 'https://receiver.example/', events: ['*'] }, { headers });

  const made = await subscribe();
  const again = await subscribe();
  const { rows } = await careful.owner.query<{ sealed: string }>(
    'select secret_sealed as sealed from webhook_subscriptions where tenant_id = $1',
    [tenant.id],
  );
  const sealed = rows[0]?.sealed ?? '';

  expect(again.body).toEqual(made.body);
  expect(one.unseal(tenant.id, sealed)).toBe(made.body.secret);
  expect(() => other.unseal(tenant.id, sealed)).toThrow('SECRET does not hold the key');
  expect(one.signatures('a text')).not.toEqual(other.signatures('a text'));
});

test('each installation opens its own private networks only', async () => {
  const production = { isProduction: true };
  careful.installation.networks = parseNetworks(['10.20.0.0/16'], production);
  free.installation.networks = parseNetworks(['10.30.0.0/16'], production);
  const statuses = async (stage: Stage) => {
    const tenant = await stage.tenant();
    const [admin, superadmin] = [
      await tenant.signedIn('admin'),
      await tenant.signedIn('superadmin'),
    ];
    const answers = [];
    for (const host of ['10.20.0.5', '10.30.0.5']) {
      const url = `https://${host}/hook`;
      const branding = { logo_url: `https://${host}/logo.png` };
      const logo = await superadmin.put('/tenant/settings', { branding });
      answers.push([(await admin.post('/webhooks', { url, events: ['*'] })).status, logo.status]);
    }
    return answers;
  };

  const [reached, refused] = [
    [201, 200],
    [422, 422],
  ];
  expect(await statuses(careful)).toEqual([reached, refused]);
  expect(await statuses(free)).toEqual([refused, reached]);
});
