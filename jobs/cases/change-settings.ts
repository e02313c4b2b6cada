import { isDeepStrictEqual } from 'node:util';
import { enqueue } from '../job.ts';
import { changeSettings } from '../users/settings/change-settings.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { followCaseSettings } from './follow-settings.job.ts';

/** Changes settings like `changeSettings`. If the effects of legal conditions change, the loans follow in a job. */
export async function changeSettingsOfTenant(
  work: Work,
  ...change: [
    given: Parameters<typeof changeSettings>[1],
    check?: Parameters<typeof changeSettings>[2],
  ]
) {
  const { cases: before } = await settingsOf(work.tx);
  const settings = await changeSettings(work, ...change);
  if (!isDeepStrictEqual(before.effects, settings.cases.effects))
    await enqueue(work.tx, followCaseSettings, { tenant_id: work.tenant_id });
  return settings;
}
