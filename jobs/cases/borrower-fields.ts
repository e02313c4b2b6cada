import {
  BANKRUPTCY_STATUS,
  type BankruptcyCondition,
  type BankruptcyStatus,
} from '../../sql/cases/bankruptcy-statuses.ts';
import { cases, findOpenCaseOfType, nextCaseNumber } from '../../sql/cases/cases.ts';
import { findNewestCase } from '../../sql/cases/facts.ts';
import { listLoansOwedBy } from '../../sql/loans/co-borrowers.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import type { Values } from '../../sql/write.ts';
import { auditChange } from '../audit.ts';
import { addBorrower, changeBorrower, type BorrowerInput } from '../borrowers/borrower.ts';
import { addDays } from '../dates.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { changeCase, openCase } from './cases.ts';
import { conditionsChanged } from './conditions-changed.ts';
import { isPersonal, type Chapter, type FactsOf, type FactType } from './rules/facts.ts';

/** The borrower's fields that follow from cases. A write of another value opens, corrects or ends a case. */
type StatusFields = {
  bankruptcy_status?: BankruptcyStatus | 'none' | null | undefined;
  military_status?: 'active_duty' | 'none' | null | undefined;
  is_deceased?: boolean | undefined;
  cease_and_desist_date?: string | null | undefined;
};

type NewBorrower = BorrowerInput & StatusFields & { first_name: string; last_name: string };

/** Adds a borrower, with a case for each legal status that is given. */
export async function addBorrowerWithStatus(work: Work, input: NewBorrower): Promise<string> {
  const [status, details] = splitStatus(input);
  const id = await addBorrower(work, details);
  await applyStatus(work, id, status, {});
  return id;
}

/** Changes a borrower. A legal status that differs opens, corrects or ends a case. */
export async function changeBorrowerWithStatus(
  work: Work,
  id: string,
  changes: BorrowerInput & StatusFields & { borrower_type?: string | undefined },
  row: Row,
) {
  const [status, details] = splitStatus(changes);
  await changeBorrower(work, id, details);
  await applyStatus(work, id, status, row);
  // Some conditions concern individuals only.
  if (details.borrower_type === undefined || details.borrower_type === row['borrower_type']) return;
  const owed = await listLoansOwedBy(work.tx, id);
  await conditionsChanged(
    work,
    owed.map(({ loan_id }) => loan_id),
  );
}

function splitStatus<Input extends StatusFields>(input: Input) {
  const { bankruptcy_status, military_status, is_deceased, cease_and_desist_date, ...details } =
    input;
  const status = { bankruptcy_status, military_status, is_deceased, cease_and_desist_date };
  return [status satisfies StatusFields, details] as const;
}

async function applyStatus(work: Work, id: string, status: StatusFields, before: Values) {
  const step = async <Value>(
    field: keyof StatusFields,
    value: Value | undefined,
    set: (work: Work, id: string, value: Value) => Promise<unknown>,
  ) => {
    if (value === undefined || value === (before[field] || null)) return;
    await namingField(field, async () => {
      await set(work, id, value);
    });
  };
  const { is_deceased } = status;
  await step('bankruptcy_status', valueOf(status.bankruptcy_status), setBankruptcy);
  await step('military_status', valueOf(status.military_status), setService);
  await step('is_deceased', is_deceased === undefined ? undefined : is_deceased || null, setDeath);
  await step('cease_and_desist_date', status.cease_and_desist_date, setDemandToStop);
}

const valueOf = <Value extends string>(value: Value | 'none' | null | undefined) =>
  value === 'none' ? null : (value as Exclude<Value, 'none'> | null | undefined);

/** Reports problems of the facts as problems of the borrower's field. */
async function namingField(field: string, steps: () => Promise<void>) {
  try {
    await steps();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new Invalid({ [field]: Object.values(error.errors).join(' ') });
  }
}

type Newest<Type extends FactType> = { id: string; case_number: string; facts: FactsOf<Type> };

async function newestCase<Type extends FactType>(work: Work, borrowerId: string, type: Type) {
  return (await findNewestCase(work.tx, borrowerId, type)) as Newest<Type> | null;
}

