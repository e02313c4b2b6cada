import { hash } from 'node:crypto';
import type { z } from 'zod';
import { HttpRefusal } from './errors.ts';

/** What makes the version of a record: those of its fields, as they are answered, that a PUT may write. */
export type Version = { reply: z.ZodType; names: readonly string[] };

/**
 * The ETag of a record as it is answered. What the server computes anew every day is not in it: a
 * change that somebody prepared is refused for what another has written and for nothing else.
 */
export function etagOf({ names }: Version, answer: unknown): string {
  const row = answer as Record<string, unknown>;
  const values = names.map((name) => row[name] ?? null);
  return `"${hash('sha256', JSON.stringify(values), 'base64url').slice(0, 27)}"`;
}

/** One member of the list, with the comma or the end that follows it (RFC 9110, 8.8.3 and 13.1.1). */
const MEMBER = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(?:,|$)/y;

/** What If-Match asks for. */
export type WantedVersions = '*' | readonly string[] | null;

/** The tags that If-Match names; '*' stands for any. Null where there is no such header. */
export function parseIfMatch(header: string | undefined): WantedVersions {
  if (header === undefined) return null;
  if (header.trim() === '*') return '*';
  const tags: string[] = [];
  for (MEMBER.lastIndex = 0; MEMBER.lastIndex < header.length;) {
    const member = MEMBER.exec(header);
    if (member === null) throw malformed();
    if (member[1] !== undefined) tags.push(member[1]);
  }
  if (tags.length === 0) throw malformed();
  return tags;
}

const malformed = () =>
  new HttpRefusal(
    400,
    'malformed_header',
    'If-Match must be * or a list of quoted tags from the ETag header.',
  );

/**
 * Refuses a change of a record that is no longer what the request says it read. The record is locked,
 * so that it stays what it is, and compared as whoever asks is shown it. Tags are compared strongly, as RFC 9110 asks: a weak one fits nothing.
 */
export function checkMatch(
  wanted: WantedVersions,
  version: Version | undefined,
  row: unknown,
  shown: (answer: unknown) => unknown,
) {
  if (wanted === null || wanted === '*' || version === undefined) return;
  if (wanted.includes(etagOf(version, shown(version.reply.parse(row))))) return;
  throw new HttpRefusal(
    412,
    'precondition_failed',
    'The record has changed since you read it. Read it again and repeat the change with its new ETag.',
  );
}
