import { newClient, type Client } from './client.ts';
import { PASSWORD, type Stage, type Tenant } from './world.ts';

/** Browsers with distinct addresses, as a proxy would report them to the API. */
export async function newBrowsers(stage: Stage) {
  const port = await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] });
  let addresses = 0;

  async function browser({ host }: Tenant, cookies = new Map<string, string>()) {
    addresses += 1;
    const ip = `198.51.${Math.floor(addresses / 250)}.${addresses % 250}`;
    const client = newClient(port, host, cookies);
    const from = { headers: { 'X-Forwarded-For': ip } };
    await client.get('/auth/csrf', from);
    const post = (path: string, body: object) => client.post(path, body, from);
    return {
      cookies: client.cookies,
      post,
      login: (email: string, password = PASSWORD) => post('/auth/login', { email, password }),
    };
  }

  /** Submits wrong passwords, each from a different address. */
  async function guess(tenant: Tenant, email: string, times: number) {
    const statuses: number[] = [];
    for (let at = 0; at < times; at += 1)
      statuses.push((await (await browser(tenant)).login(email, 'wrong')).status);
    return statuses;
  }

  return { port, browser, guess };
}

export const userEmail = ({ slug }: Tenant, role: string) => `${role}@${slug}.test`;

/** The cookies that remain on a device after its session has ended. */
export const deviceCookies = (cookies: Client['cookies']) => {
  const value = cookies.get('known_device') ?? '';
  return new Map([['known_device', value]]);
};
