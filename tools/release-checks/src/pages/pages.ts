import {
  type DomainIssue,
  exampleOfWebhook,
  type IssueCode,
  issueCodes,
  webhookEventCatalog,
  type WebhookEventType,
  webhookEventTypes,
} from '@pets/contracts';
import { describeIssue, issueCatalog, reservedGroups } from '@pets/domains';

/** The pages of docs/ that are made of contracts and decisions, by path. */
export const pages: Readonly<Record<string, () => string>> = {
  'docs/diagnoses.md': renderDiagnoses,
  'docs/reserved-names.md': renderReservedNames,
  'docs/webhook-events.md': renderWebhookEvents,
};

const reservedNamesIntroduction = `# Reserved names

A project is served at \`<slug>.<platform domain>\`, with the platform’s certificate. A slug that people or programs could
mistake for the platform itself is refused with \`name_reserved\`.

Reserved names are:

- the names below. Hyphens are ignored: \`mtasts\` is \`mta-sts\`. Where a group says so, a number after the name is ignored
  as well: \`ns1\`, \`www-2\`;
- labels of the platform’s own hosts: for \`ACME_DNS_ZONE\` and every URL in the settings of pets-api whose host is below
  \`PLATFORM_DOMAIN\`, the label directly below it;
- the names that the operator adds in \`RESERVED_NAMES\`, separated by commas, with and without a number after them;
- labels that begin with \`_\` or \`xn--\`. A slug cannot have two hyphens in a row anyway.

A project whose slug became reserved later keeps it. \`admin names reserved\` prints the reserved names and the projects that
have one.

\`npm run diagnoses\` generates this page from the code; a test compares them.
`;

/** Renders the page of all reserved names, for \`docs/reserved-names.md\`. */
function renderReservedNames(): string {
  const sections = reservedGroups.map(({ title, reason, numbered, names }) => {
    const rule = numbered ? ' Also reserved with a number after the name.' : '';
    return `## ${title}\n\n${reason}${rule}\n\n${names.map((name) => `\`${name}\``).join(', ')}\n`;
  });
  return [reservedNamesIntroduction, ...sections].join('\n');
}

const webhookEventsIntroduction = `# Webhook events

Every \`type\` of an event. [webhooks.md](webhooks.md) describes requests, signatures and retries. The shapes of \`data\` are
those of [openapi.json](openapi.json). Every request has the complete resource as \`data\`. The first event of each resource
shows a complete body. Each other event shows the members of its \`data\` that differ from an event above, by path.

\`npm run diagnoses\` generates this page from the code; a test compares them.
`;

/** Renders the page of all events, for docs/webhook-events.md. */
function renderWebhookEvents(): string {
  return [webhookEventsIntroduction, ...webhookEventTypes.map(renderEvent)].join('\n');
}

function renderEvent(type: WebhookEventType, index: number): string {
  const { when, resource } = webhookEventCatalog[type];
  const heading = `## ${type}\n\nSent when ${when}. \`data\` is the ${resource}`;
  const [nearest] = webhookEventTypes
    .slice(0, index)
    .filter((other) => webhookEventCatalog[other].resource === resource)
    .map((other) => ({ other, changes: renderChanges(other, type) }))
    .toSorted((one, another) => one.changes.length - another.changes.length);
  if (nearest === undefined) return `${heading}:\n\n${renderJson(exampleOfWebhook(type))}`;
  const base = `as in [${nearest.other}](#${nearest.other.replaceAll('.', '')})`;
  return nearest.changes === '' ? `${heading} ${base}.\n` : `${heading} ${base}, except:\n\n${nearest.changes}`;
}

function renderChanges(from: WebhookEventType, to: WebhookEventType): string {
  const changes = listChanges(webhookEventCatalog[from].example, webhookEventCatalog[to].example);
  return changes.length === 0 ? '' : renderJson(Object.fromEntries(changes));
}

/** The members that differ from `base`, by path. Arrays are compared as one value. */
function listChanges(base: object, example: object, prefix = ''): readonly (readonly [string, unknown])[] {
  const former = new Map<string, unknown>(Object.entries(base));
  return Object.entries(example).flatMap(([key, value]: readonly [string, unknown]) => {
    const path = `${prefix}${key}`;
    const old = former.get(key);
    if (JSON.stringify(old) === JSON.stringify(value)) return [];
    return isRecord(old) && isRecord(value) ? listChanges(old, value, `${path}.`) : [[path, value] as const];
  });
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Arrays of strings in one line, as Prettier formats them. */
function renderJson(value: object): string {
  const json = JSON.stringify(value, null, 2).replaceAll(
    /\[\n(\s*"[^[\]{}]*")\n\s*\]/g,
    (_array, items: string) => `[${items.trim().replaceAll(/\n\s*/g, ' ')}]`,
  );
  return `\`\`\`json\n${json}\n\`\`\`\n`;
}

const diagnosesIntroduction = `# Diagnoses

Every \`code\` in the \`issues\` of a domain: its title, its severity, the message for the owner, its cause, the fix, and the
evidence. The \`cause\` says what is wrong without the values of records, for a page that lists the records to create,
change and delete; it is null where none is below. Severities:

- \`error\`: the owner has to act.
- \`warning\`: the problem resolves automatically, or matters only later.
- \`info\`: the domain makes progress.

Below each code: its title, its \`area\`, whether it is \`blocking\` (the domain cannot go live before it is solved; one that
is live stays live), and whether it \`resolvesAutomatically\`.

In the evidence, \`servers\` are the name servers that showed the problem, \`stale\` are those that still return the old
record, \`expectedBy\` is the time at which the last cache expires, and \`hint\` explains a usual mistake.

\`npm run diagnoses\` generates this page from the code; a test compares them.
`;

/** Renders the page of all issues, for \`docs/diagnoses.md\`. */
function renderDiagnoses(): string {
  const rows = issueCodes.map((code) => {
    const { severity, meaning } = issueCatalog[code];
    return [`[\`${code}\`](#${code})`, severity, meaning];
  });
  return [
    diagnosesIntroduction,
    renderTable(['code', 'severity', 'meaning'], rows),
    ...issueCodes.map(renderSection),
  ].join('\n');
}

function renderSection(code: IssueCode): string {
  const entry = issueCatalog[code];
  const { severity, message, cause, remediation, evidence } = describeIssue(code, entry.example);
  const entries = Object.entries(evidence).map(([key, value]) => `- \`${key}\`: ${renderValue(value)}`);
  return `## ${code}

${renderProperties(entry)}

${severity}: ${escape(message)}
${cause === null ? '' : `\n**Cause.** ${escape(cause)}\n`}
**Fix.** ${escape(remediation)}

Evidence:

${entries.join('\n')}
`;
}

function renderProperties({ title, area, blocking, resolvesAutomatically }: (typeof issueCatalog)[IssueCode]): string {
  const blocks = blocking === 'wildcard' ? 'blocks wildcards' : blocking ? 'blocking' : 'blocks nothing';
  return [`“${title}”`, `area \`${area}\``, blocks, ...(resolvesAutomatically ? ['resolves automatically'] : [])].join(
    ' · ',
  );
}

function renderValue(value: DomainIssue['evidence'][string]): string {
  const values = typeof value === 'object' ? value : [String(value)];
  return values.map((text) => `\`${text}\``).join(', ');
}

function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(...[header, ...rows].map((row) => (row[column] ?? '').length), title.length),
  );
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(header), rule, ...rows.map(line), ''].join('\n');
}

/** Escapes the characters that Markdown would interpret. */
function escape(text: string): string {
  return text.replaceAll(/[*_]/g, '\\$&');
}
