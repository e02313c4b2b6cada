import type { z } from 'zod';
import * as accounts from '../../../sql/users/accounts.ts';
import * as passkeys from '../../../sql/users/passkeys.ts';
import { users } from '../../../sql/users/users.ts';
import { find } from '../../../sql/table.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { readChallenge, type NewPasskey, type SignedPasskey } from './passkey-shapes.ts';
import { settingsOf } from '../settings/settings.ts';

const PASSKEYS_MAX = 10;
/** EdDSA, ES256 and RS256 (COSE identifiers), which devices support. */
const ALGORITHMS = [-8, -7, -257];

/**
 * A passkey belongs to a host name. It can be used on pages of the request's origin or of the tenant's
 * trusted origins.
 */
export type PasskeySite = { origin: string };
const hostOf = ({ origin }: PasskeySite) => new URL(origin).hostname;
const originsOf = async ({ tx }: Work, { origin }: PasskeySite) => [
  origin,
  ...(await settingsOf(tx)).auth.trusted_origins,
];

/** Loaded on first use, because the library and its certificate parsers are large. */
const library = () => import('@simplewebauthn/server');

/** Options for `navigator.credentials.create()`. Throws Conflict if the user has too many passkeys. */
export async function passkeyCreationOptions(work: Work, userId: string, site: PasskeySite) {
  const { tx } = work;
  const known = await passkeys.listPasskeys(tx, userId);
  if (known.length >= PASSKEYS_MAX) throw tooManyPasskeys();
  const user = await find(tx, users, userId);
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: (await accounts.findSender(tx)).name,
    rpID: hostOf(site),
    userID: Buffer.from(userId.replaceAll('-', ''), 'hex'),
    userName: String(user?.['email']),
    userDisplayName: `${String(user?.['first_name'])} ${String(user?.['last_name'])}`,
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(({ credential_id: id }) => ({ id })),
  });
  const { challenge } = options;
  await passkeys.saveChallenge(tx, { challenge, user_id: userId, purpose: 'enrollment' });
  return options;
}

type CreatedPasskey = { credential: z.output<typeof NewPasskey>; name: string };

/** Verifies and stores a new passkey of this user and host. Uses up the challenge. */
export async function addPasskey(
  work: Work,
  userId: string,
  site: PasskeySite,
  made: CreatedPasskey,
) {
  const { tx } = work;
  const { credential, name } = made;
  const challenge = readChallenge(credential.response.clientDataJSON);
  const taken = { challenge, user_id: userId, purpose: 'enrollment' } as const;
  if (!(await passkeys.useChallenge(tx, taken)))
    throw new Invalid({ credential: CHALLENGE_EXPIRED });
  const { verifyRegistrationResponse } = await library();
  const expected = {
    expectedChallenge: challenge,
    expectedOrigin: await originsOf(work, site),
    expectedRPID: hostOf(site),
    supportedAlgorithmIDs: ALGORITHMS,
    // The password is the first factor, so the device does not have to verify the user again.
    requireUserVerification: false,
  };
  const response = { ...credential, clientExtensionResults: {} };
  const verification = await verifyRegistrationResponse({ response, ...expected }).catch(
    () => null,
  );
  if (!verification?.verified) throw new Invalid({ credential: 'Is not a passkey for this site.' });
  const { id, publicKey, counter, transports = null } = verification.registrationInfo.credential;
  const added = await passkeys.insertPasskey(tx, {
    user_id: userId,
    name,
    credential_id: id,
    sign_count: counter,
    transports,
    public_key: Buffer.from(publicKey).toString('base64'),
    host: hostOf(site),
  });
  if (added === null) throw new Conflict('This passkey is already in use.', 'already_exists');
}

const CHALLENGE_EXPIRED = 'Was not requested, or has expired. Start again.';

/** Options for `navigator.credentials.get()`. Throws Conflict if the user has no passkey for this host. */
export async function passkeyRequestOptions({ tx }: Work, userId: string, site: PasskeySite) {
  const known = await passkeys.listPasskeys(tx, userId);
  const forHost = known.filter(({ host }) => host === hostOf(site));
  if (forHost.length === 0) throw noPasskey();
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: hostOf(site),
    allowCredentials: forHost.map(({ credential_id: id, transports }) => ({
      id,
      ...(transports && { transports }),
    })),
  });
  const { challenge } = options;
  await passkeys.saveChallenge(tx, { challenge, user_id: userId, purpose: 'proof' });
  return options;
}

/** Whether one of the user's passkeys signed the open challenge. Uses up the challenge. */
export async function verifyPasskey(
  work: Work,
  userId: string,
  site: PasskeySite,
  signed: SignedPasskey,
) {
  const { tx } = work;
  const challenge = readChallenge(signed.response.clientDataJSON);
  const taken = { challenge, user_id: userId, purpose: 'proof' } as const;
  if (!(await passkeys.useChallenge(tx, taken))) return false;
  const known = await passkeys.listPasskeys(tx, userId);
  const passkey = known.find(({ credential_id: id }) => id === signed.id);
  if (passkey === undefined) return false;
  const { verifyAuthenticationResponse } = await library();
  const verification = await verifyAuthenticationResponse({
    response: { ...signed, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: await originsOf(work, site),
    expectedRPID: passkey.host,
    requireUserVerification: false,
    credential: {
      id: passkey.credential_id,
      publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64')),
      counter: Number(passkey.sign_count),
    },
  }).catch(() => null);
  if (!verification?.verified) return false;
  return passkeys.recordUse(tx, passkey.id, verification.authenticationInfo.newCounter);
}

export const tooManyPasskeys = () =>
  new Conflict(`You have ${PASSKEYS_MAX} passkeys, the maximum. Remove one first.`, 'too_many');

export const noPasskey = () => new Conflict('You have no passkey for this host.', 'no_passkey');
