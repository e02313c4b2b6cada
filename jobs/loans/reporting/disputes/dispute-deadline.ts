import { isBusinessDay } from '../../../banks/bank-calendar.ts';
import { addDays, earliest } from '../../../dates.ts';

/** Days to answer a dispute, and with an extension (FCRA 611(a)(1), 15 USC 1681i(a)(1); 623(b)(2)). */
const DAYS = 30;
const DAYS_EXTENDED = 45;
/** Business days that a bureau has to forward a dispute to the furnisher (FCRA 611(a)(2)(A)). */
const DAYS_TO_FORWARD = 5;

type Received = {
  dispute_source: string;
  received_date: string;
  bureau_received_date: string | null;
  response_due_date: string | null;
  is_extended: boolean;
};

/**
 * The last day to answer. A bureau's period begins when the bureau receives the dispute, so it is the
 * furnisher's too (FCRA 623(b)(2)). If that day is unknown, the bureau is assumed to have taken all of its
 * five business days to forward the dispute. The bureau may ask for an earlier answer.
 */
export function disputeDueDate(received: Received): string {
  const due = addDays(periodStart(received), received.is_extended ? DAYS_EXTENDED : DAYS);
  const { response_due_date } = received;
  return response_due_date === null ? due : earliest(response_due_date, due);
}

function periodStart({ dispute_source, received_date, bureau_received_date }: Received): string {
  if (dispute_source !== 'indirect_acdv') return received_date;
  if (bureau_received_date !== null) return bureau_received_date;
  let day = received_date;
  for (let left = DAYS_TO_FORWARD; left > 0;) {
    day = addDays(day, -1);
    if (isBusinessDay(day)) left -= 1;
  }
  return day;
}
