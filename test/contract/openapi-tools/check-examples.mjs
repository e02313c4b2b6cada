/* Compares every example in the OpenAPI document with its schema. Prints the count and the problems as JSON. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addFormat('decimal', /^-?\d+(\.\d+)?$/);
ajv.addFormat('int32', { type: 'number', validate: Number.isInteger });
ajv.addFormat('binary', true);
ajv.addSchema(document, 'openapi.json');

const escape = (part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
const resolve = (part) => {
  if (part.$ref === undefined) return part;
  const path = part.$ref.replace(/^#\//, '').split('/');
  return resolve(path.reduce((at, name) => at[name], document));
};

/* Every schema that has an example, with the place of the schema. */
function* examples(at, place) {
  if (typeof at !== 'object' || at === null) return;
  const { schema, example, examples: several = {} } = at;
  if (schema === undefined) {
    for (const [name, inner] of Object.entries(at)) yield* examples(inner, [...place, name]);
    return;
  }
  const where = [...place, 'schema'];
  if (example !== undefined) yield [where, example];
  for (const each of Object.values(several)) yield [where, resolve(each).value];
}

const { paths, webhooks, components } = document;
const { parameters, headers, responses } = components;
const parts = { paths, webhooks, components: { parameters, headers, responses } };
const problems = [];
let count = 0;
for (const [place, example] of examples(parts, [])) {
  count += 1;
  const validate = ajv.compile({ $ref: `openapi.json#/${place.map(escape).join('/')}` });
  if (!validate(example))
    problems.push(`${place.slice(0, -1).join(' ')}: ${ajv.errorsText(validate.errors)}`);
}
console.log(JSON.stringify({ count, problems }));
