import type { SetupDomain } from '@pets/contracts';
import { formOf, typeAt, type DnsProvider, type FormField } from '@pets/dns-providers';
import { setupTexts, type SetupTexts } from '../texts.js';
import { fieldsOf, hintsOf, isImpossible, linesAt, shownField } from '../zone-form.js';
import { zoneLines, type ZoneLine } from '../zone-lines.js';

/** Steps to take at the DNS provider, as a text to send to somebody. */
export function stepsText(
  domains: readonly SetupDomain[],
  provider: DnsProvider,
  texts: SetupTexts = setupTexts,
): string {
  const lines = linesAt(domains.flatMap(zoneLines), provider);
  const todo = lines.filter(({ action }) => action !== 'keep');
  const title = texts.share.title(domains.map(({ unicodeName }) => unicodeName).join(', '));
  if (todo.length === 0) return `${title}\n\n${texts.share.nothing}\n`;
  const hints = hintsOf(domains[0]?.apexName ?? '', lines, provider, texts).map((hint) => `- ${hint}`);
  const parts = [
    title,
    provider.navigation ?? '',
    ...todo.map((line) => lineText(line, provider, texts)),
    hints.join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function lineText(line: ZoneLine, provider: DnsProvider, { zone, share }: SetupTexts): string {
  const cannot = isImpossible(line, provider);
  const write = (field: FormField, wrong?: ZoneLine['wrong']) => {
    const { old } = shownField(field, line.record, wrong, false);
    return `  ${field.label}: ${field.value || zone.empty}${old === undefined ? '' : ` ${share.replaces(old)}`}`;
  };
  const own = [zone.actions[line.action], ...fieldsOf(line, provider).map((field) => write(field, line.wrong))];
  if (line.alternatives.length === 0) return cannot ? zone.noAlias(provider.label) : own.join('\n');
  const others = line.alternatives.flatMap((record) => ['', ...formOf(provider, record).map((field) => write(field))]);
  const heading = zone.alternatives(line.alternatives.length, cannot ? null : typeAt(provider, line.record));
  return [...(cannot ? [] : [...own, '']), heading, ...others.slice(1)].join('\n');
}
