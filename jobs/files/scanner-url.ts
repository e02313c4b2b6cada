import { z } from 'zod';

const PORT = 3310;

/** The address of clamd, such as tcp://10.0.0.5:3310. */
export const ScannerUrl = z
  .url({ protocol: /^tcp$/, error: 'is an address such as tcp://127.0.0.1:3310' })
  .transform((url) => {
    const { hostname, port } = new URL(url);
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || PORT) };
  })
  .optional();
