import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { strings } from '../strings.js';

interface PageProps {
  readonly title: string;
  /** A line above the title, such as the parent page. */
  readonly above?: ReactNode;
  /** Status beside the title. */
  readonly status?: ReactNode;
  readonly actions?: ReactNode;
  /** Below the header, such as the error of an action. */
  readonly below?: ReactNode;
  readonly children: ReactNode;
}

/** The first page leaves the focus where the browser puts it. */
let hasShownPage = false;

/** Sets the title of the tab, and moves the focus to the heading after a navigation, as loading a page does. */
export function Page({ title, above, status, actions, below, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasShownPage) heading.current?.focus();
    hasShownPage = true;
  }, []);
  useEffect(() => {
    document.title = `${title} – ${strings.product}`;
  }, [title]);
  return (
    <Stack gap="md">
      <div className="page-head">
        <div>
          {above !== undefined && <div className="breadcrumb">{above}</div>}
          <Title order={1} ref={heading} tabIndex={-1} className="page-title">
            {title}
          </Title>
          {status}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </div>
      {below}
      {children}
    </Stack>
  );
}

interface SectionProps {
  readonly title: string;
  readonly isCard?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with its own heading, which screen readers can jump to. */
export function Section({ title, isCard = false, children }: SectionProps) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" aria-labelledby={id} className={isCard ? 'card' : undefined}>
      <Title order={2} id={id} className="section-title">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

interface FoldProps {
  readonly title: string;
  /** Text beside the title, such as a count. */
  readonly hint?: ReactNode;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** A part of a page that is folded until it is needed. */
export function Fold({ title, hint, isOpen = false, children }: FoldProps) {
  return (
    <details className="fold" open={isOpen}>
      <summary>
        <h2>{title}</h2>
        {hint !== undefined && <span className="muted">{hint}</span>}
      </summary>
      <div className="fold-content">{children}</div>
    </details>
  );
}

interface FieldListProps {
  /** Fields with a null value are omitted. */
  readonly fields: readonly (readonly [label: string, value: ReactNode])[];
}

export function FieldList({ fields }: FieldListProps) {
  return (
    <dl className="field-list">
      {fields
        .filter(([, value]) => value !== null)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A link within the dashboard. */
export function TextLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} underline="always" className="text-link">
      {children}
    </Anchor>
  );
}

interface NotFoundProps {
  readonly text: string;
  /** The way back. */
  readonly to: string;
  readonly back: string;
}

/** A wrong link, with a way back. */
export function NotFound({ text, to, back }: NotFoundProps) {
  return (
    <Page title={strings.notFound.title}>
      <Text>{text}</Text>
      <div>
        <TextLink to={to}>{back}</TextLink>
      </div>
    </Page>
  );
}

export function SymptomHelp({ symptom, action }: { readonly symptom: string; readonly action: string }) {
  return (
    <Fold title={symptom}>
      <Text>{action}</Text>
    </Fold>
  );
}
