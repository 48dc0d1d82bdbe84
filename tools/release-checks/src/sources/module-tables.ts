/** Folders by their path from a root, lowest first, each with those that its files may import. */
export type FolderTable = Readonly<Record<string, readonly string[]>>;

interface FeatureModule {
  /** Modules that it may import. */
  readonly imports: readonly string[];
  /** Files that others may import, besides `*.module.ts`: what is not here is private. */
  readonly exposes: readonly string[];
  /** The folders inside, if it has some; `.` has the files beside `*.module.ts`, which puts the folders together. */
  readonly folders?: FolderTable;
}

export type FeatureModules = Readonly<Record<string, FeatureModule>>;

/**
 * The feature modules of pets-api, each a folder, lowest first: a module imports only modules before it. See
 * docs/decisions/0049-feature-modules.md.
 */
export const petsApiModules: FeatureModules = {
  platform: {
    imports: [],
    exposes: [
      'background-tasks.ts',
      'client-addresses.ts',
      'clock.ts',
      'config.ts',
      'dashboard-origin.ts',
      'hashes.ts',
      'encryption-keys/bindings.ts',
      'encryption-keys/key-check.ts',
      'lease-dispatcher.ts',
      'metrics/api-metrics.ts',
      'project-queues.ts',
      'providers.ts',
      'retention-settings.ts',
      'shutting-down.ts',
      'uuid.ts',
    ],
    folders: {
      metrics: [],
      '.': ['metrics'],
      'encryption-keys': ['.'],
    },
  },
  http: {
    imports: ['platform'],
    exposes: [
      'bearer-errors.ts',
      'idempotency/idempotency.service.ts',
      'idempotency/idempotent-call.ts',
      'input-validation.ts',
      'negotiation.ts',
      'operation-of.ts',
      'paging/keyset.ts',
      'paging/pages.ts',
      'preconditions.ts',
      'principal.ts',
      'rate-limiter.ts',
      'require-progress.ts',
      'setup-routes.ts',
      'websocket-upgrades.ts',
    ],
    folders: {
      '.': [],
      dashboard: [],
      idempotency: ['.'],
      openapi: ['dashboard'],
      paging: [],
    },
  },
  access: {
    imports: ['platform', 'http'],
    exposes: [
      'api-keys/api-keys.repository.ts',
      'audit/audit-log.ts',
      'audit/requester.ts',
      'limits/database-budget.service.ts',
      'limits/limits.service.ts',
      'limits/minute-limit.ts',
      'notices/notices.repository.ts',
      'organizations/organizations.repository.ts',
      'people/people.repository.ts',
      'suspensions/suspensions.repository.ts',
    ],
    folders: {
      audit: [],
      limits: [],
      suspensions: [],
      'api-keys': ['audit', 'limits', 'suspensions'],
      sessions: ['api-keys', 'audit', 'limits'],
      '.': ['sessions', 'suspensions'],
      notices: ['api-keys'],
      organizations: ['limits'],
      people: ['api-keys', 'audit', 'limits'],
      oidc: ['api-keys', 'audit', 'limits', 'organizations', 'people'],
      'sign-in': ['api-keys', 'audit', 'oidc', 'sessions'],
    },
  },
  store: {
    imports: ['platform', 'http'],
    exposes: [],
    folders: {
      pets: [],
      orders: ['pets'],
    },
  },
  names: {
    imports: ['platform', 'http', 'access'],
    exposes: [
      'blocked-names.repository.ts',
      'related-names.ts',
      'domain-counts.repository.ts',
      'domain-history.repository.ts',
      'domain-row.ts',
      'domains.repository.ts',
      'edge-ports.ts',
      'expected-dns.ts',
      'live-setup-links.ts',
      'public-addresses.ts',
      'wildcard-exclusions.repository.ts',
    ],
  },
  projects: {
    imports: ['platform', 'http', 'access', 'names'],
    exposes: [
      'deployments/bundles.repository.ts',
      'deployments/channels.repository.ts',
      'deployments/deployments.repository.ts',
      'origins/origin-reports.ts',
      'origins/origins.repository.ts',
      'projects.repository.ts',
      'route-publisher.ts',
    ],
    folders: {
      '.': [],
      deployments: ['.'],
      channels: ['.', 'deployments'],
      origins: ['.'],
      uploads: ['.', 'deployments'],
    },
  },
  schedule: {
    imports: ['platform', 'access', 'names'],
    exposes: ['claim.query.ts', 'due-work.repository.ts', 'due-work.ts', 'work.repository.ts'],
  },
  certificates: {
    imports: ['platform', 'access', 'projects', 'names', 'schedule'],
    exposes: [
      'ca-readings.repository.ts',
      'certificate-attempts.repository.ts',
      'certificate-objects.service.ts',
      'certificates.repository.ts',
      'challenge-methods.service.ts',
      'issuance-outcomes.service.ts',
      'issuance-plans.service.ts',
      'open-orders.repository.ts',
      'open-orders.service.ts',
      'order-lines.ts',
      'own/check-certificate.ts',
      'own/own-certificates.repository.ts',
      'own/read-pem.ts',
      'own/revocation-checks.repository.ts',
      'platform/platform-certificate-outcomes.service.ts',
      'platform/platform-subject.ts',
      'revocations/revocations.service.ts',
    ],
    folders: {
      own: [],
      '.': ['own'],
      platform: ['.'],
      revocations: [],
    },
  },
  edge: {
    imports: ['platform', 'http', 'access', 'projects', 'names', 'certificates'],
    exposes: [],
    folders: {
      '.': [],
      sessions: ['.'],
      snapshots: ['.'],
    },
  },
  lifecycle: {
    imports: ['platform', 'access', 'projects', 'names', 'schedule', 'certificates', 'edge'],
    exposes: [
      'domain-occurrences.ts',
      'domain-presenter.ts',
      'lifecycle.service.ts',
      'present-domain.ts',
      'result-interpreter.ts',
    ],
  },
  dispatch: {
    imports: ['platform', 'names', 'schedule', 'certificates', 'edge', 'lifecycle'],
    exposes: [],
  },
  domains: {
    imports: ['platform', 'http', 'access', 'projects', 'names', 'schedule', 'certificates', 'edge', 'lifecycle'],
    exposes: ['check-domain.service.ts', 'domains.service.ts', 'plan-changes/plan-changes.service.ts'],
    folders: {
      '.': [],
      imports: ['.'],
      moves: ['.'],
      'own-certificates': [],
      suspensions: [],
      'plan-changes': ['suspensions'],
    },
  },
  events: {
    imports: ['platform', 'http', 'access', 'projects', 'names', 'lifecycle', 'domains'],
    exposes: ['streams/event-streams.service.ts', 'webhooks/webhook-endpoints.repository.ts'],
    folders: {
      '.': [],
      streams: [],
      webhooks: [],
      listeners: ['streams', 'webhooks'],
    },
  },
  explain: {
    imports: ['platform', 'http', 'projects'],
    exposes: [],
  },
  setup: {
    imports: ['platform', 'http', 'access', 'projects', 'names', 'domains', 'events'],
    exposes: [],
  },
  usage: {
    imports: ['platform', 'http', 'access', 'projects', 'names', 'domains', 'events'],
    exposes: [],
  },
  operations: {
    imports: ['platform', 'access', 'certificates', 'events'],
    exposes: [],
    folders: {
      admin: [],
      monitoring: [],
      retention: [],
    },
  },
};

/** The folders of the edge. Files outside them put its processes together. */
export const edgeFolders: FolderTable = {
  platform: [],
  fairness: [],
  'disk-cache': ['platform'],
  sending: ['platform'],
  metrics: ['sending'],
  store: ['platform', 'fairness'],
  tables: ['store'],
  feed: ['platform', 'store', 'tables'],
  tls: ['platform', 'fairness', 'disk-cache', 'sending', 'metrics', 'store', 'feed'],
  http: ['fairness', 'disk-cache', 'sending', 'metrics', 'store', 'tls'],
  forward: ['platform', 'sending', 'metrics', 'store', 'http'],
  'access-log': ['platform', 'tls', 'http'],
  processes: ['platform', 'disk-cache', 'sending', 'metrics', 'feed', 'tls', 'http', 'forward', 'access-log'],
};
