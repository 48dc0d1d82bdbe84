import type { OperationId } from '@pets/contracts';
import { strings } from '../strings.js';

const names = strings.navigation;

/** Pages that read the same things. */
interface Area {
  /** Of their paths. */
  readonly pattern: RegExp;
  /** Their heading while they load. */
  readonly title: string;
  /** Without all of these, they have nothing to show. */
  readonly reads: readonly OperationId[];
  /** The most usual change: without it, they can only be read. */
  readonly changes?: OperationId;
}

/** The first that matches counts. */
const areas: readonly Area[] = [
  {
    pattern: /^\/projects\/[^/]+\/settings\/domains/,
    title: names.domains,
    reads: ['getProject', 'listDomains'],
    changes: 'addDomain',
  },
  {
    pattern: /^\/projects\/[^/]+\/settings\/redirects/,
    title: strings.redirects.title,
    reads: ['getProject', 'getDomainConfig'],
    changes: 'putDomainConfig',
  },
  {
    pattern: /^\/projects\//,
    title: names.deployments,
    reads: ['getProject', 'listDeployments'],
    changes: 'createDeployment',
  },
  { pattern: /^\/$/, title: names.projects, reads: ['listProjects'], changes: 'createProject' },
  { pattern: /^\/animals/, title: names.animals, reads: ['listPets'], changes: 'createPet' },
  { pattern: /^\/orders/, title: names.orders, reads: ['listOrders'], changes: 'createOrder' },
  { pattern: /^\/api-keys/, title: names.apiKeys, reads: ['listApiKeys'], changes: 'createApiKey' },
  { pattern: /^\/webhooks/, title: names.webhooks, reads: ['listWebhookEndpoints'], changes: 'createWebhookEndpoint' },
  { pattern: /^\/people/, title: names.people, reads: ['listPeople'], changes: 'createInvitation' },
  { pattern: /^\/audit/, title: names.audit, reads: ['listAuditEvents'] },
];

/** What the page at a path reads and changes; nothing for a page that only shows text. */
export function areaOf(path: string): Pick<Area, 'reads' | 'changes'> & Partial<Pick<Area, 'title'>> {
  return areas.find(({ pattern }) => pattern.test(path)) ?? { reads: [] };
}
