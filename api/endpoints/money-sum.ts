import { z } from 'zod';

/** A sum of amounts. It may have more digits than a single amount. */
export const moneySum = z.string().meta({ format: 'decimal', examples: ['1234.56'] });
