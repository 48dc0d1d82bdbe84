import type { components } from '@pets/client';
import type { DomainConfig } from '@pets/contracts';
import { ApiFailure, type Api } from '../api/api.js';

const PATH = '/v1/projects/{projectId}/domain-config';

/** Somebody else has to change it each time for these to be used up. */
const MAX_ATTEMPTS = 3;

type WireConfig = components['schemas']['DomainConfig'];

interface ReadConfig {
  readonly config: DomainConfig;
  readonly etag: string;
}

export async function readConfig(api: Api, projectId: string): Promise<DomainConfig> {
  return (await read(api, projectId)).config;
}

/**
 * Changes the configuration, which is one document. A change by somebody else meanwhile is kept: the change is made again to
 * what it led to.
 * @throws CommandFailure
 */
export async function editConfig(
  api: Api,
  projectId: string,
  change: (config: DomainConfig) => DomainConfig,
): Promise<DomainConfig> {
  for (let attempt = 1; ; attempt += 1) {
    const { config, etag } = await read(api, projectId);
    const params = { path: { projectId }, header: { 'If-Match': etag } };
    try {
      return withDefaults(await api.data(api.http.PUT(PATH, { params, body: change(config) })));
    } catch (error) {
      const isOutrun = error instanceof ApiFailure && error.code === 'precondition_failed';
      if (!isOutrun || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function read(api: Api, projectId: string): Promise<ReadConfig> {
  const { data, response } = await api.result<WireConfig>(api.http.GET(PATH, { params: { path: { projectId } } }));
  return { config: withDefaults(data ?? { domains: {} }), etag: response.headers.get('etag') ?? '*' };
}

function withDefaults({ domains: { redirects = [], ...domains }, ...rest }: WireConfig): DomainConfig {
  return { ...rest, domains: { ...domains, redirects } };
}
