import { spawn } from 'node:child_process';
import { isWildcard, type Domain } from '@pets/contracts';
import type { Command as Program } from 'commander';
import type { Command, CommandContext, Runner } from '../command.js';
import { readDomain } from '../domains/watch-domain.js';
import { CommandFailure, report } from '../outcome/outcome.js';
import { parsePathSegment } from '../program/arguments.js';

interface OpenOptions {
  readonly dashboard?: true;
  readonly browser: boolean;
}

/** The programs that open a URL with the browser of the user. */
const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const DEFAULT_OPENER = ['xdg-open'] as const;

/** `pets open` */
export function addOpenCommand(program: Program, runner: Runner): void {
  program
    .command('open')
    .description('open the site of a project or a domain, or its page in the dashboard')
    .argument('[name]', 'domain name (default: the project)', parsePathSegment)
    .option('--dashboard', 'open its page in the dashboard')
    .option('--no-browser', 'only print the URL')
    .action((name: string | undefined, options: OpenOptions, command: Program) =>
      runner(openPage)([name ?? null, options], command.optsWithGlobals()),
    );
}

/** Prints the URL. Only on a terminal it also starts a browser, so that scripts can read it. */
const openPage: Command<[name: string | null, options: OpenOptions]> = async (context, name, options) => {
  const url = await (options.dashboard === true ? dashboardUrl(context, name) : siteUrl(context, name));
  const { terminal, browser } = context;
  const isStarted = options.browser && terminal.width !== null && (await startBrowser(url, browser));
  return report('done', isStarted ? 'opened' : 'printed', isStarted ? `Opened ${url}.` : `Its URL is ${url}.`, {
    result: { url },
    text: url,
  });
};

async function siteUrl(context: CommandContext, name: string | null): Promise<string> {
  if (name === null) return (await context.findProject()).url;
  const domain = await readNamed(context, name);
  if (!isWildcard(domain.name)) return `https://${domain.name}`;
  throw new CommandFailure(report('refused', 'wildcard', `${domain.name} has no page: open one of its names.`));
}

async function dashboardUrl(context: CommandContext, name: string | null): Promise<string> {
  const projectId = await context.findProjectId();
  const project = `${context.api.access.apiUrl}/dashboard/projects/${projectId}/settings/domains`;
  return name === null ? project : `${project}/${(await readNamed(context, name)).id}`;
}

async function readNamed({ api, findProjectId }: CommandContext, name: string): Promise<Domain> {
  return readDomain(api, { projectId: await findProjectId(), domain: name });
}

/** @returns whether it started */
function startBrowser(url: string, browser: string | null): Promise<boolean> {
  const [program, ...args] = browser === null ? (openers[process.platform] ?? DEFAULT_OPENER) : [browser];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
