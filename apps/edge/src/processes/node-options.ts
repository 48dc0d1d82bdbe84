import { fileURLToPath } from 'node:url';

/**
 * What can only be said to Node when it starts a serving process.
 *
 * - After a handshake of TLS 1.3 OpenSSL sends two session tickets even where tickets are switched off; then they are the
 *   names of sessions that nobody keeps, and take an eighth of a handshake's processor time. How many are sent is said in
 *   OpenSSL's configuration.
 * - Connections live for a while. In V8's small nursery (1 MiB at first) many are still there when it is cleared, are kept
 *   among what is old, and hold memory outside of the heap until that is cleared as well. In one of 16 MiB fewer are.
 */
const options = [
  ['--openssl-config', fileURLToPath(new URL('../../openssl.cnf', import.meta.url))],
  ['--min-semi-space-size', '16'],
  ['--max-semi-space-size', '16'],
] as const;

/**
 * The options of a serving process: those of this process, which somebody has chosen, and the ones that it lacks. Only one
 * process can have the port of the inspector.
 */
export function servingOptions(): readonly string[] {
  const chosen = process.execArgv.filter((argument) => !argument.startsWith('--inspect'));
  const isChosen = (name: string) => chosen.some((argument) => argument.split('=')[0] === name);
  return [...options.filter(([name]) => !isChosen(name)).map(([name, value]) => `${name}=${value}`), ...chosen];
}
