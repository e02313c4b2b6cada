import type { Transaction } from '../../../sql/database/db.ts';
import { findCurrentList } from '../../../sql/borrowers/sanctions-list.ts';
import type { Settings } from '../../users/settings/settings.ts';
import { findListedMatches } from './listed-matches.ts';
import type { NameForms, SubjectType } from './names.ts';
import type { BirthDateMatch } from './score.ts';

/** A name of a borrower that is screened. */
export type Subject = {
  borrower_id: string;
  subject_type: SubjectType;
  screened_name: string;
  forms: NameForms;
  date_of_birth: string | null;
};

/** A name on the list that must be reviewed. `subject` is the place in the given list of subjects. */
export type Match = {
  subject: number;
  entry_number: number;
  listed_name: string;
  score: number;
  date_of_birth_match: BirthDateMatch;
};

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
