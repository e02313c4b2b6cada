import { dictionary } from '../../../sql/dictionary.ts';
import type { Provider } from './callback.ts';
import { generic } from './generic.ts';
import { mailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';
import { twilio } from './twilio.ts';

const PROVIDERS = dictionary<Provider>({ twilio, sendgrid, mailgun, postmark, ses });

/** The provider with this name. Unknown names use the generic format. */
export const providerByName = (name: string): Provider => PROVIDERS[name.toLowerCase()] ?? generic;
