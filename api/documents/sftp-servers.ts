import { z } from 'zod';
import {
  addSftpServer,
  changeSftpServer,
  SftpFolder,
  SftpHostKeys,
  SftpPrivateKey,
} from '../../jobs/documents/sftp-server.ts';
import { sftpServers as table } from '../../sql/documents/sftp-servers.ts';
import { flag, integer, timestamps, uuid, requiredText } from '../../sql/types.ts';
import { isAnyFieldDenied } from '../endpoints/recent-proof.ts';
import { resource } from '../endpoints/resource.ts';

const printableText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\x21-\x7e]+$/, 'Must not contain spaces.');

export const sftpServers = resource({
  name: 'SftpServer',
  about: 'A server of an investor or mail house, to which the platform uploads tapes and letters.',
  path: 'sftp-servers',
  area: 'documents',
  table,
  read: 'admin',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update'],

  fields: {
    id: uuid.readonly(),
    name: requiredText.describe('The name of the server, for your staff.'),
    host: printableText(253)
      .toLowerCase()
      .describe('A public host name. With a new host, send the password or key again.'),
    port: integer
      .refine((port) => port === 22 || (port >= 1024 && port <= 65_535), {
        error: 'Must be 22, or 1024 or higher.',
      })
      .default(22)
      .describe('The port: 22, or 1024 and higher.'),
    username: printableText(100).describe('The user name with which the platform signs in.'),
    signs_in_by: z
      .enum(['password', 'private_key'])
      .readonly()
      .describe('Whether the server accepts the stored password or the stored private key.'),
    host_keys: SftpHostKeys.describe(
      'Fingerprints of the keys that the server may show, as ssh-keygen -lf prints them: SHA256:… ' +
        'A server with another key is refused, also the first time.',
    ),
    folder: SftpFolder.default('').describe(
      "The folder that receives the files. Empty means the server's default folder.",
    ),
    is_active: flag.default(true).describe('Whether files are uploaded to the server.'),
    ...timestamps,
  },
  writeOnly: {
    password: z
      .string()
      .min(1)
      .max(1_000)
      .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters.')
      .nullish()
      .describe('The password. Give it or `private_key`. Stored sealed and never returned.'),
    private_key: SftpPrivateKey.nullish().describe(
      'Use this instead of a password: PEM or OpenSSH format, without a passphrase.',
    ),
  },
  filters: ['name', 'host', 'is_active'],
  // They receive tapes and letters.
  carries: () => 'anything',

  four_eyes: { create: 'destinations', update: 'destinations' },
  needs_proof: { create: isAnyFieldDenied, update: isAnyFieldDenied },
  example: () => ({
    host: 'sftp.fund.example',
    username: 'lender',
    password: 'a-secret',
    host_keys: ['SHA256:uNiVztksCsDhcc0u9e8BrrHXzGOdLZEDN1jn9nT5nE8'],
  }),
  create: addSftpServer,
  update: changeSftpServer,
});
