import {
  EventStreamRefused,
  readWebhookEvents,
  type WebhookEventsOptions,
  type WebhookStreamEvent,
} from '@pets/client';
import { webhookEventTypes, type WebhookEventType } from '@pets/contracts';
import { InvalidArgumentError, Option, type Command as Program } from 'commander';
import { describeNetworkError, statusOfError } from '../api/api.js';
import type { Command, CommandContext, Runner } from '../command.js';
import { report, type Report } from '../outcome/outcome.js';

interface ListenOptions {
  readonly event?: readonly WebhookEventType[];
  readonly forwardTo?: string;
  readonly onlyProject?: true;
  readonly printSecret?: true;
}

/** `pets webhooks listen` */
export function addListenCommand(webhooks: Program, runner: Runner): void {
  webhooks
    .command('listen')
    .description('receive events here while you develop, and forward them to a local server')
    .option('--forward-to <url>', 'local server, for example http://localhost:3000/hook', parseForwardUrl)
    .addOption(new Option('--event <type...>', 'events to receive (default: all)').choices(webhookEventTypes))
    .option('--only-project', 'only events about domains and origins of the project')
    .option('--print-secret', 'print the secret that signs the events, and end')
    .action((options: ListenOptions, command: Program) => runner(listen)([options], command.optsWithGlobals()));
}

/**
 * Prints and forwards events until Ctrl-C. The stream is the endpoint: it ends with this process, however that ends.
 * Standard output gets a line for each event, with `--json` as the API sends it.
 */
const listen: Command<[options: ListenOptions]> = async (context, options) => {
  const abort = new AbortController();
  const forwarder = options.forwardTo === undefined ? null : new Forwarder(options.forwardTo);
  let secret: string | null = null;
  try {
    for await (const event of readWebhookEvents(await streamOf(context, options, abort.signal))) {
      if (event.type === 'delivery') {
        context.terminal.line(lineOf(event), event);
        await forwarder?.send(event, (answer) => showAnswer(context, event, answer));
      } else if (options.printSecret === true) {
        return report('done', 'printed', 'This secret signs the events of pets webhooks listen.', {
          result: { secret: event.secret },
          text: event.secret,
        });
      } else {
        showListening(context, event.secret, secret);
        secret = event.secret;
      }
    }
  } catch (error) {
    if (error instanceof EventStreamRefused) return refusalReport(error);
    throw error;
  } finally {
    abort.abort();
  }
  return report('unavailable', 'stream_ended', 'The stream has ended.');
};

async function streamOf(
  { api, findProjectId, terminal }: CommandContext,
  { event, onlyProject }: ListenOptions,
  signal: AbortSignal,
): Promise<WebhookEventsOptions> {
  const { apiUrl: baseUrl, apiKey } = api.access;
  const onRetry = (reason: string) => terminal.progress(`not listening: ${reason}; trying again`);
  return {
    baseUrl,
    apiKey,
    signal,
    onRetry,
    ...(event !== undefined && { eventTypes: event }),
    ...(onlyProject === true && { projectId: await findProjectId() }),
  };
}

/** The secret changes only when the operator changes the keys of the API. */
function showListening({ terminal }: CommandContext, secret: string, previous: string | null): void {
  if (secret === previous) terminal.progress('listening again; events in between were missed');
  else terminal.progress(`listening; the events are signed with ${secret} (Ctrl-C to end)`);
}

function showAnswer({ terminal }: CommandContext, { id, eventType }: Delivery, answer: Answer): void {
  const shown = answer.kind === 'answered' ? `${answer.status} in ${answer.durationMs} ms` : answer.reason;
  const { kind, ...details } = answer;
  terminal.line(`  ${eventType} ${id} → ${shown}`, { type: 'answer', id, kind, ...details });
}

function lineOf({ id, eventType, subjectId }: Delivery): string {
  return `${eventType} ${id} (${subjectId})`;
}

function refusalReport({ status, code, message }: EventStreamRefused): Report {
  const reason = code ?? 'not_a_stream';
  return report(statusOfError(reason, status), reason, message);
}

type Delivery = Extract<WebhookStreamEvent, { type: 'delivery' }>;

/** Answer of the local server. */
type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Time limit of an answer, as for an endpoint. */
const ANSWER_LIMIT_MS = 20_000;
const MAX_RUNNING = 8;

/** Accepts `http://localhost:3000/hook`, and the same without `http://`. */
function parseForwardUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || url.hostname === '')
    throw new InvalidArgumentError('Must be a URL such as http://localhost:3000/hook.');
  return url.href;
}

/**
 * Sends deliveries to a local server as an endpoint gets them: those of one resource one after another, those of others
 * beside them, and each once.
 */
class Forwarder {
  readonly #url: string;
  readonly #bySubject = new Map<string, Promise<void>>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Starts to send. Waits only while many are under way. */
  async send(delivery: Delivery, onAnswer: (answer: Answer) => void): Promise<void> {
    const before = this.#bySubject.get(delivery.subjectId) ?? Promise.resolve();
    const sending = before.then(() => post(this.#url, delivery)).then(onAnswer);
    this.#bySubject.set(delivery.subjectId, sending);
    void sending.finally(() => {
      if (this.#bySubject.get(delivery.subjectId) === sending) this.#bySubject.delete(delivery.subjectId);
    });
    if (this.#bySubject.size >= MAX_RUNNING) await Promise.race(this.#bySubject.values());
  }
}

async function post(url: string, { headers, body }: Delivery): Promise<Answer> {
  const startedAt = performance.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual', // an endpoint is not followed either
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    await response.body?.cancel();
    return { kind: 'answered', status: response.status, durationMs: Math.round(performance.now() - startedAt) };
  } catch (error) {
    return { kind: 'failed', reason: describeNetworkError(error) };
  }
}
