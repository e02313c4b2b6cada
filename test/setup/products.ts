import type { Client } from './client.ts';
import type { Tenant } from './world.ts';

/** A product that differs from the default product in the given fields. */
export async function newProduct(
  tenant: Tenant,
  wish: Record<string, unknown>,
  signedIn?: Client,
): Promise<string> {
  const admin = signedIn ?? (await tenant.signedIn('admin'));
  const code = `P-${Math.random().toString(36).slice(2, 10)}`;
  const made = await admin.post('/products', { name: code, code, ...wish });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.id as string;
}
