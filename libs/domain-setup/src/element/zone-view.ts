import { anyProvider, formOf, providers, typeAt, type DnsProvider, type FormField } from '@pets/dns-providers';
import { localizeTimes } from '../format.js';
import type { ShownDomain } from '../shown-domain.js';
import { switchPlan } from '../switch-plan.js';
import type { SetupTexts } from '../texts.js';
import {
  fieldsOf,
  isImpossible,
  isOneOfSeveral,
  keyOfRecord,
  linesAt,
  providerText,
  shownField,
  sightingText,
} from '../zone-form.js';
import type { ZoneLine } from '../zone-lines.js';
import { h, type Child, type ElementNode } from './dom.js';

/** The provider of the zone, as the user says or as detected. */
export interface ProviderChoice {
  readonly provider: DnsProvider;
  readonly detected: DnsProvider | null;
  readonly onProvider: (id: string) => void;
}

/** @param isDone whether nothing is left to do there; its place is kept */
export function providerChoice(
  { name, apexName, dns }: ShownDomain,
  isDone: boolean,
  { provider, detected, onProvider }: ProviderChoice,
  texts: SetupTexts,
): ElementNode {
  const { zone, newTab } = texts;
  return h(
    'div',
    { key: `provider ${name}`, class: 'provider', part: 'provider', 'data-done': isDone },
    h(
      'label',
      { key: 'choice' },
      zone.provider,
      h(
        'select',
        {
          value: provider.id,
          onchange: ({ currentTarget }) =>
            currentTarget instanceof HTMLSelectElement && onProvider(currentTarget.value),
        },
        ...[...providers, anyProvider].map(({ id, label }) => h('option', { key: id, value: id }, label)),
      ),
    ),
    h(
      'p',
      { key: 'text' },
      `${providerText(apexName, dns.nameServers, { provider, detected }, texts)} `,
      provider.link !== null &&
        h(
          'a',
          { key: 'open', href: provider.link, target: '_blank', rel: 'noopener noreferrer' },
          zone.open(provider.label),
          h('span', { class: 'hidden' }, ` (${newTab})`),
          h('span', { 'aria-hidden': 'true' }, '\u00a0↗'),
        ),
    ),
  );
}

/** Copies values, and knows which one was copied. */
export interface CopyActions {
  /** The key of the button that was pressed last; null a while after. */
  readonly copied: string | null;
  /** @param what the subject of the announcement */
  copy(key: string, what: string, value: string): void;
}

interface ZoneOptions {
  readonly label: string;
  readonly provider: DnsProvider;
  readonly texts: SetupTexts;
  /** When the last cache of the old records expires, in words; null if unknown. */
  readonly until: string | null;
  readonly copy: CopyActions;
}

/** The records of a zone as a form: in the words and in the order of the provider. */
export function zoneList(lines: readonly ZoneLine[], options: ZoneOptions): ElementNode {
  return h(
    'ul',
    { key: 'zone', class: 'zone', part: 'records', role: 'list', 'aria-label': options.label },
    ...linesAt(lines, options.provider).flatMap((line) => lineItems(line, options)),
  );
}

/** A record, and below it those that can be created instead. A provider without ALIAS gets only these. */
function lineItems(line: ZoneLine, options: ZoneOptions): readonly Child[] {
  const { action, record, alternatives } = line;
  const { provider, texts, until } = options;
  const { zone } = texts;
  const cannot = isImpossible(line, provider);
  // A record that was added is the same one when it is there.
  const key = `${action === 'delete' ? action : 'needed'} ${keyOfRecord(record)}`;
  const sighting = cannot ? null : sightingText(line, until, texts);
  const own = h(
    'li',
    { key, 'data-action': action },
    h('strong', { key: 'action', class: 'action' }, zone.actions[action]),
    cannot
      ? h('p', { key: 'cannot' }, zone.noAlias(provider.label))
      : form(key, fieldsOf(line, provider), line, isOneOfSeveral(line), options),
    sighting !== null && h('span', { key: 'seen', class: 'seen', 'data-found': sighting.isFound }, sighting.text),
  );
  const type = cannot ? null : typeAt(provider, record);
  return [
    !(cannot && alternatives.length > 0) && own,
    alternatives.length > 0 && h('li', { key: `or ${key}`, class: 'or' }, zone.alternatives(alternatives.length, type)),
    ...alternatives.map((each) => {
      const eachKey = `instead ${keyOfRecord(each)}`;
      return h(
        'li',
        { key: eachKey, 'data-action': action, 'data-alternative': true },
        h('strong', { key: 'action', class: 'action' }, cannot ? zone.actions.add : zone.or),
        form(eachKey, formOf(provider, each), { record: each }, true, options),
      );
    }),
  ];
}

function form(
  lineKey: string,
  fields: readonly FormField[],
  { record, wrong }: Pick<ZoneLine, 'record' | 'wrong'>,
  isExact: boolean,
  { texts, copy }: ZoneOptions,
): ElementNode {
  return h(
    'dl',
    { key: 'form' },
    ...fields.map((field) => {
      const { key, label, value } = field;
      const { isCopied, old, what } = shownField(field, record, wrong, isExact);
      const copyKey = `${lineKey} ${key}`;
      return h(
        'div',
        { key, 'data-field': key },
        h('dt', {}, label),
        h(
          'dd',
          {},
          old !== undefined && h('del', { key: 'old', class: 'value' }, old),
          old !== undefined && h('span', { key: 'becomes', class: 'hidden' }, ` ${texts.zone.becomes} `),
          h(
            'span',
            { key: 'entry', class: 'entry' },
            h('span', { key: 'value', class: isCopied ? 'value' : null }, value === '' ? texts.zone.empty : value),
            isCopied && value !== '' && copyButton(copyKey, what, value, { texts, copy }),
          ),
        ),
      );
    }),
  );
}

function copyButton(
  key: string,
  what: string,
  value: string,
  { texts, copy }: Pick<ZoneOptions, 'texts' | 'copy'>,
): ElementNode {
  const isCopied = copy.copied === key;
  return h(
    'button',
    {
      ...{ key: 'copy', type: 'button', class: 'button copy', part: 'button copy' },
      'aria-label': isCopied ? texts.copy.doneLabel(what) : texts.copy.label(what),
      onclick: () => copy.copy(key, what, value),
    },
    isCopied ? texts.copy.done : texts.copy.action,
  );
}

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
