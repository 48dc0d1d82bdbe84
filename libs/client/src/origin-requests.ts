import type { PetsClient } from './client.js';
import type { components } from './schema.js';

/** The project whose visitors an application answers, or the one domain of it. */
export interface OriginPlace {
  readonly projectId: string;
  /** Name or id; undefined for the project. */
  readonly domain?: string | undefined;
}

const OF_PROJECT = '/v1/projects/{projectId}/origin';
const OF_DOMAIN = '/v1/projects/{projectId}/domains/{domain}/origin';

/** The requests about the origin of a project, or about that of a domain: they have the same bodies and answers. */
export function originRequests(client: PetsClient, { projectId, domain }: OriginPlace) {
  const ofProject = { path: { projectId } };
  const ofDomain = { path: { projectId, domain: domain ?? '' } };
  const isOfProject = domain === undefined;
  return {
    read: (signal?: AbortSignal) => {
      const abort = signal === undefined ? {} : { signal };
      return isOfProject
        ? client.GET(OF_PROJECT, { params: ofProject, ...abort })
        : client.GET(OF_DOMAIN, { params: ofDomain, ...abort });
    },
    put: (body: components['schemas']['NewOrigin']) =>
      isOfProject
        ? client.PUT(OF_PROJECT, { params: ofProject, body })
        : client.PUT(OF_DOMAIN, { params: ofDomain, body }),
    test: (idempotencyKey?: string) => {
      const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
      return isOfProject
        ? client.POST(`${OF_PROJECT}/test`, { params: { ...ofProject, header } })
        : client.POST(`${OF_DOMAIN}/test`, { params: { ...ofDomain, header } });
    },
    remove: () =>
      isOfProject ? client.DELETE(OF_PROJECT, { params: ofProject }) : client.DELETE(OF_DOMAIN, { params: ofDomain }),
  };
}
