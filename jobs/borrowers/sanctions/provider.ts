import type { Transaction } from '../../../sql/database/db.ts';
import { findCurrentList } from '../../../sql/borrowers/sanctions-list.ts';
import type { Settings } from '../../users/settings/settings.ts';
import { findListedMatches } from './listed-matches.ts';
import type { Match, Subject } from './subject.ts';

export type ScreeningList = { id: string; published_on: string };

/** Screens names. A provider looks up only what is stored, because it runs inside a transaction. */
export type ScreeningProvider = {
  /** The list that it screens against now; null if it has none. */
  findList(tx: Transaction): Promise<ScreeningList | null>;
  /** With `since`, compares only with names that are newer than that list. */
  findMatches(
    tx: Transaction,
    subjects: readonly Subject[],
    since: string | null,
  ): Promise<readonly Match[]>;
};

const PROVIDERS = {
  sdn_list: { findList: findCurrentList, findMatches: findListedMatches },
} satisfies Record<string, ScreeningProvider>;

/** The provider of the tenant; null if it does not screen. */
export const screeningProvider = ({
  sanctions_screening,
}: Settings['compliance']): ScreeningProvider | null =>
  sanctions_screening === 'off' ? null : PROVIDERS[sanctions_screening];
