import type { Interceptor } from 'slonik';
import type { z } from 'zod';

/** Checks rows against the schema that each query declares. */
export const checkRows: Interceptor = {
  name: 'check-rows',
  transformRow: ({ resultParser }, query, row) => {
    if (!resultParser) return row;
    const checked = (resultParser as unknown as z.ZodType).safeParse(row);
    if (checked.success) return checked.data as typeof row;
    throw new Error(
      `A row does not match the schema of its query: ${checked.error.message} in ${query.sql}`,
    );
  },
};
