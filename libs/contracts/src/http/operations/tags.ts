/** The parts of the interface, in the order they are shown. Every operation has one. */
export const tags = {
  animals: 'The animals of the store.',
  orders: 'Orders of animals. They alone move an animal from one status to another.',
  projects: 'Files that are served together. Every project has an address below the platform’s domain.',
  deployments: 'Bundles of files. The newest that is ready is served.',
  domains: 'Domains of one’s own, which verify, certify and serve themselves.',
  'domain-config': 'Which of a project’s domains is primary, and which redirect.',
  webhooks: 'Endpoints of one’s own that are told what happens, by signed requests (Standard Webhooks).',
  'api-keys': 'The keys of the organization that asks.',
  sessions:
    'Keys for twelve hours that stand in for an API key where that one had better not be kept, as in a browser.',
  audit: 'Who has changed what, and from where.',
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
