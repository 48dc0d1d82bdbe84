import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededDomain } from '@pets/bench/engine';
import type { Random } from '../random.js';
import type { ChaosFixture } from './chaos-fixture.js';

const PAUSE_MS = 100;
/** Two seconds are promised; the rest is the machine's. */
const ANSWER_LIMIT_MS = 2_500;
const PATIENCE_MS = 20_000;

/**
 * An owner who goes on clicking "verify" while things are broken.
 * @returns what no owner should see: an answer that is neither 202 nor 503, or one that came late
 */
export async function clickUntil(
  { apiUrl, apiKey }: ChaosFixture,
  domains: readonly SeededDomain[],
  random: Random,
  isOver: AbortSignal,
): Promise<{ readonly wrong: readonly string[]; readonly late: readonly string[] }> {
  const wrong = new Set<string>();
  const late: string[] = [];
  const clicks: Promise<void>[] = [];
  const click = async ({ projectId, id }: SeededDomain) => {
    const began = Date.now();
    const answer = await fetch(`${apiUrl}/v1/projects/${projectId}/domains/${id}/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch(() => null); // there is no API at the moment
    const tookMs = Date.now() - began;
    if (tookMs > ANSWER_LIMIT_MS) late.push(`a click took ${tookMs} ms (${answer?.status ?? 'no answer'})`);
    const text = (await answer?.text().catch(() => '')) ?? '';
    if (answer !== null && answer.status !== 202 && answer.status !== 503)
      wrong.add(`a click was answered ${answer.status} ${text.slice(0, 120)}`);
  };
  while (!isOver.aborted) {
    clicks.push(click(random.pick(domains)));
    await sleep(PAUSE_MS);
  }
  await Promise.all(clicks);
  return { wrong: [...wrong], late };
}
