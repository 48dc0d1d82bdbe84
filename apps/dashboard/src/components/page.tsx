import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { strings } from '../strings.js';

interface PageProps {
  readonly title: string;
  /** A line above the title, such as the parent page. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The first page leaves the focus where the browser puts it. */
let hasShownPage = false;

/** Sets the title of the tab, and moves the focus to the heading after a navigation, as loading a page does. */
export function Page({ title, above, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasShownPage) heading.current?.focus();
    hasShownPage = true;
  }, []);
  useEffect(() => {
    document.title = `${title} – ${strings.product}`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end" gap="sm">
        <div>
          {above}
          <Title order={1} ref={heading} tabIndex={-1} className="page-title">
            {title}
          </Title>
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** A part of a page with its own heading, which screen readers can jump to. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" aria-labelledby={id}>
      <Title order={2} size="h3" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
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
    <Anchor component={Link} to={to} underline="always">
      {children}
    </Anchor>
  );
}

export function SymptomHelp({ symptom, action }: { readonly symptom: string; readonly action: string }) {
  return (
    <details>
      <summary>{symptom}</summary>
      <Text>{action}</Text>
    </details>
  );
}
