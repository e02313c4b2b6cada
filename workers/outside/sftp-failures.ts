import type { SendResult, Upload } from '../../jobs/external-systems.ts';
import { oneLine } from '../../templates/clean-data.ts';
import { NOT_PUBLIC } from './public-names.ts';

/** An error that lasts until somebody changes the configuration. */
export class SftpRefusal extends Error {}

type Cause = { sentence: string; temporary: boolean };

/** Turns an SFTP error into a message that says what to do, and decides whether a retry can help. */
export function sftpFailureAnswer(error: unknown, upload: Upload): SendResult {
  const { sentence, temporary } = causeOf(error, upload);
  const error_message = oneLine(sentence).slice(0, 500);
  return { ok: false, provider: 'sftp', temporary, error_code: 'sftp', error_message };
}

function causeOf(error: unknown, { folder, username }: Upload): Cause {
  if (!(error instanceof Error)) return { sentence: 'The upload failed.', temporary: true };
  const { message } = error;
  const { level, code } = error as Error & { level?: string; code?: string | number };
  if (error instanceof SftpRefusal || message === NOT_PUBLIC)
    return { sentence: message, temporary: false };
  if (level === 'client-authentication')
    return {
      sentence: `The server does not let ${username} in. Check username, password and private_key.`,
      temporary: false,
    };
  if (/privateKey/.test(message))
    return { sentence: 'The private_key cannot be read: name another.', temporary: false };
  const where = folder === '' ? 'the folder that it opens' : folder;
  // SFTP version 3 status codes: 2 = no such file, 3 = permission denied.
  if (code === 2)
    return { sentence: `The server has no ${where}: make it, or change folder.`, temporary: false };
  if (code === 3)
    return { sentence: `The server lets ${username} not write in ${where}.`, temporary: false };
  const sentence = NETWORK.get(String(code)) ?? message;
  return { sentence, temporary: true };
}

const NETWORK = new Map([
  ['ENOTFOUND', 'The name of the host does not exist.'],
  ['ENODATA', 'The name of the host has no address.'],
  ['EAI_AGAIN', 'The name of the host could not be looked up.'],
  ['ECONNREFUSED', 'The host refused the connection.'],
  ['ECONNRESET', 'The server hung up.'],
  ['ETIMEDOUT', 'The host could not be reached in time.'],
]);
