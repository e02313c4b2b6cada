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
