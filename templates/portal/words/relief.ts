import type { Words } from '../words.ts';

export const relief = {} as const satisfies Words;
