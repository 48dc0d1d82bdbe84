import { randomUUID } from 'node:crypto';
import { pause } from '@pets/async';
import { originFailureTexts, type NewOrigin, type Origin } from '@pets/contracts';
import type { Command as Program } from 'commander';
import type { Api } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { report, type Report } from '../outcome/outcome.js';
import { collect, parseMember, parseSeconds, timeoutOption } from '../program/arguments.js';
import { presentFacts, type Facts } from '../terminal/format.js';

const PATH = '/v1/projects/{projectId}/origin';

/** An edge answers within ten seconds, or never. */
const LOOK_MS = 500;

interface SetOptions {
  readonly hostHeader?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly metadata?: readonly string[];
  readonly maxConnections?: number;
  readonly connectSeconds?: number;
  readonly answerSeconds?: number;
  readonly idleSeconds?: number;
  readonly timeout: number;
}

/** `pets origin …` */
export function addOriginCommands(program: Program, runner: Runner): void {
  const origin = program.command('origin').description('manage the application that answers for a project');
  const limit = () => timeoutOption('how long to wait for an edge to test it', '20s');
  origin
    .command('show')
    .description('show the application and its last test')
    .action((_options: object, command: Program) => runner(showOrigin)([], command.optsWithGlobals()));
  origin
    .command('set')
    .description('forward the visitors of the project to an application, once an edge gets an answer from it')
    .argument('<url>', 'https://host or https://host:port')
    .option('--host-header <host>', 'Host of the requests (default: the host of the visitor)')
    .option(
      '--header <name=value>',
      'header for every request, such as a secret (repeatable); replaces all',
      parseMember,
    )
    .option('--metadata <key>', 'key of the metadata of domains to pass on (repeatable)', collect)
    .option('--max-connections <count>', 'connections that each edge may have open', parseSeconds)
    .option('--connect-seconds <seconds>', 'limit until a connection is open', parseSeconds)
    .option('--answer-seconds <seconds>', 'limit until the head of an answer', parseSeconds)
    .option('--idle-seconds <seconds>', 'limit without a byte in either direction', parseSeconds)
    .addOption(limit())
    .action((url: string, options: SetOptions, command: Program) =>
      runner(setOrigin)([url, options], command.optsWithGlobals()),
    );
  origin
    .command('test')
    .description('have an edge ask the application for /')
    .addOption(limit())
    .action((options: { timeout: number }, command: Program) =>
      runner(testOrigin)([options], command.optsWithGlobals()),
    );
  origin
    .command('remove')
    .description('serve the deployment of the project again')
    .action((_options: object, command: Program) => runner(removeOrigin)([], command.optsWithGlobals()));
}

const showOrigin: Command<[]> = async ({ api, findProjectId, terminal }) => {
  const origin = await readOrigin(api, await findProjectId());
  return report('done', 'shown', `The application of the project is ${origin.url}.`, {
    result: origin,
    text: presentOrigin(origin, terminal.width),
  });
};

const setOrigin: Command<[url: string, options: SetOptions]> = async (
  { api, findProjectId, terminal },
  url,
  { hostHeader, header, metadata, maxConnections, connectSeconds, answerSeconds, idleSeconds, timeout },
) => {
  const projectId = await findProjectId();
  const timeouts = {
    ...(connectSeconds !== undefined && { connect: connectSeconds }),
    ...(answerSeconds !== undefined && { answer: answerSeconds }),
    ...(idleSeconds !== undefined && { idle: idleSeconds }),
  };
  const body = {
    url,
    ...(hostHeader !== undefined && { hostHeader }),
    ...(header !== undefined && { headers: header }),
    ...(metadata !== undefined && { metadata: [...metadata] }),
    ...(maxConnections !== undefined && { maxConnections }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  } satisfies Partial<Record<keyof NewOrigin, unknown>>;
  await api.data(api.http.PUT(PATH, { params: { path: { projectId } }, body }));
  return reportTest(await waitForTest(api, projectId, timeout), terminal.width);
};

const testOrigin: Command<[options: { readonly timeout: number }]> = async (
  { api, findProjectId, terminal },
  { timeout },
) => {
  const projectId = await findProjectId();
  const params = { path: { projectId }, header: { 'Idempotency-Key': randomUUID() } };
  await api.data(api.http.POST('/v1/projects/{projectId}/origin/test', { params }));
  return reportTest(await waitForTest(api, projectId, timeout), terminal.width);
};

const removeOrigin: Command<[]> = async ({ api, findProjectId }) => {
  const params = { path: { projectId: await findProjectId() } };
  await api.result(api.http.DELETE(PATH, { params }));
  return report('done', 'removed', 'The project serves its deployment again.');
};

function readOrigin(api: Api, projectId: string): Promise<Origin> {
  return api.data(api.http.GET(PATH, { params: { path: { projectId } } }));
}

/** @returns the origin with the result of its test, or without one when the time is over */
async function waitForTest(api: Api, projectId: string, timeoutMs: number): Promise<Origin> {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    const origin = await readOrigin(api, projectId);
    if (origin.test.finishedAt !== null || performance.now() >= endsAt) return origin;
    await pause(LOOK_MS);
  }
}

function reportTest(origin: Origin, width: number | null): Report {
  const details = { result: origin, text: presentOrigin(origin, width) };
  const { passed } = origin.test;
  if (passed === null)
    return report(
      'not_yet',
      'testing',
      'No edge has tested the application yet. Look again: pets origin show',
      details,
    );
  if (!passed) return report('refused', 'test_failed', `The test failed: ${describeTest(origin)}.`, details);
  return report('done', origin.state, `Visitors of the project get ${origin.url}.`, details);
}

function describeTest({ test: { finishedAt, status, failure } }: Origin): string {
  if (finishedAt === null) return 'no edge has answered yet';
  if (failure !== null) return `${originFailureTexts[failure.code]} (${failure.detail})`;
  return `status ${status ?? 0}`;
}

function describeHealth({ health }: Origin): string {
  if (health === null) return 'unknown until it serves';
  const { state, since, failure } = health;
  const reason = failure === null ? '' : `: ${originFailureTexts[failure.code]} (${failure.detail})`;
  return `${state} since ${since}${reason}`;
}

function presentOrigin(origin: Origin, width: number | null): string {
  const { url, hostHeader, headers, metadata, maxConnections, timeouts, state, test } = origin;
  const facts: Facts = [
    ['URL', url],
    ['state', state],
    ['health', describeHealth(origin)],
    ['last test', describeTest(origin)],
    ...(test.address === null ? [] : [['address', test.address] as const]),
    ['Host', hostHeader ?? 'that of the visitor'],
    ['headers', headers.length === 0 ? 'none' : headers.join(', ')],
    ['metadata', metadata.length === 0 ? 'none' : metadata.join(', ')],
    ['limits', `connect ${timeouts.connect} s, answer ${timeouts.answer} s, idle ${timeouts.idle} s`],
    ['connections', `${maxConnections} for each edge`],
  ];
  return presentFacts(facts, width);
}
