import type { PortalConfig } from '../portal/config.ts';
import type { Problems } from './page.ts';

/** The data that every page receives. */
export type PageContext = {
  config: PortalConfig;
  problems: Problems | null;
  values: Readonly<Record<string, string>>;
};
