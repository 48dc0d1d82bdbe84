/**
 * `npm run dev`: services run from their sources, and a change restarts the services that have loaded the file.
 *
 * A change is noticed → the changed files are compiled, and a syntax error leaves everything as it is → a changed migration
 * is applied → the services concerned restart. A service that has crashed is started again by the next change. The
 * database and the dashboard are not restarted: Vite updates the page.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repositoryRoot, type ChildSpec, type ReadySpec } from '@pets/testing/processes';
import type { Services } from '../supervisor/bring-up.js';
import type { Supervisor } from '../supervisor/supervisor.js';
import { DevService } from './dev-service.js';
import { fromSources, loadedSources, syntaxError } from './from-sources.js';
import { SourceVersions, watchFolders } from './source-changes.js';

/** Nest and BullMQ take longer to load than everything of ours. */
const servicesWithStandby = ['pets-api', 'domains-worker'];
const foldersOfServers = ['tools/dev-stack', 'libs/testing'].map((folder) => join(repositoryRoot, folder));
const migrationsFolder = join(repositoryRoot, 'libs/persistence/src/migrat');

export class DevLoop implements Services {
  readonly #supervisor: Supervisor;
  readonly #folder: string;
  readonly #say: (name: string, text: string) => void;
  readonly #services: DevService[] = [];
  readonly #versions = new SourceVersions();
  readonly #shownErrors = new Set<string>();
  #migrations: ChildSpec | null = null;
  #looking: Promise<void> = Promise.resolve();

  /** @param folder for files of a run */
  constructor(supervisor: Supervisor, folder: string) {
    this.#supervisor = supervisor;
    this.#folder = folder;
    this.#say = (name, text) => supervisor.onLine(name, text);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const stopWatching = watchFolders(watchedFolders(), (sinceMs) => {
      this.#looking = this.#looking
        .then(() => this.#look(sinceMs))
        .catch((error: unknown) => this.#say('dev', `error: ${String(error)}`));
    });
    supervisor.signal.addEventListener('abort', stopWatching);
  }

  start(spec: ReadySpec): void {
    const service = new DevService({
      spec,
      folder: this.#folder,
      signal: this.#supervisor.signal,
      hasStandby: servicesWithStandby.includes(spec.name),
      launch: (each, onLine) => this.#supervisor.startReplaceable(each, onLine),
      onLine: this.#say,
    });
    this.#services.push(service);
    service.start();
  }

  run(spec: ChildSpec): Promise<readonly string[]> {
    if (spec.name === 'migrate') this.#migrations = spec;
    return this.#supervisor.run(fromSources(spec, this.#listOf(spec)));
  }

  /** When everything runs: until then it would take the time of what is starting. */
  keepStandbys(): void {
    for (const service of this.#services) service.keepStandby();
  }

  async #look(sinceMs: number): Promise<void> {
    if (this.#supervisor.signal.aborted) return;
    const concerned = new Map(this.#services.map((service) => [service, new Set(sourcesOf(service))]));
    for (const [service, sources] of concerned)
      for (const path of sources) this.#versions.add(path, service.startedAtMs);
    for (const path of this.#migrationSources()) this.#versions.add(path, Date.now());
    const changed = this.#versions.changed();
    if (!this.#compile(changed)) return;
    if (!(await this.#migrate(changed))) return;
    this.#versions.markLoaded(changed);
    const names = changed.map((path) => relative(repositoryRoot, path)).join(', ');
    await Promise.all(
      [...concerned]
        .filter(([service, sources]) => !service.isUp || changed.some((path) => sources.has(path)))
        .map(([service]) => service.restart(names, sinceMs)),
    );
  }

  /** @returns false for a syntax error, which is said once */
  #compile(paths: readonly string[]): boolean {
    const errors = paths.map(syntaxError).filter((error) => error !== null);
    for (const error of errors) {
      const line = `${relative(repositoryRoot, error)}; the previous version keeps running`;
      if (!this.#shownErrors.has(line)) this.#say('dev', line);
      this.#shownErrors.add(line);
    }
    if (errors.length === 0) this.#shownErrors.clear();
    return errors.length === 0;
  }

  #migrationSources(): readonly string[] {
    const spec = this.#migrations;
    if (spec === null) return [];
    return loadedSources(this.#listOf(spec)).filter((path) => path.startsWith(migrationsFolder));
  }

  /** @returns false if migrations have changed and cannot be applied */
  async #migrate(changed: readonly string[]): Promise<boolean> {
    const sources = new Set(this.#migrationSources());
    if (this.#migrations === null || !changed.some((path) => sources.has(path))) return true;
    try {
      await this.run(this.#migrations);
      this.#say('dev', 'migrations applied');
      return true;
    } catch (error) {
      if (!this.#supervisor.signal.aborted) this.#say('dev', String(error));
      return false;
    }
  }

  #listOf(task: ChildSpec): string {
    return join(this.#folder, task.name);
  }
}

/** The DNS server and the CA of development keep records in memory, so libraries that change do not restart them. */
function sourcesOf(service: DevService): readonly string[] {
  const sources = service.sources();
  if (!service.name.startsWith('dev-')) return sources;
  return sources.filter((path) => foldersOfServers.some((folder) => path.startsWith(folder)));
}

/** The sources of every project. Those that no service has loaded only start services that have crashed. */
function watchedFolders(): string[] {
  const projects = ['apps', 'libs'].flatMap((parent) =>
    readdirSync(join(repositoryRoot, parent)).map((name) => join(repositoryRoot, parent, name)),
  );
  return [...projects, join(repositoryRoot, 'tools/dev-stack')]
    .map((project) => join(project, 'src'))
    .filter((folder) => existsSync(folder) && !folder.includes('apps/dashboard'));
}
