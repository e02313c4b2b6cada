import * as fc from 'fast-check';

/**
 * Properties are tried with the same cases on every run, so that a run says something about the
 * change and not about luck. `PROPERTY_SEED=$RANDOM npm run test:one -- FILE` looks at other cases.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
