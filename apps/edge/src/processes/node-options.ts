import { fileURLToPath } from 'node:url';

/** Options that Node accepts only when it starts a process. */
type Options = readonly (readonly [name: string, value: string])[];

/**
 * Lets the old generation double before it is collected. By default it may grow to four times its size: with 30 MB in
 * use, the heap of a serving process took 140 MB.
 */
const frugal: Options = [['--heap-growing-percent', '100']];

/**
 * Options of a serving process:
 *
 * - After a handshake of TLS 1.3 OpenSSL sends two session tickets even where tickets are switched off; then they are the
 *   names of sessions that nobody keeps, and take an eighth of a handshake's processor time. How many are sent is said in
 *   OpenSSL's configuration.
 * - Connections live for a while. In V8's small nursery (1 MiB at first) many are still there when it is cleared, are kept
 *   among what is old, and hold memory outside of the heap until that is cleared as well. In one of 8 MiB fewer are.
 */
const serving: Options = [
  ['--openssl-config', fileURLToPath(new URL('../../openssl.cnf', import.meta.url))],
  ['--min-semi-space-size', '8'],
  ['--max-semi-space-size', '8'],
  ...frugal,
];

/** The nursery would grow to 16 MiB and more: 230 MB at most instead of 140 MB while a million names are loaded. */
const tableWork: Options = [['--max-semi-space-size', '4'], ...frugal];

/** The options of a serving process. */
export function servingOptions(): readonly string[] {
  return withInherited(serving);
}

/** The options of a table process. */
export function tableWorkOptions(): readonly string[] {
  return withInherited(tableWork);
}

/** Adds the options of this process, which somebody has chosen. Only one process can have the port of the inspector. */
function withInherited(options: Options): readonly string[] {
  const inherited = process.execArgv.filter((argument) => !argument.startsWith('--inspect'));
  const isChosen = (name: string) => inherited.some((argument) => argument.split('=')[0] === name);
  return [...options.filter(([name]) => !isChosen(name)).map(([name, value]) => `${name}=${value}`), ...inherited];
}
