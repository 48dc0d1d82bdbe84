import { errorCodeOf, failureText } from '@pets/domains';
import { requestChallenge } from '@pets/platform';

const PROBE_LIMIT_MS = 5_000;

/**
 * Asks an address for a challenge of a host that only our edges know, with a value that only they can have.
 * @returns what is wrong; null after the right answer
 */
export async function probeAddress(
  address: string,
  { host, nonce, port }: { readonly host: string; readonly nonce: string; readonly port: number },
): Promise<string | null> {
  const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
  try {
    const { status, isRight } = await requestChallenge({ address, port, host, thumbprint: nonce }, signal);
    if (status !== 200) return `answers with status ${status}`;
    return isRight ? null : 'answers with another text';
  } catch (error) {
    const reason = signal.aborted ? `nothing came within ${PROBE_LIMIT_MS} ms` : undefined;
    return `does not answer: ${reason ?? errorCodeOf(error) ?? failureText(error)}`;
  }
}
