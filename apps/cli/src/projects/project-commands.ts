import { randomUUID } from 'node:crypto';
import {
  listedIgnoredFiles,
  trailingSlashes,
  type Channel,
  type CreatedDeployment,
  type Deployment,
  type Hsts,
  type TrailingSlash,
} from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import type { Api } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { report, usageFailure } from '../outcome/outcome.js';
import { collect, parsePathSegment, parseSeconds } from '../program/arguments.js';
import { pluralize, presentFacts, type Facts } from '../terminal/format.js';
import { table } from '../terminal/table.js';
import type { Style } from '../terminal/terminal.js';
import type { Project } from './find-project.js';
import { packFolder } from './pack-folder.js';

/** `pets projects …`, `pets deploy` and `pets deployments …` */
export function addProjectCommands(program: Program, runner: Runner): void {
  const projects = program.command('projects').description('manage projects');
  projects
    .command('list')
    .description('list the projects')
    .action((_options: object, command: Program) => runner(listProjects)([], command.optsWithGlobals()));
  projects
    .command('create')
    .description('create a project')
    .argument('<slug>', 'first label of the platform URL')
    .option('--name <name>', 'display name (default: the slug)')
    .action((slug: string, options: { name?: string }, command: Program) =>
      runner(createProject)([slug, options], command.optsWithGlobals()),
    );
  projects
    .command('show')
    .description('show the project')
    .action((_options: object, command: Program) => runner(showProject)([], command.optsWithGlobals()));
  projects
    .command('update')
    .description('change the name of the project, the form of its addresses, or its Strict-Transport-Security header')
    .option('--name <name>', 'display name')
    .addOption(
      new Option('--trailing-slash <form>', 'whether addresses of pages end in a slash').choices(trailingSlashes),
    )
    .option('--hsts <seconds>', 'for how long browsers use only HTTPS; 0: they forget it', parseSeconds)
    .option('--no-hsts', 'do not send the header')
    .option('--hsts-subdomains', 'with --hsts: also for all names below')
    .option('--hsts-preload', 'with --hsts: browsers may include the domains in their preload lists')
    .action((options: UpdateOptions, command: Program) => runner(updateProject)([options], command.optsWithGlobals()));
  program
    .command('deploy')
    .description('deploy the files of a folder; .git, .env and private keys are refused')
    .argument('<dir>', 'folder to deploy')
    .option('--allow <path>', 'file to deploy although it would be refused or left out (repeatable)', collect)
    .option('--channel <name>', 'serve it only on this channel, which is created if it is not there')
    .option('--protected', 'only visitors with a link may read that channel')
    .option('--message <text>', 'what this deployment is, to tell it from others')
    .action((folder: string, options: DeployOptions, command: Program) =>
      runner(deploy)([folder, options], command.optsWithGlobals()),
    );
  const deployments = program.command('deployments').description('manage deployments');
  deployments
    .command('list')
    .description('list the deployments of a project')
    .action((_options: object, command: Program) => runner(listDeployments)([], command.optsWithGlobals()));
  deployments
    .command('activate')
    .description('activate an earlier deployment')
    .argument('<id>', 'deployment ID', parsePathSegment)
    .action((id: string, _options: object, command: Program) =>
      runner(activateDeployment)([id], command.optsWithGlobals()),
    );
  deployments
    .command('delete')
    .description('delete an earlier deployment; its files are deleted after about a day')
    .argument('<id>', 'deployment ID', parsePathSegment)
    .action((id: string, _options: object, command: Program) =>
      runner(deleteDeployment)([id], command.optsWithGlobals()),
    );
}

