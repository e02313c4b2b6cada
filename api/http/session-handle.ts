import type { SignedIn } from '../../jobs/users/sign-in/login.ts';
import type { SecondFactorRequest } from '../../jobs/users/sign-in/pending-sign-in.ts';

/** The operations that endpoints may perform on the session. Its identifiers stay in this file. */
export type Session = {
  /** Starts a new session with a new id and CSRF token and ends the old one. */
  begin: (user: SignedIn) => Promise<void>;
  end: () => void;
  /** Stores the token of an unfinished sign-in in the browser. */
  hold: (wanted: Pick<SecondFactorRequest, 'token' | 'seconds'>) => void;
  /** The token of the unfinished sign-in, or an empty string. */
  pending: string;
  /** Stores the token of a provider sign-in that waits for consent. */
  holdLink: (waiting: Pick<SecondFactorRequest, 'token' | 'seconds'>) => void;
  /** The token of the sign-in that waits for consent, or an empty string. */
  pending_link: string;
  dropLink: () => void;
  /** Records that the user has proved their identity on this device. `begin()` does this too. */
  remember: (userId: string) => void;
  /** The device's claim about earlier sign-ins. */
  device: string;
  csrf_token: () => string;
};
