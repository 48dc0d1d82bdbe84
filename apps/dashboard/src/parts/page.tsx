import { Group, Stack, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { strings } from '../strings.js';

interface PageProps {
  readonly title: string;
  /** A line above the title: where the page stands. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Whether a page was shown before: the first one leaves the focus where the browser puts it. */
let hasShownPage = false;

/** One page: names the tab, and takes the focus to its heading when one comes to it, as loading a page would. */
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
