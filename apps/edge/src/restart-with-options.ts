import { fileURLToPath } from 'node:url';

/**
 * What can only be said to Node when it starts.
 *
 * - After a handshake of TLS 1.3 OpenSSL sends two session tickets even where tickets are switched off; then they are the
 *   names of sessions that nobody keeps, and take an eighth of a handshake's processor time. How many are sent is said in
 *   OpenSSL's configuration.
 * - Connections live for a while. In V8's small nursery (1 MiB at first) many are still there when it is cleared, are kept
 *   among what is old, and hold memory outside of the heap until that is cleared as well. In one of 16 MiB fewer are.
 */
const options = [
  ['--openssl-config', fileURLToPath(new URL('../openssl.cnf', import.meta.url))],
  ['--min-semi-space-size', '16'],
  ['--max-semi-space-size', '16'],
] as const;

/**
 * Starts the program once more in its own place, with the options that it was not started with: the same process id, the
 * same streams. What somebody has chosen is kept.
 */
export function restartWithOptions(): void {
  const { execArgv, execPath, argv } = process;
  const missing = options.filter(([name]) => !execArgv.some((argument) => argument.split('=')[0] === name));
  if (process.execve === undefined || missing.length === 0) return;
  const added = missing.map(([name, value]) => `${name}=${value}`);
  process.execve(execPath, [execPath, ...added, ...execArgv, ...argv.slice(1)]);
}
