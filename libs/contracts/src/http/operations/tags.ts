/** The parts of the interface, in the order they are shown. Every operation has one. */
export const tags = {
  animals: 'The animals of the store.',
  orders: 'Orders of animals. Only orders change the status of an animal.',
  projects: 'Sites. Every project has a URL below the platform domain.',
  deployments: 'Bundles of files. A project serves the deployment that was uploaded or activated last.',
  domains: 'Custom domains: DNS verification, certificates and serving are automatic.',
  'domain-config': 'The primary domain and the redirects of a project.',
  webhooks: 'Endpoints that receive events as signed requests (Standard Webhooks).',
  'api-keys': 'The API keys of the organization.',
  sessions:
    'Keys that are valid for twelve hours, for places where an API key should not be stored, such as a browser.',
  audit: 'The log of all changes to the organization.',
} as const;

export type TagName = keyof typeof tags;

/** Chapters of the reference. They hold no operations of their own; every tag is in one of them. */
export const tagGroups = {
  Pets: ['animals'],
  Store: ['orders'],
  Hosting: ['projects', 'deployments'],
  'Custom domains': ['domains', 'domain-config'],
  Webhooks: ['webhooks'],
  Access: ['api-keys', 'sessions', 'audit'],
} as const satisfies Readonly<Record<string, readonly TagName[]>>;
