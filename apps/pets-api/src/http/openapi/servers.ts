import type { Config } from '../../platform/config.js';

interface Server {
  readonly url: string;
  readonly description: 'Production' | 'Staging' | 'Development';
}

export interface DescribedServers {
  /** Where the links in the description lead. */
  readonly url: string;
  readonly servers: readonly Server[];
}

/** Those that the committed description names: a name that RFC 2606 keeps free for this. */
export const exampleServers: DescribedServers = {
  url: 'https://api.pets.example',
  servers: [
    { url: 'https://api.pets.example', description: 'Production' },
    { url: 'https://api.staging.pets.example', description: 'Staging' },
  ],
};

type ServerConfig = Pick<Config, 'ENVIRONMENT' | 'PUBLIC_URL' | 'PRODUCTION_URL' | 'STAGING_URL'>;

/**
 * The servers that a process describes: its own, first in development, and those of its settings. Without
 * `STAGING_URL`, only staging itself describes a staging server.
 */
export function serversOf({ ENVIRONMENT, PUBLIC_URL, PRODUCTION_URL, STAGING_URL }: ServerConfig): readonly Server[] {
  const ownUrl = (environment: Config['ENVIRONMENT']) => (ENVIRONMENT === environment ? PUBLIC_URL : undefined);
  const named = [
    { url: ownUrl('development'), description: 'Development' },
    { url: PRODUCTION_URL ?? ownUrl('production'), description: 'Production' },
    { url: STAGING_URL ?? ownUrl('staging'), description: 'Staging' },
  ] as const;
  return named.flatMap(({ url, description }) => (url === undefined ? [] : [{ url, description }]));
}
