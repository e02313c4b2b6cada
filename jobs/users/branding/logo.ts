import * as logos from '../../../sql/users/logos.ts';
import * as stored from '../../../sql/users/settings.ts';
import { insert } from '../../../sql/write.ts';
import type { Letter } from '../../../templates/letter.ts';
import { recordAudit } from '../../audit.ts';
import { Conflict } from '../../errors.ts';
import { enqueue } from '../../job.ts';
import { settingsOf } from '../settings/settings.ts';
import type { Work } from '../../work.ts';
import { fetchLogo } from './fetch-logo.job.ts';

/** Maximum fetches per day. Every attempt and every image is kept, because letters may refer to it. */
const FETCHES_PER_DAY_MAX = 20;

/**
 * Queues a fetch of the tenant's logo unless one is pending. Until it succeeds, letters show the previous
 * logo or the tenant's name. The caller must hold the settings lock.
 */
export async function requestLogo(work: Work, url: string) {
  if ((await logos.findLatest(work.tx, url))?.status === 'pending') return;
  if ((await logos.countRequestsToday(work.tx)) >= FETCHES_PER_DAY_MAX) throw tooManyLogos();
  const logo_id = await insert(work.tx, 'logos', { url });
  await enqueue(work.tx, fetchLogo, { tenant_id: work.tenant_id, logo_id });
}

/** Fetches the logo again from its current URL. Does nothing if a fetch is pending. */
export async function refetchLogo(work: Work) {
  await stored.lockSettings(work.tx);
  const { logo_url } = (await settingsOf(work.tx)).branding;
  if (logo_url === '') throw noLogo();
  const before = await logos.findLatest(work.tx, logo_url);
  if (before?.status !== 'pending') {
    await requestLogo(work, logo_url);
    const changes = { logo: { old: before?.status ?? null, new: 'pending' } };
    await recordAudit(work, { type: 'tenants', id: work.tenant_id }, 'fetch-logo', changes);
  }
  return getLogoStatus(work);
}

const NONE = { status: 'none' as const, problem: null, content_type: null, sha256_hash: null };

/** The configured logo and the result of its last fetch. */
export async function getLogoStatus({ tx }: Pick<Work, 'tx'>) {
  const { logo_url: url } = (await settingsOf(tx)).branding;
  const none = { ...NONE, url, width: null, height: null, created_at: null };
  return url === '' ? none : ((await logos.findLatest(tx, url)) ?? none);
}

/** Embeds the logo that was current when the letter was made, if there was one. */
export async function embedLogo<Data extends Pick<Letter, 'tenant'>>(
  { tx }: Pick<Work, 'tx'>,
  data: Data,
): Promise<Data> {
  const { tenant } = data;
  const logo_url = tenant.logo_id ? await logos.dataUri(tx, tenant.logo_id) : null;
  return { ...data, tenant: { ...tenant, branding: { ...tenant.branding, logo_url } } };
}

export const tooManyLogos = () =>
  new Conflict(
    `The logo was fetched ${FETCHES_PER_DAY_MAX} times within a day. Try again tomorrow.`,
    'too_many_logos',
  );

export const noLogo = () =>
  new Conflict('There is no logo. Set branding.logo_url first.', 'no_logo');
