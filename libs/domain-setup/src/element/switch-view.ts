import { localizeTimes } from '../format.js';
import { switchPlan } from '../switch-plan.js';
import type { ShownDomain } from '../shown-domain.js';
import { h, type ElementNode } from './dom.js';
import { zoneList, type ZoneOptions } from './zone-view.js';

/**
 * The steps of a switch without an interruption; null where there is nothing to interrupt.
 * @param isNamed whether another name has steps as well
 */
export function switchSteps(domain: ShownDomain, isNamed: boolean, options: ZoneOptions): ElementNode | null {
  const plan = switchPlan(domain);
  if (plan === null) return null;
  const { readiness, lines, issues, ttl, isTtlShort } = plan;
  const { switching: texts } = options.texts;
  const title = isNamed ? texts.titleOf(domain.unicodeName) : texts.title;
  const isExplained = readiness.state === 'waiting' && !domain.isSuspended;
  const remarks = issues.map(({ code, cause, message, remediation }) =>
    h('span', { key: code, 'data-issue': code }, ` ${localizeTimes(cause ?? `${message} ${remediation}`)}`),
  );
  return h(
    'details',
    {
      ...{ key: `switch ${domain.name}`, class: 'fold', part: 'switch', open: readiness.state !== 'waiting' },
      'data-readiness': readiness.state,
    },
    h('summary', {}, h('h3', {}, title), h('span', { class: 'muted' }, texts.hints[readiness.state])),
    h(
      'ol',
      {},
      h(
        'li',
        { key: 'ttl', 'data-done': isTtlShort },
        isTtlShort || ttl === null ? texts.ttlShort : texts.lowerTtl(ttl),
      ),
      h(
        'li',
        { key: 'record', 'data-done': readiness.state === 'ready' },
        isExplained ? texts.create : localizeTimes(readiness.message),
        ...remarks,
        zoneList(lines, { ...options, label: title, until: null }),
      ),
      h('li', { key: 'look' }, h('slot', { name: 'new-site' }, texts.look)),
      h('li', { key: 'switch' }, texts.switch),
      h('li', { key: 'end' }, texts.end(ttl)),
    ),
  );
}
