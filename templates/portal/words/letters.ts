import type { Words } from '../words.ts';

export const letters = {} as const satisfies Words;
