import type { ImportGraph } from './import-graph.js';

interface FeatureModule {
  /** Modules that it may import. */
  readonly imports: readonly string[];
  /** Files that others may import, besides `*.module.ts`: what is not here is private. */
  readonly exposes: readonly string[];
}

export type FeatureModules = Readonly<Record<string, FeatureModule>>;

const PETS_API = 'apps/pets-api/src/';

/**
 * The feature modules of pets-api, each a folder, lowest first: a module imports only modules before it. See
 * docs/decisions/0049-feature-modules.md.
 */
const petsApiModules: FeatureModules = {
  platform: {
    imports: [],
    exposes: [
      'background-tasks.ts',
      'client-addresses.ts',
      'clock.ts',
      'config.ts',
      'dashboard-origin.ts',
      'encryption-keys/bindings.ts',
      'encryption-keys/key-check.ts',
      'metrics/api-metrics.ts',
      'lease-dispatcher.ts',
      'project-queues.ts',
      'providers.ts',
      'retention-settings.ts',
      'sha256.ts',
      'unhurried-dispatch.ts',
      'uuid.ts',
      'shutting-down.ts',
    ],
  },
  http: {
    imports: ['platform'],
    exposes: [
      'idempotency/idempotency.service.ts',
      'idempotency/idempotent-call.ts',
      'input-validation.ts',
      'insufficient-scope.ts',
      'negotiation.ts',
      'operation-of.ts',
      'paging/keyset.ts',
      'paging/pages.ts',
      'paging/tick-coalescer.ts',
      'path.schema.ts',
      'preconditions.ts',
      'principal.ts',
      'rate-limiter.ts',
      'require-progress.ts',
      'websocket-upgrades.ts',
      'window-counter.ts',
    ],
  },
  access: {
    imports: ['platform', 'http'],
    exposes: [
      'api-keys/api-keys.repository.ts',
      'audit/audit-log.ts',
      'audit/requester.ts',
      'limits/database-budget.service.ts',
      'limits/limits.service.ts',
      'notices/notices.repository.ts',
      'organizations/organizations.repository.ts',
      'people/people.repository.ts',
      'suspensions/suspensions.repository.ts',
      'suspensions/suspensions.ts',
    ],
  },
  store: { imports: ['platform', 'http'], exposes: [] },
  projects: {
    imports: ['platform', 'http', 'access'],
    exposes: [
      'deployments/bundles.repository.ts',
      'deployments/deployments.repository.ts',
      'project-transactions.ts',
      'projects.repository.ts',
      'route-publisher.ts',
    ],
  },
  domains: {
    imports: ['platform', 'http', 'access', 'projects'],
    exposes: [
      'certificates/ca-readings.repository.ts',
      'certificates/served-certificates.ts',
      'domain-counts.repository.ts',
      'domain-occurrences.ts',
      'domains.service.ts',
      'covered-names.ts',
      'edge-ports.ts',
      'history/domain-history.repository.ts',
      'platform-certificate/platform-subject.ts',
      'plan-changes/plan-changes.service.ts',
    ],
  },
  edge: { imports: ['platform', 'http', 'access', 'projects', 'domains'], exposes: [] },
  events: {
    imports: ['platform', 'http', 'access', 'projects', 'domains'],
    exposes: ['streams/event-streams.service.ts', 'webhooks/webhook-endpoints.repository.ts'],
  },
  usage: { imports: ['platform', 'http', 'access', 'projects', 'domains', 'events'], exposes: [] },
  retention: { imports: ['platform', 'access'], exposes: [] },
  monitoring: { imports: ['platform', 'domains', 'events'], exposes: [] },
};

/**
 * The operator's command builds what it needs without Nest, and the files outside the folders put the process together:
 * these may import every file. Nobody imports them.
 */
const COMPOSITION = 'admin';

/** What breaks the boundaries: one line for each wrong import, and for each entry of the table that nothing needs. */
export function findBoundaryFaults(
  graph: ImportGraph,
  modules: FeatureModules = petsApiModules,
  root = PETS_API,
): readonly string[] {
  const imports = [...graph].flatMap(([from, targets]) => {
    if (!from.startsWith(root)) return [];
    return targets.flatMap((to) =>
      to.startsWith(root) ? [placed(from.slice(root.length), to.slice(root.length))] : [],
    );
  });
  const crossing = imports.filter(({ from, to }) => from.folder !== to.folder);
  const used = new Set(crossing.filter(({ from }) => from.folder in modules).map(({ to }) => to.path));
  return [
    ...findOrderFaults(modules),
    ...crossing.flatMap((found) => findImportFault(found, modules) ?? []),
    ...Object.entries(modules).flatMap(([name, { exposes }]) =>
      exposes.flatMap((file) =>
        used.has(`${name}/${file}`) ? [] : [`${name} exposes ${file}, which no module imports`],
      ),
    ),
  ];
}

interface Place {
  readonly path: string;
  /** Empty for a file outside the folders. */
  readonly folder: string;
}

interface Import {
  readonly from: Place;
  readonly to: Place;
}

function placed(from: string, to: string): Import {
  return { from: placeOf(from), to: placeOf(to) };
}

function placeOf(path: string): Place {
  return { path, folder: path.includes('/') ? path.slice(0, path.indexOf('/')) : '' };
}

/** A module that imports only modules before it is in no cycle. */
function findOrderFaults(modules: FeatureModules): string[] {
  const names = Object.keys(modules);
  return names.flatMap(
    (name, index) =>
      modules[name]?.imports.flatMap((imported) =>
        names.slice(0, index).includes(imported) ? [] : [`${name} may not import ${imported}, which is not before it`],
      ) ?? [],
  );
}

function findImportFault({ from, to }: Import, modules: FeatureModules): string | undefined {
  if (from.folder === '' || from.folder === COMPOSITION) return findCompositionFault({ from, to });
  const importer = modules[from.folder];
  const imported = modules[to.folder];
  if (importer === undefined) return `${from.path} is in no module`;
  if (imported === undefined || !importer.imports.includes(to.folder))
    return `${from.path} imports ${to.path}: ${from.folder} may not import ${to.folder === '' ? 'the process' : to.folder}`;
  const file = to.path.slice(to.folder.length + 1);
  if (isModule(file) || imported.exposes.includes(file)) return undefined;
  return `${from.path} imports ${to.path}, which ${to.folder} does not expose`;
}

/** `app.module.ts` lists modules, and knows nothing else of them. */
function findCompositionFault({ from, to }: Import): string | undefined {
  if (from.path !== 'app.module.ts' || isModule(to.path)) return undefined;
  return `${from.path} imports ${to.path}, which is no module`;
}

function isModule(path: string): boolean {
  return path.endsWith('.module.ts');
}
