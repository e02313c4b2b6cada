import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('./mappings/', import.meta.url);
const YAML = '.yaml';

/** The names of the mappings that are ready to use, for public formats of loan files. */
export const readyMappings = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(YAML))
    .map((file) => file.slice(0, -YAML.length))
    .toSorted();

/** The text of a ready mapping, or null if there is none with this name. */
export const readReadyMapping = (name: string): string | null =>
  readyMappings().includes(name) ? readFileSync(new URL(`${name}${YAML}`, FOLDER), 'utf8') : null;
