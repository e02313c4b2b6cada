/** A file of dispute requests with the given values by column. */
export function disputeFile(rows: readonly Record<string, string>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((name) => quoted(row[name] ?? '')).join(','));
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

const quoted = (value: string) =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

/** A request of Equifax about a loan, received on 2026-02-03. */
export const disputeRequest = (account_number: string, wish: Record<string, string> = {}) => ({
  control_number: `ACDV-${account_number}`,
  subscriber_code: '155AB12345',
  account_number,
  response_due_date: '2026-02-25',
  bureau_received_date: '2026-01-30',
  dispute_code_1: '106',
  dispute_code_2: '',
  fcra_relevant_information: '',
  ...wish,
});
