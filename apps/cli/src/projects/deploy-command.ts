import { pause } from '@pets/async';
import { listedIgnoredFiles, type Channel, type CreatedDeployment } from '@pets/contracts';
import { Option, type Command as Program } from 'commander';
import { isTransient, type Api } from '../api/api.js';
import type { Command, CommandContext, Runner } from '../command.js';
import { report, type Report } from '../outcome/outcome.js';
import { collect, timeoutOption } from '../program/arguments.js';
import { pluralize } from '../terminal/format.js';
import type { Project } from './find-project.js';
import { checkFolder, uploadFolder } from './upload-folder.js';

/** `pets deploy` */
export function addDeployCommand(program: Program, runner: Runner): void {
  program
    .command('deploy')
    .description(
      'deploy the files of a folder, sending those that the project lacks; .git, .env and private keys are refused',
    )
    .argument('<dir>', 'folder to deploy')
    .option('--allow <path>', 'file to deploy although it would be refused or left out (repeatable)', collect)
    .option('--channel <name>', 'serve it only on this channel, which is created if it is not there')
    .option('--protected', 'only visitors with a link may read that channel')
    .option('--message <text>', 'what this deployment is, to tell it from others')
    .addOption(
      new Option(
        '--source <place>',
        'auto: branch, commit and run, from the variables of GitHub Actions (GITHUB_SHA, …) and GitLab CI (CI_COMMIT_SHA, …)',
      )
        .choices(['auto', 'none'])
        .default('auto'),
    )
    .option('--wait', 'wait until every edge serves it')
    .addOption(timeoutOption('maximum time to wait with --wait', '5m'))
    .action((folder: string, options: DeployOptions, command: Program) =>
      runner(deploy)([folder, options], command.optsWithGlobals()),
    );
}

interface DeployOptions {
  readonly allow?: readonly string[] | undefined;
  readonly channel?: string | undefined;
  readonly protected?: true | undefined;
  readonly message?: string | undefined;
  readonly source: 'auto' | 'none';
  readonly wait?: true | undefined;
  /** In milliseconds. */
  readonly timeout: number;
}

const deploy: Command<[folder: string, options: DeployOptions]> = async (context, folder, options) => {
  const { api, terminal, buildSource } = context;
  const { allow = [], channel, protected: isProtected, message, source, wait, timeout } = options;
  const projectId = await context.findProjectId();
  const files = await checkFolder(folder, new Set(allow.map((path) => path.normalize('NFC'))));
  const query = {
    ...(allow.length > 0 && { allow: allow.join(',') }),
    ...(channel !== undefined && { channel }),
    ...(isProtected && { access: 'link' as const }),
    ...(message !== undefined && { message }),
    ...(source === 'auto' && buildSource),
  };
  const all = pluralize(files.paths.length, 'file');
  terminal.progress(`checked ${folder}: ${all}, ${files.bytes} bytes`);
  const { deployment, sent } = await uploadFolder(api, { projectId, folder, files, query }, (count) =>
    terminal.progress(`sending ${count} of ${all}`),
  );
  terminal.progress(`uploaded ${sent.bytes} bytes: ${deployment.id} is ${deployment.state}`);
  if (files.ignored.length > 0) terminal.progress(describeIgnored(files.ignored));
  const { url } = await readSite(api, projectId, channel);
  const ignored = { count: files.ignored.length, paths: files.ignored.slice(0, listedIgnoredFiles) };
  const details = { result: { deployment: { ...deployment, ignored }, url, sent }, text: url };
  const failure = wait === true ? await waitForEdges(context, deployment, timeout) : null;
  if (failure !== null) return { ...failure, ...details };
  return report('done', 'deployed', `Deployed ${folder} to ${url}.`, details);
};

/** Interval between requests whether the edges serve it. */
const INTERVAL_MS = 1_000;

/** @returns null when every edge serves it */
async function waitForEdges(
  { api, terminal }: CommandContext,
  { id: deploymentId, projectId }: CreatedDeployment,
  timeoutMs: number,
): Promise<Report | null> {
  const endsAt = performance.now() + timeoutMs;
  const params = { path: { projectId, deploymentId } };
  for (;;) {
    try {
      const { active, channels, servedEverywhere } = await api.data(
        api.http.GET('/v1/projects/{projectId}/deployments/{deploymentId}', { params }),
      );
      if (servedEverywhere) return null;
      if (!active && channels.length === 0)
        return report('refused', 'replaced', `Another deployment has replaced ${deploymentId}.`);
    } catch (error) {
      if (!isTransient(error)) throw error;
      terminal.progress(error.message);
    }
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) return report('not_yet', 'timeout', `Not every edge serves ${deploymentId} yet.`);
    await pause(Math.min(INTERVAL_MS, leftMs));
  }
}

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
