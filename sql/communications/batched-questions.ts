type BatchedQuestion = { ids: readonly string[] };

/** Flattens batched questions to one row per borrower; `place` is the index of the question. */
export const flattenQuestions = <Question extends BatchedQuestion>(asked: readonly Question[]) =>
  asked.flatMap(({ ids, ...question }, place) =>
    ids.map((borrower_id) => ({ ...question, place, borrower_id })),
  );

export function groupByQuestion<Row extends { place: number }>(
  asked: readonly BatchedQuestion[],
  rows: readonly Row[],
): Omit<Row, 'place'>[][] {
  const answers = asked.map((): Omit<Row, 'place'>[] => []);
  for (const { place, ...row } of rows) answers[place]?.push(row);
  return answers;
}
