type Asked = { ids: readonly string[] };

/** What several ask of borrowers at the same moment, a row for each borrower, with who asks. */
export const flattenQuestions = <Question extends Asked>(asked: readonly Question[]) =>
  asked.flatMap(({ ids, ...question }, place) =>
    ids.map((borrower_id) => ({ ...question, place, borrower_id })),
  );

/** For each who asked the rows that are the answer to it. */
export function groupByQuestion<Row extends { place: number }>(
  asked: readonly Asked[],
  rows: readonly Row[],
): Omit<Row, 'place'>[][] {
  const answers = asked.map((): Omit<Row, 'place'>[] => []);
  for (const { place, ...row } of rows) answers[place]?.push(row);
  return answers;
}
