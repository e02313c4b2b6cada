/* Lints the OpenAPI document with the recommended rules of Redocly and Spectral. Prints the problems as JSON. */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const [, , file] = process.argv;
const source = readFileSync(file, 'utf8');

/* The examples are checked by check-examples.mjs, which takes seconds instead of a minute. */
const REDOCLY = { 'no-invalid-media-type-examples': 'off', 'no-invalid-parameter-examples': 'off' };
const SPECTRAL = {
  'oas3-valid-media-example': 'off',
  'oas3-valid-schema-example': 'off',
  /* Users of the API ask their own lender, whose address is in the settings of the tenant. */
  'info-contact': 'off',
};

const config = await createConfig({ extends: ['recommended'], rules: REDOCLY });
const redocly = await lintFromString({ source, absoluteRef: file, config });

const linter = new spectral.Spectral();
linter.setRuleset({ extends: [[rulesets.oas, 'recommended']], rules: SPECTRAL });
const found = await linter.run(JSON.parse(source));

console.log(
  JSON.stringify({
    redocly: redocly.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
    ),
    spectral: found.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`),
  }),
);
