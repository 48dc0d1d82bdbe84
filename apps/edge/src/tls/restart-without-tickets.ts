import { fileURLToPath } from 'node:url';

const OPTION = '--openssl-config';

/**
 * After a handshake of TLS 1.3 OpenSSL sends two session tickets even where tickets are switched off; then they are the
 * names of sessions that nobody keeps. They take an eighth of a handshake's processor time, and how many are sent can
 * only be said in OpenSSL's configuration, which is read when Node starts. So the program starts once more in its own
 * place: the same process id, the same streams. One that was started with a configuration keeps that.
 */
export function restartWithoutTickets(): void {
  const { execArgv, execPath, argv } = process;
  if (process.execve === undefined || execArgv.some((argument) => argument.startsWith(OPTION))) return;
  const configuration = fileURLToPath(new URL('../../openssl.cnf', import.meta.url));
  process.execve(execPath, [execPath, `${OPTION}=${configuration}`, ...execArgv, ...argv.slice(1)]);
}
