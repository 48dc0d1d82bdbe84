import { fork, type ChildProcess } from 'node:child_process';
import type { MetricValues } from '@pets/platform';
import type { FeedMessage, NumberedMessage, ServingMessage } from './serving-side.js';

/** The file descriptors of the listening sockets in a serving process. */
export const HTTP_DESCRIPTOR = 4;
export const HTTPS_DESCRIPTOR = 5;

export interface Program {
  readonly path: string;
  /** Options of Node. */
  readonly execArgv: readonly string[];
  /** Descriptors of the bound sockets in this process. */
  readonly sockets: readonly [http: number, https: number];
}

export interface ChildEvents {
  readonly onStarted: () => void;
  readonly onDamaged: (reason: string) => void;
  readonly onHandshake: (host: string) => void;
  readonly onOrigin: (id: string, isFailing: boolean) => void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

type Answer = Extract<ServingMessage, { kind: 'done' }>;

/** One serving process: sends it messages and waits for the answers. */
export class ServingChild {
  readonly exited: Promise<Exit>;
  readonly startedAtMs = performance.now();
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #hasStarted = false;
  #isListening = false;
  #hasEnded = false;
  #sent = 0;
  #silentTicks = 0;
  #latestMetrics: MetricValues = [];

  constructor({ path, execArgv, sockets }: Program, { onStarted, onDamaged, onHandshake, onOrigin }: ChildEvents) {
    this.#process = fork(path, [], {
      execArgv: [...execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...sockets],
    });
    this.#process.on('message', (message: ServingMessage) => {
      this.#silentTicks = 0;
      if (message.kind === 'done') this.#settle(message);
      else if (message.kind === 'damaged') onDamaged(message.reason);
      else if (message.kind === 'handshake') onHandshake(message.host);
      else if (message.kind === 'origin') onOrigin(message.id, message.isFailing);
      else {
        this.#hasStarted = true;
        onStarted();
      }
    });
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit) => {
        this.#hasEnded = true;
        this.#isListening = false;
        for (const settle of this.#waiting.values()) settle(undefined);
        this.#waiting.clear();
        resolve(exit);
      };
      this.#process.once('exit', (code, signal) => end({ code, signal }));
      this.#process.on('error', () => {
        // Besides a failed start, these are errors of the channel: the process exits, or does not answer and is killed.
        if (this.#process.pid === undefined) end({ code: null, signal: null });
      });
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Whether it can receive messages. */
  get isRunning(): boolean {
    return this.#hasStarted && !this.#hasEnded;
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  /** Metrics in its last answer. */
  get latestMetrics(): MetricValues {
    return this.#latestMetrics;
  }

  /** Resolves with the answer, or with undefined when the process has ended. */
  async request(message: FeedMessage): Promise<Answer | undefined> {
    if (this.#hasEnded) return undefined;
    const number = ++this.#sent;
    const answered = new Promise<Answer | undefined>((resolve) => this.#waiting.set(number, resolve));
    const numbered: NumberedMessage = { number, message };
    // An error means that the channel is closed: then the process ends, or is killed because it does not answer.
    this.#process.send(numbered, () => undefined);
    const answer = await answered;
    if (answer !== undefined && message.kind === 'listen') this.#isListening = true;
    if (answer?.metrics !== undefined) this.#latestMetrics = answer.metrics;
    return answer;
  }

  /**
   * Called at a regular interval.
   * @returns for how many calls in a row it has owed an answer, or its start. Counting calls instead of time spares a process
   * that was suspended together with this one.
   */
  tick(): number {
    this.#silentTicks = this.#hasStarted && this.#waiting.size === 0 ? 0 : this.#silentTicks + 1;
    return this.#silentTicks;
  }

  /** Ends it at once, even when it is stopped. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }

  #settle(answer: Answer): void {
    const settle = this.#waiting.get(answer.number);
    this.#waiting.delete(answer.number);
    settle?.(answer);
  }
}
