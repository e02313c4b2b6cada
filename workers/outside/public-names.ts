import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isPrivateName } from '../../jobs/networks/host-url.ts';

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export const NOT_PUBLIC = 'The host is not in the public network.';

/** Refuses a name if any of its addresses is not allowed. */
export function guardedLookup(
  resolve: Resolve,
  mayReach: (address: string) => boolean,
): LookupFunction {
  const addressesOf = callbackify(resolve);
  return (hostname, { all }, callback) => {
    addressesOf(hostname, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => mayReach(address))) {
        return callback(new Error(NOT_PUBLIC), []);
      }
      return all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

/** Resolves names like the system, including names of the machine and its network. */
export const resolveSystemName: Resolve = (hostname) => lookup(hostname, { all: true });

/** Private names get here only if operators have opened networks. */
export const resolvePublicName: Resolve = (hostname) =>
  isPrivateName(hostname) ? resolveSystemName(hostname) : resolvePublic(hostname);

/**
 * Queries the name servers directly. The system's lookup has only four threads per process, and one
 * receiver with slow name servers could occupy all of them.
 */
async function resolvePublic(hostname: string): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  return [...toLookupAddresses(four, 4), ...toLookupAddresses(six, 6)];
}

function toLookupAddresses(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  if (answer.status === 'rejected') return [];
  return answer.value.map((address) => ({ address, family }));
}
