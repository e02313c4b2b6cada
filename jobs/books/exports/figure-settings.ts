import type { Transaction } from '../../../sql/database/db.ts';
import { tenantFacts } from '../../../sql/users/settings.ts';
import { settingsOf, type Settings } from '../../users/settings/settings.ts';

/** The groups of settings that decide about figures. Others concern access, texts and messages. */
const GROUPS = [
  ...(['accounting', 'delinquency', 'suspense', 'non_accrual', 'charge_off'] as const),
  ...(['payoff', 'servicing_transfers', 'cases'] as const),
] as const;
const FACTS = ['currency', 'time_zone'] as const;

export type FigureSetting = { name: string; value: unknown };

const flatten = (settings: Settings): FigureSetting[] => [
  ...GROUPS.flatMap((group) =>
    Object.entries(settings[group]).map(([key, value]) => ({ name: `${group}.${key}`, value })),
  ),
  { name: 'eod_cutoff_time', value: settings.eod_cutoff_time },
];

/** All settings of the tenant on which figures depend, also those that have their defaults. */
export async function listFigureSettings(tx: Transaction): Promise<FigureSetting[]> {
  const facts = await tenantFacts(tx);
  return [...FACTS.map((name) => ({ name, value: facts[name] })), ...flatten(await settingsOf(tx))];
}
