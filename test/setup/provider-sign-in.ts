import { userEmail } from './browsers.ts';
import type { Client, Reply } from './client.ts';
import { newIdentityProvider, REDIRECT, type Claims } from './identity-provider.ts';
import { newOutside } from './outside.ts';
import { runJobs } from './queue.ts';
import { saveSettings } from './settings.ts';
import { PASSWORD, type Stage } from './world.ts';

const PEOPLE = {
  nora: {
    email: 'nora@lender.example',
    email_verified: true,
    name: 'Nora Whitfield',
    groups: ['desk'],
  },
  boss: {
    email: 'boss@lender.example',
    email_verified: true,
    amr: ['pwd', 'otp'],
    groups: ['desk', 'heads'],
  },
  guest: { email: 'guest@lender.example', email_verified: true, groups: ['guests'] },
};

/** A tenant with an identity provider that a worker has already read, and people who can sign in there. */
export async function withIdentityProvider(stage: Stage, more: object = {}) {
  const tenant = await stage.tenant();
  const slug = tenant.slug;
  const people: Record<string, Claims> = {
    ...structuredClone(PEOPLE),
    officer: { email: `loan_officer@${slug}.test`, email_verified: true, groups: ['officers'] },
    unsure: { email: `viewer@${slug}.test`, email_verified: false, groups: ['desk'] },
    borrower: { email: `borrower@${slug}.test`, email_verified: true, groups: ['desk'] },
    top: { email: `superadmin@${slug}.test`, email_verified: true, groups: ['desk'] },
  };
  const provider = await newIdentityProvider(people);
  // All sign-ins come from one address.
  await saveSettings(tenant, { throttle: { login: 60 } });
  const superadmin = await tenant.signedIn('superadmin');
  const { client_id, client_secret } = provider.client;
  const made = await superadmin.post('/identity-providers', {
    name: 'Head office',
    issuer_url: provider.issuer,
    client_id,
    client_secret,
    redirect_url: REDIRECT,
    role_claim: 'groups',
    roles: {
      desk: 'collector',
      officers: 'loan_officer',
      heads: 'admin',
    },
    adds_users: true,
    ...more,
  });
  const { keys } = stage.installation;
  const outside = { ...newOutside(stage.pool), identity: provider.identity, keys };
  const work = () => runJobs(stage, outside, ['read-identity-provider', 'finish-provider-sign-in']);
  await work();

  const begin = async (client: Client) => {
    await client.get('/auth/csrf');
    const path = `/identity-providers/${made.body.id}/begin-sign-in`;
    return (await client.post(path)).body.authorization_url as string;
  };
  /** Repeats the request until the provider has answered, as browsers do, because a machine may be busy. */
  const finish = async (client: Client, came: object): Promise<Reply> => {
    for (;;) {
      const reply = await meanwhile(client.post('/auth/provider-sign-in', came));
      if (reply.body.code !== 'provider_slow') return reply;
    }
  };
  /** Awaits a reply while a worker answers for the provider. */
  const meanwhile = async (reply: Promise<Reply>): Promise<Reply> => {
    const done = reply.then(() => true);
    while (!(await Promise.race([done, new Promise<false>((r) => setTimeout(() => r(false), 50))])))
      await work();
    return reply;
  };
  /** Signs in as that person in a new browser. */
  const signIn = async (person: string, client = tenant.anonymous()) => {
    const back = await provider.visit(await begin(client), person);
    const came = Object.fromEntries(back.searchParams);
    return { client, came, reply: await finish(client, came) };
  };
  /** Signs in as that person, then with the local user's password, and consents to linking the two. */
  const consent = async (
    person: string,
    role: string,
    prove?: (client: Client) => Promise<unknown>,
  ) => {
    const { client } = await signIn(person);
    await client.login(userEmail(tenant, role), PASSWORD);
    await prove?.(client);
    return client.post('/auth/provider-links');
  };
  return {
    tenant,
    superadmin,
    provider,
    people,
    made,
    outside,
    begin,
    finish,
    meanwhile,
    signIn,
    work,
    consent,
  };
}
