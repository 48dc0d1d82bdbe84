/**
 * `npm run dev`: services run from their sources, and a change restarts the services that have loaded the file.
 *
 * A change is noticed → the changed files are compiled, and a syntax error leaves everything as it is → a changed migration
 * is applied → the services concerned restart. A service that has crashed is started again by the next change. The
 * database and the dashboard are not restarted: Vite updates the page.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch, type FSWatcher } from 'node:fs';
import { join, relative } from 'node:path';
import { repositoryRoot, type ChildSpec, type ReadySpec } from '@pets/testing/processes';
import type { Services } from '../supervisor/bring-up.js';
import type { Supervisor } from '../supervisor/supervisor.js';
import { DevService } from './dev-service.js';
import { fromSources, loadedSources, syntaxError } from './from-sources.js';

type Version = { readonly hash: string; readonly mtimeMs: number; readonly size: number };

/** Content of each source that the processes have loaded. Saving a file without a change is none. */
class SourceVersions {
  readonly #loaded = new Map<string, Version>();

  /** @param loadedAfterMs when the process that loaded it was started: a later change of the file may not be in it */
  add(path: string, loadedAfterMs: number): void {
    if (this.#loaded.has(path)) return;
    const version = read(path);
    const isSafe = version.mtimeMs < loadedAfterMs;
    this.#loaded.set(path, isSafe ? version : { ...version, hash: '', mtimeMs: 0 });
  }

  /** The known sources whose content is another one now. */
  changed(): string[] {
    return [...this.#loaded].filter(([path, version]) => isOther(path, version)).map(([path]) => path);
  }

  /** Processes load the present content from now on. */
  markLoaded(paths: readonly string[]): void {
    for (const path of paths) this.#loaded.set(path, read(path));
  }
}

function isOther(path: string, { hash, mtimeMs, size }: Version): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.mtimeMs === mtimeMs && stat.size === size) return false;
  return read(path).hash !== hash;
}

/** A file that does not exist has a version too. */
function read(path: string): Version {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { hash: 'missing', mtimeMs: 0, size: 0 };
  return { hash: createHash('sha1').update(readFileSync(path)).digest('hex'), mtimeMs: stat.mtimeMs, size: stat.size };
}

/** Several edits at once, as of a branch switch or "save all", are one change. */
const QUIET_MS = 40;
/** A folder that is written without pause is looked at nevertheless. */
const LONGEST_WAIT_MS = 300;

/**
 * Watches folders with everything below them. Each folder has a watcher of its own: Node's recursive watching on Linux
 * misses files that an editor replaces.
 * @param onChange receives the time of the first event that it reports
 * @returns how to stop
 */
function watchFolders(roots: readonly string[], onChange: (sinceMs: number) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let firstEventMs: number | null = null;
  let timer: NodeJS.Timeout | undefined;

  const add = (folder: string) => {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, () => note());
    const forget = () => {
      watcher.close();
      watchers.delete(folder);
    };
    watchers.set(folder, watcher.on('error', forget));
  };
  const addTree = (folder: string) => {
    try {
      add(folder);
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) addTree(join(folder, entry.name));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      watchers.get(folder)?.close(); // deleted meanwhile
      watchers.delete(folder);
    }
  };
  const note = () => {
    firstEventMs ??= performance.now();
    clearTimeout(timer);
    const waitMs = Math.min(QUIET_MS, firstEventMs + LONGEST_WAIT_MS - performance.now());
    timer = setTimeout(report, Math.max(0, waitMs));
  };
  const report = () => {
    const sinceMs = firstEventMs ?? performance.now();
    firstEventMs = null;
    for (const root of roots) addTree(root); // folders that are new
    onChange(sinceMs);
  };

  for (const root of roots) addTree(root);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

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
