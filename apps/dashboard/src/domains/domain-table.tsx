import type { Domain } from '@pets/contracts';
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { VisitLink } from '../components/external-link.js';
import { StatusPill } from '../components/notice.js';
import { TextLink } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Day, Instant } from '../components/time.js';
import { domainConfigQuery } from './domains.queries.js';
import { useMay } from '../session/caller.js';
import { strings } from '../strings.js';
import { servedUntil } from './certificate.js';
import { DomainMenu, loadDomainMenu, menuActions } from './domain-menu.js';
import { roleOf } from './domain-role.js';
import { deriveStatus } from './domain-status.js';
import { domainStrings } from './domain-strings.js';
import { SelectionBar, selectionActions } from './selection-bar.js';

interface DomainTableProps {
  readonly projectId: string;
  readonly domains: readonly Domain[];
}

/** The domains of a project as rows. Selected ones are checked or removed together. */
export function DomainTable({ projectId, domains }: DomainTableProps) {
  const { data: config } = useQuery(domainConfigQuery(projectId));
  const may = useMay();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // What is most likely next. Otherwise the first click would wait for a script.
  useEffect(() => void Promise.allSettled([import('./domain.page.js'), loadDomainMenu()]), []);
  // Another client may have removed some.
  const selected = domains.filter(({ id }) => chosen.has(id));
  const isAll = selected.length === domains.length;
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <div className="card" data-flush>
      {selected.length > 0 && (
        <SelectionBar projectId={projectId} selected={selected} onClear={() => setChosen(new Set())} />
      )}
      <DataTable
        label={domainStrings.title}
        rows={domains}
        keyOf={({ id }) => id}
        columns={[
          {
            header: domainStrings.select,
            kind: 'select',
            isShown: may(...selectionActions),
            head: (
              <Checkbox
                label={<span className="visually-hidden">{domainStrings.selectAll}</span>}
                checked={isAll}
                indeterminate={selected.length > 0 && !isAll}
                onChange={() => setChosen(isAll ? new Set() : new Set(domains.map(({ id }) => id)))}
              />
            ),
            cell: ({ id, unicodeName }) => (
              <Checkbox
                label={<span className="visually-hidden">{domainStrings.selectOne(unicodeName)}</span>}
                checked={chosen.has(id)}
                onChange={() => toggle(id)}
              />
            ),
          },
          {
            header: domainStrings.name,
            kind: 'title',
            cell: (domain) => <Name projectId={projectId} domain={domain} />,
          },
          { header: domainStrings.status, cell: (domain) => <Status domain={domain} /> },
          {
            header: domainStrings.certificateUntil,
            kind: 'tight',
            cell: (domain) => {
              const until = servedUntil(domain);
              return until === null ? strings.none : <Day at={until} />;
            },
          },
          { header: domainStrings.role, cell: (domain) => roleOf(domain, config?.config) },
          {
            header: domainStrings.lastCheck,
            kind: 'tight',
            cell: ({ dns }) => (dns.checkedAt === null ? strings.none : <Instant at={dns.checkedAt} />),
          },
          {
            header: domainStrings.actions,
            kind: 'menu',
            isShown: may(...menuActions),
            cell: (domain) => <DomainMenu projectId={projectId} domain={domain} />,
          },
        ]}
      />
    </div>
  );
}

/** In Unicode, with the ASCII form beneath: different names may look the same. */
function Name({ projectId, domain }: { readonly projectId: string; readonly domain: Domain }) {
  const { id, name, unicodeName, externalId, state } = domain;
  return (
    <>
      <TextLink to={`/projects/${projectId}/settings/domains/${id}`}>{unicodeName}</TextLink>
      {state === 'live' && !name.startsWith('*.') && (
        <span className="visit">
          <VisitLink href={`https://${name}/`} name={unicodeName} />
        </span>
      )}
      {unicodeName !== name && <small className="value">{name}</small>}
      {externalId !== null && <small>{externalId}</small>}
    </>
  );
}

function Status({ domain }: { readonly domain: Domain }) {
  const { tone, text } = deriveStatus(domain);
  return <StatusPill tone={tone}>{text}</StatusPill>;
}