/** The condition that a status names. */
const conditionOf = (status: BankruptcyStatus) =>
  Object.entries(BANKRUPTCY_STATUS).find(([, name]) => name === status)?.[0] as BankruptcyCondition;

async function setBankruptcy(work: Work, borrowerId: string, status: BankruptcyStatus | null) {
  const known = await newestCase(work, borrowerId, 'bankruptcy');
  if (status === null) return endBankruptcy(work, known);
  const [stage, chapter = '7'] = conditionOf(status).split('_') as [string, Chapter?];
  const isOver =
    known !== null &&
    [known.facts.discharge_date, known.facts.dismissal_date, known.facts.closing_date].some(
      Boolean,
    );
  // A petition after an ended one is another bankruptcy.
  const current = stage === 'stay' && isOver ? null : known;
  if (current !== null) assertSameEnd(current, stage);
  const facts = bankruptcyFacts(work.today, current?.facts ?? null, stage, chapter);
  await openOrCorrect(work, borrowerId, 'bankruptcy', current, facts);
}

/** A status does not replace the end of a bankruptcy that the facts of its case name. */
function assertSameEnd({ case_number, facts }: Newest<'bankruptcy'>, stage: string) {
  const isOtherEnd =
    stage === 'dismissed' ? facts.discharge_date !== undefined : facts.dismissal_date !== undefined;
  if (isOtherEnd && stage !== 'stay')
    throw new Invalid({ facts: `The case ${case_number} has another end. Correct its facts.` });
}

/** The facts of the stage. Dates that are not known yet are those of today, as estimates. */
function bankruptcyFacts(
  today: string,
  known: FactsOf<'bankruptcy'> | null,
  stage: string,
  chapter: Chapter,
): FactsOf<'bankruptcy'> {
  const { discharge_date, dismissal_date, reaffirmations, ...rest } = known ?? { chapter };
  const facts: FactsOf<'bankruptcy'> = withChapter(rest, chapter);
  const guessed: string[] = [];
  const guess = (name: string) => {
    guessed.push(name);
    return today;
  };
  if (reaffirmations) facts.reaffirmations = reaffirmations;
  if (stage === 'stay') facts.petition_date ??= guess('petition_date');
  if (stage === 'dismissed') facts.dismissal_date = dismissal_date ?? guess('dismissal_date');
  if (stage === 'discharged' || stage === 'reaffirmed')
    facts.discharge_date = discharge_date ?? guess('discharge_date');
  const isForAll = reaffirmations?.some(({ loan_id }) => loan_id === undefined) ?? false;
  if (stage === 'reaffirmed' && !isForAll)
    facts.reaffirmations = [{ filed_date: guess('reaffirmations.0.filed_date') }];
  if (stage === 'discharged' && isForAll) delete facts.reaffirmations;
  const kept = (rest.estimated_dates ?? []).filter((name) => hasDate(facts, name));
  const estimated_dates = [...new Set([...kept, ...guessed])];
  return { ...facts, estimated_dates };
}

const hasDate = (facts: FactsOf<'bankruptcy'>, name: string) => {
  const [field = ''] = name.split('.');
  return facts[field as keyof typeof facts] !== undefined;
};

/** Corrects the chapter of the petition, or of its last conversion. */
function withChapter(facts: FactsOf<'bankruptcy'>, chapter: Chapter): FactsOf<'bankruptcy'> {
  const last = facts.conversions?.at(-1);
  if (!last) return { ...facts, chapter };
  return {
    ...facts,
    conversions: [...(facts.conversions ?? []).slice(0, -1), { ...last, chapter }],
  };
}

async function endBankruptcy(work: Work, known: Newest<'bankruptcy'> | null) {
  if (known === null) return;
  const { discharge_date, dismissal_date } = known.facts;
  if (discharge_date || dismissal_date)
    throw new Invalid({
      facts: `Follows from the case ${known.case_number}, and a ${discharge_date ? 'discharge' : 'dismissal'} does not end. If it is wrong, correct the facts of the case or set its opened_in_error.`,
    });
  if (known.facts.closing_date) throw fromEarlierCase();
  await correct(work, known, estimated(known.facts, 'closing_date', work.today));
}

