import * as fc from 'fast-check';

/**
 * Property tests try the same cases on every run, so a failure points to a change and not to chance.
 * `PROPERTY_SEED=$RANDOM npm run test:one -- FILE` tries other cases.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
