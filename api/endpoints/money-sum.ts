import { z } from 'zod';

/** What many amounts come to: it may have more digits than one of them. */
export const moneySum = z.string().meta({ format: 'decimal', examples: ['1234.56'] });
