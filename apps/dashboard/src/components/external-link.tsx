import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { strings } from '../strings.js';

interface ExternalLinkProps {
  readonly href: string;
  readonly children: ReactNode;
}

const newTab = { target: '_blank', rel: 'noreferrer' } as const;

/** A link to a place outside the dashboard, in a new tab. */
export function ExternalLink({ href, children }: ExternalLinkProps) {
  return (
    <Anchor href={href} {...newTab} underline="always" className="text-link">
      {children}
      <NewTab />
    </Anchor>
  );
}

interface VisitProps {
  readonly href: string;
  /** The name of the site, which is beside the link. */
  readonly name: string;
}

/** A link to a site. */
export function VisitLink({ href, name }: VisitProps) {
  return (
    <ExternalLink href={href}>
      <Visit name={name} />
    </ExternalLink>
  );
}

function Visit({ name }: Pick<VisitProps, 'name'>) {
  return (
    <>
      {strings.visit}
      <span className="visually-hidden"> {name}</span>
    </>
  );
}

function NewTab() {
  return (
    <>
      <span aria-hidden="true">&nbsp;↗</span>
      <span className="visually-hidden"> ({strings.newTab})</span>
    </>
  );
}