/** The newest case has ended, so another one gives the borrower's status. */
const fromEarlierCase = () =>
  new Invalid({ facts: 'Follows from an earlier case of the borrower. Correct its facts.' });

async function setService(work: Work, borrowerId: string, status: 'active_duty' | null) {
  const known = await newestCase(work, borrowerId, 'servicemember');
  const { today } = work;
  if (status !== null) {
    const facts = { service_from: today, estimated_dates: ['service_from'] };
    return openOrCorrect(work, borrowerId, 'servicemember', null, facts);
  }
  if (known === null) return;
  if (known.facts.service_to && known.facts.service_to < today) throw fromEarlierCase();
  if (known.facts.service_from >= today) return withdraw(work, known, 'military_status');
  await correct(work, known, estimated(known.facts, 'service_to', addDays(today, -1)));
}

async function setDeath(work: Work, borrowerId: string, isDead: true | null) {
  const known = await newestCase(work, borrowerId, 'deceased');
  if (isDead === null) return known ? withdraw(work, known, 'is_deceased') : undefined;
  const facts = { date_of_death: work.today, estimated_dates: ['date_of_death'] };
  await openOrCorrect(work, borrowerId, 'deceased', known, facts);
}

async function setDemandToStop(work: Work, borrowerId: string, received_date: string | null) {
  const known = await newestCase(work, borrowerId, 'cease_and_desist');
  const current = known?.facts.withdrawn_date ? null : known;
  if (received_date !== null) {
    const facts = { ...current?.facts, received_date };
    return openOrCorrect(work, borrowerId, 'cease_and_desist', current, facts);
  }
  if (current) await correct(work, current, { ...current.facts, withdrawn_date: work.today });
}

function estimated<Facts extends { estimated_dates?: string[] | undefined }>(
  facts: Facts,
  name: keyof Facts & string,
  date: string,
) {
  const estimated_dates = [...new Set([...(facts.estimated_dates ?? []), name])];
  return { ...facts, [name]: date, estimated_dates };
}

type Known = { id: string; case_number: string };

async function openOrCorrect(
  work: Work,
  borrower_id: string,
  case_type: FactType,
  known: Known | null,
  facts: object,
) {
  if (known !== null) return correct(work, known, facts);
  await closeEndedCase(work, borrower_id, case_type);
  const number = await nextCaseNumber(work.tx, work.today.slice(0, 4));
  await auditChange(work, cases, 'open', null, () =>
    openCase(work, number, {
      borrower_id,
      case_type,
      facts,
      source: 'agent',
      // Users who may not see the facts see the subject.
      subject: 'Status of the borrower',
      description: 'Opened because the status of the borrower was changed. Complete the facts.',
    }),
  );
}

/**
 * Closes the person's open case of the type, because a new one begins. Throws Conflict if a condition of it has no end.
 */
async function closeEndedCase(work: Work, borrowerId: string, type: FactType) {
  const open = isPersonal(type) ? await findOpenCaseOfType(work.tx, borrowerId, type, null) : null;
  if (open === null) return;
  const resolution = 'It has ended, and the status of the borrower began another one.';
  await change(work, open, { status: 'closed', resolution });
}

const correct = (work: Work, known: Known, facts: object) =>
  change(work, known, { facts, facts_reason: 'The status of the borrower was changed.' });

const withdraw = (work: Work, known: Known, field: string) =>
  change(work, known, {
    opened_in_error: true,
    resolution: `The field ${field} of the borrower was cleared.`,
  });

async function change(work: Work, { id }: Known, changes: Parameters<typeof changeCase>[2]) {
  const before = await findLocked(work.tx, cases, id);
  if (before === null) throw new Error(`The case ${id} vanished.`);
  await auditChange(work, cases, 'update', before, async () => {
    await changeCase(work, id, changes, before);
    return id;
  });
}