const listProjects: Command<[]> = async ({ api, showsIds, terminal }) => {
  const projects: readonly Project[] = await api.allPages((query) =>
    api.http.GET('/v1/projects', { params: { query } }),
  );
  const rows = projects.map(({ id, slug, name, url }) => [...(showsIds ? [id] : []), slug, name, url]);
  const text = table([...(showsIds ? ['ID'] : []), 'SLUG', 'NAME', 'URL'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(projects.length, 'project')}.`, { result: projects, text });
};

const createProject: Command<[slug: string, options: { name?: string }]> = async ({ api }, slug, { name = slug }) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const project: Project = await api.data(api.http.POST('/v1/projects', { params, body: { name, slug } }));
  const next = [{ command: `pets deploy DIR --project ${project.slug}`, when: 'to deploy a folder' }];
  return report('done', 'created', `Created project ${project.slug}.`, { result: project, next, text: project.id });
};

interface DeployOptions {
  readonly allow?: readonly string[] | undefined;
  readonly channel?: string | undefined;
  readonly protected?: true | undefined;
  readonly message?: string | undefined;
}

const deploy: Command<[folder: string, options: DeployOptions]> = async (
  { api, findProjectId, terminal },
  folder,
  { allow = [], channel, protected: isProtected, message },
) => {
  const projectId = await findProjectId();
  const bundle = await packFolder(folder, new Set(allow.map((path) => path.normalize('NFC'))));
  const sizes = `${pluralize(bundle.files, 'file')}, ${bundle.bytes} bytes, ${bundle.gzippedTar.length} bytes compressed`;
  terminal.progress(`packed ${folder}: ${sizes}`);
  const path = { projectId };
  const deployment: CreatedDeployment = await api.data(
    api.http.POST('/v1/projects/{projectId}/deployments', {
      params: {
        path,
        query: {
          ...(allow.length > 0 && { allow: allow.join(',') }),
          ...(channel !== undefined && { channel }),
          ...(isProtected && { access: 'link' as const }),
          ...(message !== undefined && { message }),
        },
        header: { 'Idempotency-Key': randomUUID() },
      },
      headers: { 'content-type': 'application/gzip' },
      body: new Blob([bundle.gzippedTar]),
    }),
  );
  terminal.progress(`uploaded: ${deployment.id} is ${deployment.state}`);
  if (bundle.ignored.length > 0) terminal.progress(describeIgnored(bundle.ignored));
  const ignored = { count: bundle.ignored.length, paths: bundle.ignored.slice(0, listedIgnoredFiles) };
  const { url } = await readSite(api, projectId, channel);
  return report('done', 'deployed', `Deployed ${folder} to ${url}.`, {
    result: { deployment: { ...deployment, ignored }, url },
    text: url,
  });
};

/** The channel, or the project without one. */
function readSite(api: Api, projectId: string, channel: string | undefined): Promise<Pick<Channel | Project, 'url'>> {
  const path = { projectId };
  return channel === undefined
    ? api.data(api.http.GET('/v1/projects/{projectId}', { params: { path } }))
    : api.data(api.http.GET('/v1/projects/{projectId}/channels/{channel}', { params: { path: { ...path, channel } } }));
}

/** Some names, since there may be one in each folder. */
const SHOWN_IGNORED = 5;

function describeIgnored(ignored: readonly string[]): string {
  const more = ignored.length - SHOWN_IGNORED;
  const names = `${ignored.slice(0, SHOWN_IGNORED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `left out ${pluralize(ignored.length, 'file')} of operating systems: ${names}`;
}

const listDeployments: Command<[]> = async ({ api, findProjectId, terminal }) => {
  const projectId = await findProjectId();
  const deployments: readonly Deployment[] = await api.data(
    api.http.GET('/v1/projects/{projectId}/deployments', { params: { path: { projectId } } }),
  );
  const rows = deployments.map(({ id, active, channels, state, files, bytes, createdAt, author, message }) => [
    id,
    [...(active ? ['active'] : []), ...channels, ...(state === 'collected' ? ['collected'] : [])].join(', '),
    String(files),
    String(bytes),
    terminal.time(createdAt),
    author?.display ?? '',
    message ?? '',
  ]);
  const text = table(['ID', 'STATE', 'FILES', 'BYTES', 'CREATED', 'AUTHOR', 'MESSAGE'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(deployments.length, 'deployment')}.`, { result: deployments, text });
};

const activateDeployment: Command<[id: string]> = async ({ api, findProjectId }, deploymentId) => {
  const projectId = await findProjectId();
  const params = { path: { projectId, deploymentId }, header: { 'Idempotency-Key': randomUUID() } };
  const deployment: Deployment = await api.data(
    api.http.POST('/v1/projects/{projectId}/deployments/{deploymentId}/activate', { params }),
  );
  return report('done', 'activated', `Activated deployment ${deployment.id}.`, { result: deployment });
};

const deleteDeployment: Command<[id: string]> = async ({ api, findProjectId }, deploymentId) => {
  const projectId = await findProjectId();
  await api.result(
    api.http.DELETE('/v1/projects/{projectId}/deployments/{deploymentId}', {
      params: { path: { projectId, deploymentId } },
    }),
  );
  return report('done', 'deleted', `Deleted deployment ${deploymentId}. It cannot be activated again.`, {
    result: { id: deploymentId },
  });
};

interface UpdateOptions {
  readonly name?: string;
  readonly trailingSlash?: TrailingSlash;
  /** The maximum age in seconds; false: no header. */
  readonly hsts?: number | false;
  readonly hstsSubdomains?: true;
  readonly hstsPreload?: true;
}

const showProject: Command<[]> = async ({ findProject, showsIds, terminal }) => {
  const project = await findProject();
  return report('done', 'shown', `Project ${project.slug}.`, {
    result: project,
    text: presentProject(project, showsIds, terminal),
  });
};

/** Changes the name of a project, the form of its addresses, and the Strict-Transport-Security header of its domains. */
const updateProject: Command<[options: UpdateOptions]> = async (
  { api, findProjectId, showsIds, terminal },
  { name, trailingSlash, hsts, hstsSubdomains = false, hstsPreload = false },
) => {
  if (name === undefined && trailingSlash === undefined && hsts === undefined)
    throw usageFailure(
      'nothing_to_change',
      'Nothing to change: pass --name NAME, --trailing-slash FORM or --hsts SECONDS.',
    );
  const header: Hsts | null =
    typeof hsts === 'number' ? { maxAge: hsts, includeSubDomains: hstsSubdomains, preload: hstsPreload } : null;
  const body = {
    ...(name !== undefined && { name }),
    ...(trailingSlash !== undefined && { trailingSlash }),
    ...(hsts !== undefined && { hsts: header }),
  };
  const params = { path: { projectId: await findProjectId() } };
  const project: Project = await api.data(api.http.PATCH('/v1/projects/{projectId}', { params, body }));
  return report('done', 'changed', `Changed project ${project.slug}.`, {
    result: project,
    text: presentProject(project, showsIds, terminal),
  });
};

function presentProject(
  { id, slug, name, url, hsts, trailingSlash }: Project,
  showsId: boolean,
  { width }: Style,
): string {
  const facts: Facts = [
    ['project', showsId ? id : null],
    ['slug', slug],
    ['name', name],
    ['URL', url],
    ['trailing slash', trailingSlash],
    ['HSTS', hsts === null ? 'not sent' : headerOf(hsts)],
  ];
  return presentFacts(facts, width);
}

function headerOf({ maxAge, includeSubDomains, preload }: NonNullable<Project['hsts']>): string {
  return [
    `max-age=${maxAge}`,
    ...(includeSubDomains ? ['includeSubDomains'] : []),
    ...(preload ? ['preload'] : []),
  ].join('; ');
}
